"""Samples of Lambda's layers and event source mappings, and what reads them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.samples.sample import TAGS, Sample
from tests.local_aws.services.cloudformation.templates import resource

LAYER = {"S3Bucket": "texts", "S3Key": "layer.zip"}

_MAPPING = (
    "lambda GetEventSourceMapping UUID={Ref}",
    "lambda ListTags Resource={EventSourceMappingArn}",
)
_FILTERS = {"Filters": [{"Pattern": '{"body": ["a property was lost"]}'}]}

GROUND: Mapping[str, Mapping[str, Any]] = {
    "Layer": resource("Lambda::LayerVersion", Content=LAYER, LayerName="ground"),
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::Lambda::EventSourceMapping": (
        Sample(
            _MAPPING,
            {
                "FunctionName": "$Function",
                "EventSourceArn": "$Queue.Arn",
                "BatchSize": 23,
                "Enabled": False,
                "FilterCriteria": _FILTERS,
                "FunctionResponseTypes": ["ReportBatchItemFailures"],
                "MaximumBatchingWindowInSeconds": 7,
                "ScalingConfig": {"MaximumConcurrency": 3},
                "Tags": TAGS,
            },
            needs=("EventSourceArn",),
            told={"Enabled": "Disabled"},
        ),
    ),
    "AWS::Lambda::LayerVersion": (
        Sample(
            ("lambda GetLayerVersionByArn Arn={Ref}",),
            {
                "Content": LAYER,
                "CompatibleArchitectures": ["arm64"],
                "CompatibleRuntimes": ["python3.13", "nodejs24.x"],
                "Description": "a property was lost",
                "LayerName": "lost",
                "LicenseInfo": "Apache-2.0",
            },
            unread={"Content": "the zip that lies there"},
        ),
    ),
}

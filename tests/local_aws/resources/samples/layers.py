"""Samples of Lambda's layers, and what reads them back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.samples.sample import Sample

LAYER = {"S3Bucket": "texts", "S3Key": "layer.zip"}

GROUND: Mapping[str, Mapping[str, Any]] = {
    "Layer": {
        "Type": "AWS::Lambda::LayerVersion",
        "Properties": {"Content": LAYER, "LayerName": "ground"},
    },
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
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
    "AWS::Lambda::LayerVersionPermission": (
        Sample(
            ("lambda GetLayerVersionPolicy LayerName=ground VersionNumber=1",),
            {
                "Action": "lambda:GetLayerVersion",
                "LayerVersionArn": "$Layer",
                "OrganizationId": "o-0123456789",
                "Principal": "*",
            },
        ),
    ),
}

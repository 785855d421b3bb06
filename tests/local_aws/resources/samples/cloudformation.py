"""Samples of CloudFormation and CDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.aws import REGION
from tests.local_aws.resources.samples.sample import TAGS, Sample
from tests.local_aws.services.cloudformation.templates import resource

TEMPLATE: Mapping[str, Any] = {
    "Parameters": {"Given": {"Type": "String", "Default": "nothing"}},
    "Resources": {"It": resource("CloudFormation::WaitConditionHandle")},
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::CDK::Metadata": (
        Sample(
            (),
            {"Analytics": "v2:deflate64:x", "Modules": "one"},
            unread={"Analytics": "AWS counts the CDK's users", "Modules": "as Analytics"},
        ),
    ),
    "AWS::CloudFormation::Stack": (
        Sample(
            ("cloudformation DescribeStacks StackName={Ref}",),
            {
                "NotificationARNs": ["$Topic"],
                "Parameters": {"Given": "something"},
                "Tags": TAGS,
                "TemplateURL": f"https://texts.s3.{REGION}.amazonaws.com/nested.json",
                "TimeoutInMinutes": 7,
            },
            unread={"TemplateURL": "where the stack's template is"},
        ),
    ),
}

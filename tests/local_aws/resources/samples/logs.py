"""Samples of CloudWatch Logs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample

GROUND: Mapping[str, Mapping[str, Any]] = {
    "Lines": {"Type": "AWS::Logs::LogGroup"},
    "LetIn": {
        "Type": "AWS::Lambda::Permission",
        "Properties": {
            "Action": "lambda:InvokeFunction",
            "FunctionName": {"Ref": "Function"},
            "Principal": "logs.amazonaws.com",
        },
    },
}

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::Logs::LogGroup": (
        Sample(
            (
                "logs DescribeLogGroups logGroupNamePrefix={Ref}",
                "logs ListTagsForResource resourceArn={logGroupArn}",
            ),
            {
                "LogGroupName": "/lost",
                "KmsKeyId": "$Key.Arn",
                "RetentionInDays": 731,
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::Logs::SubscriptionFilter": (
        Sample(
            ("logs DescribeSubscriptionFilters logGroupName=$Lines",),
            {
                "DestinationArn": "$Function.Arn",
                "FilterName": "lost",
                "FilterPattern": "ERROR",
                "LogGroupName": "$Lines",
                "RoleArn": "$Role.Arn",
            },
        ),
    ),
    "AWS::Logs::ResourcePolicy": (
        Sample(
            ("logs DescribeResourcePolicies",),
            {"PolicyName": "lost", "PolicyDocument": json.dumps(EVERYONE)},
        ),
    ),
}

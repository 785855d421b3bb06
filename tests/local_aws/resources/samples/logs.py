"""Samples of CloudWatch Logs."""

from __future__ import annotations

import json
from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample

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
    "AWS::Logs::ResourcePolicy": (
        Sample(
            ("logs DescribeResourcePolicies",),
            {"PolicyName": "lost", "PolicyDocument": json.dumps(EVERYONE)},
        ),
    ),
}

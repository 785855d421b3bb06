"""Samples of Systems Manager."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import Sample

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::SSM::Parameter": (
        Sample(
            (
                "ssm GetParameter Name={Ref}",
                "ssm DescribeParameters",
                "ssm ListTagsForResource ResourceType=Parameter ResourceId={Ref}",
            ),
            {
                "Name": "lost",
                "Value": "found here",
                "Type": "StringList",
                "AllowedPattern": "^found.*",
                "DataType": "text",
                "Description": "a property was lost",
                "Tags": {"team": "lost and found"},
                "Tier": "Advanced",
            },
            needs=("DataType",),
        ),
    ),
}

"""Samples of CloudFormation and CDK."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import Sample

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::CDK::Metadata": (
        Sample(
            (),
            {"Analytics": "v2:deflate64:x", "Modules": "one"},
            unread={"Analytics": "AWS counts the CDK's users", "Modules": "as Analytics"},
        ),
    ),
    "AWS::CloudFormation::WaitConditionHandle": (Sample((), {}),),
}

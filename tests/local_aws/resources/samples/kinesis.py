"""Samples of Kinesis."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::Kinesis::ResourcePolicy": (
        Sample(
            ("kinesis GetResourcePolicy ResourceARN={Ref}",),
            {"ResourceArn": "$Records.Arn", "ResourcePolicy": EVERYONE},
            told={"ResourceArn": []},
        ),
    ),
    "AWS::Kinesis::Stream": (
        Sample(
            (
                "kinesis DescribeStream StreamName={Ref}",
                "kinesis ListTagsForStream StreamName={Ref}",
            ),
            {
                "Name": "lost",
                "RetentionPeriodHours": 37,
                "ShardCount": 3,
                "StreamEncryption": {"EncryptionType": "KMS", "KeyId": "alias/aws/kinesis"},
                "DesiredShardLevelMetrics": ["OutgoingBytes"],
                "Tags": TAGS,
            },
            told={"ShardCount": "shardid-000000000002"},
        ),
        Sample(
            ("kinesis DescribeStreamSummary StreamName={Ref}",),
            {"StreamModeDetails": {"StreamMode": "ON_DEMAND"}},
        ),
    ),
}

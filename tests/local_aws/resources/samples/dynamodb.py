"""Samples of DynamoDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.local_aws.resources.samples.sample import POLICY, TAGS, Sample

_INDEX = {
    "IndexName": "by-one",
    "KeySchema": [
        {"AttributeName": "one", "KeyType": "HASH"},
        {"AttributeName": "two", "KeyType": "RANGE"},
    ],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["beside"]},
}
_TABLE = {
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "N"} for name in ("one", "two")
    ],
    "KeySchema": _INDEX["KeySchema"],
}

_READS = (
    "dynamodb DescribeTable TableName={Ref}",
    "dynamodb ListTagsOfResource ResourceArn={Arn}",
    "dynamodb DescribeTimeToLive TableName={Ref}",
    "dynamodb DescribeContinuousBackups TableName={Ref}",
    "dynamodb GetResourcePolicy ResourceArn={Arn}",
)


def _scaled(kind: str, units: int) -> dict[str, Any]:
    """What is provisioned at first, of what would be scaled on AWS."""
    settings = {
        "MinCapacity": 1,
        "SeedCapacity": units,
        "MaxCapacity": 100,
        "TargetTrackingScalingPolicyConfiguration": {"TargetValue": 70},
    }
    return {f"{kind}CapacityAutoScalingSettings": settings}


SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::DynamoDB::GlobalTable": (
        Sample(
            _READS,
            {
                "TableName": "global",
                **_TABLE,
                "BillingMode": "PROVISIONED",
                "SSESpecification": {"SSEEnabled": True, "SSEType": "KMS"},
                "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
                "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True},
                "WarmThroughput": {"ReadUnitsPerSecond": 41, "WriteUnitsPerSecond": 43},
                "WriteProvisionedThroughputSettings": _scaled("Write", 39),
                "LocalSecondaryIndexes": [_INDEX],
                "GlobalSecondaryIndexes": [
                    {
                        **_INDEX,
                        "IndexName": "by-two",
                        "WriteProvisionedThroughputSettings": _scaled("Write", 49),
                        "WarmThroughput": {"ReadUnitsPerSecond": 51, "WriteUnitsPerSecond": 53},
                    }
                ],
                "Replicas": [
                    {
                        "Region": "eu-west-1",
                        "GlobalSecondaryIndexes": [
                            {
                                "IndexName": "by-two",
                                "ReadProvisionedThroughputSettings": {"ReadCapacityUnits": 47},
                            }
                        ],
                        "PointInTimeRecoverySpecification": {
                            "PointInTimeRecoveryEnabled": True,
                            "RecoveryPeriodInDays": 13,
                        },
                        "ReadProvisionedThroughputSettings": {"ReadCapacityUnits": 37},
                        "ResourcePolicy": {"PolicyDocument": POLICY},
                        "SSESpecification": {"KMSMasterKeyId": "$Key.Arn"},
                        "TableClass": "STANDARD_INFREQUENT_ACCESS",
                        "Tags": TAGS,
                    },
                ],
            },
            needs=(
                *("AttributeDefinitions", "BillingMode", "KeySchema", "LocalSecondaryIndexes"),
                *("GlobalSecondaryIndexes", "SSESpecification", "StreamSpecification"),
                "WriteProvisionedThroughputSettings",
            ),
            told={
                "BillingMode": [],
                "GlobalSecondaryIndexes": ["by-two", 49, 51, 53, "INCLUDE", "beside"],
                "Replicas": [37, 47, "enabled", 13, POLICY, TAGS],
                "SSESpecification": ["enabled", "KMS"],
                "TimeToLiveSpecification": ["until", "enabled"],
                "WriteProvisionedThroughputSettings": [39],
            },
            unread={
                "Replicas.DeletionProtectionEnabled": "a table that has it could not be deleted",
                "ReadProvisionedThroughputSettings": "of all replicas that do not say their own",
                "GlobalSecondaryIndexes.ReadProvisionedThroughputSettings": "the same of an index",
            },
        ),
        Sample(
            ("dynamodb DescribeTable TableName={Ref}",),
            {
                **_TABLE,
                "BillingMode": "PAY_PER_REQUEST",
                "WriteOnDemandThroughputSettings": {"MaxWriteRequestUnits": 59},
                "ReadOnDemandThroughputSettings": {"MaxReadRequestUnits": 61},
                "Replicas": [
                    {
                        "Region": "eu-west-1",
                        "ReadOnDemandThroughputSettings": {"MaxReadRequestUnits": 57},
                    }
                ],
            },
            needs=("AttributeDefinitions", "BillingMode", "KeySchema"),
            told={"Replicas": [57], "ReadOnDemandThroughputSettings": []},
        ),
    ),
    "AWS::DynamoDB::Table": (
        Sample(
            _READS,
            {
                "TableName": "lost",
                **_TABLE,
                "BillingMode": "PROVISIONED",
                "PointInTimeRecoverySpecification": {
                    "PointInTimeRecoveryEnabled": True,
                    "RecoveryPeriodInDays": 13,
                },
                "ProvisionedThroughput": {"ReadCapacityUnits": 37, "WriteCapacityUnits": 39},
                "ResourcePolicy": {"PolicyDocument": POLICY},
                "SSESpecification": {
                    "KMSMasterKeyId": "$Key.Arn",
                    "SSEEnabled": True,
                    "SSEType": "KMS",
                },
                "StreamSpecification": {"StreamViewType": "KEYS_ONLY"},
                "TableClass": "STANDARD_INFREQUENT_ACCESS",
                "Tags": TAGS,
                "TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True},
                "WarmThroughput": {"ReadUnitsPerSecond": 41, "WriteUnitsPerSecond": 43},
                "LocalSecondaryIndexes": [_INDEX],
                "GlobalSecondaryIndexes": [
                    {
                        **_INDEX,
                        "IndexName": "by-two",
                        "ProvisionedThroughput": {
                            "ReadCapacityUnits": 47,
                            "WriteCapacityUnits": 49,
                        },
                        "WarmThroughput": {"ReadUnitsPerSecond": 51, "WriteUnitsPerSecond": 53},
                    }
                ],
            },
            needs=("AttributeDefinitions", "BillingMode", "ProvisionedThroughput"),
            told={
                "BillingMode": [],
                "PointInTimeRecoverySpecification": ["enabled", 13],
                "SSESpecification": ["enabled", "KMS"],
                "TimeToLiveSpecification": ["until", "enabled"],
            },
            unread={
                "DeletionProtectionEnabled": "a table that has it could not be deleted",
            },
        ),
        Sample(
            ("dynamodb DescribeTable TableName={Ref}",),
            {
                **_TABLE,
                "BillingMode": "PAY_PER_REQUEST",
                "OnDemandThroughput": {"MaxReadRequestUnits": 57, "MaxWriteRequestUnits": 59},
            },
            needs=("AttributeDefinitions", "BillingMode"),
        ),
    ),
}

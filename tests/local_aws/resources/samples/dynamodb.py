"""Samples of DynamoDB."""

from __future__ import annotations

from collections.abc import Mapping

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

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::DynamoDB::Table": (
        Sample(
            (
                "dynamodb DescribeTable TableName={Ref}",
                "dynamodb ListTagsOfResource ResourceArn={Arn}",
                "dynamodb DescribeTimeToLive TableName={Ref}",
                "dynamodb DescribeContinuousBackups TableName={Ref}",
                "dynamodb GetResourcePolicy ResourceArn={Arn}",
            ),
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

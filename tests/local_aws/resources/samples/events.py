"""Samples of EventBridge."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.aws import REGION
from tests.local_aws.resources.made import made_in
from tests.local_aws.resources.samples.sample import TAGS, Sample

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::Events::EventBus": (
        Sample(
            (
                "events DescribeEventBus Name={Ref}",
                "events ListTagsForResource ResourceARN={Arn}",
            ),
            {
                "Name": "lost",
                "DeadLetterConfig": {"Arn": "$Queue.Arn"},
                "Description": "a property was lost",
                "KmsKeyIdentifier": "$Key",
                "Policy": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Sid": "lost",
                            "Effect": "Allow",
                            "Principal": {"AWS": "*"},
                            "Action": "events:PutEvents",
                            "Resource": "*",
                        }
                    ],
                },
                "Tags": TAGS,
            },
        ),
    ),
    "AWS::Events::EventBusPolicy": (
        Sample(
            ("events DescribeEventBus Name=default",),
            {
                "EventBusName": "default",
                "StatementId": "lost",
                "Statement": {
                    "Effect": "Allow",
                    "Principal": {"AWS": "*"},
                    "Action": "events:PutEvents",
                    "Resource": "*",
                },
            },
            needs=("Statement", "EventBusName"),
        ),
        Sample(
            ("events DescribeEventBus Name=default",),
            {
                "StatementId": "lost",
                "Action": "events:PutEvents",
                "Principal": "*",
                "Condition": {
                    "Key": "aws:PrincipalOrgID",
                    "Type": "StringEquals",
                    "Value": "o-1234567890",
                },
            },
            needs=("Action", "Principal"),
            told={"Condition": "o-1234567890", "Principal": "arn:aws:iam::*:root"},
        ),
    ),
    "AWS::Events::Rule": (
        Sample(
            (
                "events DescribeRule Name={RuleName}",
                "events ListTargetsByRule Rule={RuleName}",
                "events ListTagsForResource ResourceARN={Arn}",
            ),
            {
                "Name": "lost",
                "Description": "a property was lost",
                "EventBusName": "default",
                "EventPattern": {"source": ["lost.and.found"]},
                "RoleArn": "$Role.Arn",
                "ScheduleExpression": "rate(17 minutes)",
                "State": "DISABLED",
                "Tags": TAGS,
                "Targets": [
                    {
                        "Id": "queue",
                        "Arn": "$Queue.Arn",
                        "DeadLetterConfig": {"Arn": "$Queue.Arn"},
                        "InputPath": "$.detail",
                        "RetryPolicy": {
                            "MaximumEventAgeInSeconds": 61,
                            "MaximumRetryAttempts": 43,
                        },
                        "SqsParameters": {"MessageGroupId": "lost"},
                        "RoleArn": "$Role.Arn",
                    },
                    {
                        "Id": "function",
                        "Arn": "$Function.Arn",
                        "InputTransformer": {
                            "InputPathsMap": {"found": "$.detail.found"},
                            "InputTemplate": '"it is <found>"',
                        },
                    },
                    {"Id": "other", "Arn": "$Function.Arn", "Input": '"fixed"'},
                    {
                        "Id": "rest",
                        "Arn": "$Role.Arn",
                        **{
                            name: made_in(
                                "AWS::Events::Rule",
                                f"Targets.{name}",
                                AssignPublicIp="DISABLED",
                                SecretManagerArn=(
                                    f"arn:aws:secretsmanager:{REGION}:123456789012:secret:lost-a1b2"
                                ),
                                PlacementStrategies=None,
                                TagList=None,
                            )
                            for name in (
                                *("AppSyncParameters", "BatchParameters", "EcsParameters"),
                                *("HttpParameters", "KinesisParameters", "RedshiftDataParameters"),
                                *("RunCommandParameters", "SageMakerPipelineParameters"),
                            )
                        },
                    },
                ],
            },
            needs=("ScheduleExpression", "EventBusName"),
        ),
    ),
}

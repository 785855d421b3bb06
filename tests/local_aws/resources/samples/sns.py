"""Samples of SNS."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample

_TOPIC = (
    "sns GetTopicAttributes TopicArn={Ref}",
    "sns ListTagsForResource ResourceArn={Ref}",
    "sns ListSubscriptionsByTopic TopicArn={Ref}",
)

_SUBSCRIPTION = ("sns GetSubscriptionAttributes SubscriptionArn={Ref}",)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::SNS::Subscription": (
        Sample(
            _SUBSCRIPTION,
            {
                "TopicArn": "$Topic",
                "Protocol": "sqs",
                "Endpoint": "$Queue.Arn",
                "DeliveryPolicy": {"healthyRetryPolicy": {"numRetries": 11}},
                "FilterPolicy": {"found": ["here"]},
                "FilterPolicyScope": "MessageBody",
                "RawMessageDelivery": True,
                "RedrivePolicy": {"deadLetterTargetArn": "$Queue.Arn"},
                "SubscriptionRoleArn": "$Role.Arn",
            },
            needs=("Endpoint",),
        ),
    ),
    "AWS::SNS::Topic": (
        Sample(
            _TOPIC,
            {
                "TopicName": "lost",
                "DisplayName": "a property was lost",
                "KmsMasterKeyId": "$Key",
                "SignatureVersion": "2",
                "Subscription": [{"Protocol": "sqs", "Endpoint": "$Queue.Arn"}],
                "Tags": TAGS,
                "TracingConfig": "Active",
            },
        ),
        Sample(
            _TOPIC,
            {
                "TopicName": "lost.fifo",
                "FifoTopic": True,
                "ArchivePolicy": {"MessageRetentionPeriod": "37"},
                "ContentBasedDeduplication": True,
                "FifoThroughputScope": "MessageGroup",
            },
            needs=("TopicName", "FifoTopic"),
        ),
    ),
    "AWS::SNS::TopicInlinePolicy": (
        Sample(
            ("sns GetTopicAttributes TopicArn=$Topic",),
            {"PolicyDocument": EVERYONE, "TopicArn": "$Topic"},
        ),
    ),
    "AWS::SNS::TopicPolicy": (
        Sample(
            ("sns GetTopicAttributes TopicArn=$Topic",),
            {"PolicyDocument": EVERYONE, "Topics": ["$Topic"]},
        ),
    ),
}

"""Samples of SQS."""

from __future__ import annotations

from collections.abc import Mapping

from tests.local_aws.resources.samples.sample import EVERYONE, TAGS, Sample

_QUEUE = (
    "sqs GetQueueAttributes QueueUrl={Ref} AttributeNames=[All]",
    "sqs ListQueueTags QueueUrl={Ref}",
)

SAMPLES: Mapping[str, tuple[Sample, ...]] = {
    "AWS::SQS::Queue": (
        Sample(_QUEUE,
         {"QueueName": "lost", "DelaySeconds": 11, "KmsDataKeyReusePeriodSeconds": 611,
          "KmsMasterKeyId": "$Key", "MaximumMessageSize": 2049, "MessageRetentionPeriod": 3601,
          "ReceiveMessageWaitTimeSeconds": 13,
          "RedrivePolicy": {"deadLetterTargetArn": "$Queue.Arn", "maxReceiveCount": 17},
          "Tags": TAGS, "VisibilityTimeout": 47}),
        Sample(_QUEUE,
         {"QueueName": "lost.fifo", "FifoQueue": True, "ContentBasedDeduplication": True,
          "DeduplicationScope": "messageGroup", "FifoThroughputLimit": "perMessageGroupId"},
         needs=("QueueName", "FifoQueue")),
        Sample(_QUEUE, {"SqsManagedSseEnabled": False}),
    ),
    "AWS::SQS::QueueInlinePolicy": (
        Sample(
            ("sqs GetQueueAttributes QueueUrl=$Queue AttributeNames=[Policy]",),
            {"PolicyDocument": EVERYONE, "Queue": "$Queue"},
            told={"Queue": []},
        ),
    ),
    "AWS::SQS::QueuePolicy": (
        Sample(
            ("sqs GetQueueAttributes QueueUrl=$Queue AttributeNames=[Policy]",),
            {"PolicyDocument": EVERYONE, "Queues": ["$Queue"]},
        ),
    ),
}  # fmt: skip

"""SQS queues and their policies."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider, PutProvider, given, tags_of
from local_aws.resources.base import Attributes, Request


class Queue(ApiProvider):
    """``AWS::SQS::Queue``: Ref is the URL, GetAtt QueueName the name."""

    type_name = "AWS::SQS::Queue"
    name_property = "QueueName"
    service = "sqs"
    create_operation = "CreateQueue"
    deletes = ("DeleteQueue", "QueueUrl")
    tag_operations = ("TagQueue", "UntagQueue")
    _attributes = (
        "ContentBasedDeduplication",
        "DeduplicationScope",
        "DelaySeconds",
        "FifoQueue",
        "FifoThroughputLimit",
        "KmsDataKeyReusePeriodSeconds",
        "KmsMasterKeyId",
        "MaximumMessageSize",
        "MessageRetentionPeriod",
        "ReceiveMessageWaitTimeSeconds",
        "RedrivePolicy",
        "SqsManagedSseEnabled",
        "VisibilityTimeout",
    )
    also_supported = frozenset(_attributes)
    adopts = True

    @override
    def create(self, request: Request) -> str:
        wanted = request.properties
        fifo = str(wanted.get("FifoQueue", False)).lower() == "true"
        name = wanted.get("QueueName") or request.name(75) + (".fifo" if fifo else "")
        attributes = given(wanted, self._attributes)
        answer = self.call(
            request, "CreateQueue", QueueName=name, Attributes=attributes, Tags=tags_of(wanted)
        )
        return str(answer["QueueUrl"])

    @override
    def complete(self, request: Request) -> Attributes:
        url = request.physical_id
        answer = self.call(request, "GetQueueAttributes", QueueUrl=url, AttributeNames=["QueueArn"])
        arn = answer["Attributes"]["QueueArn"]
        return {"Arn": arn, "QueueName": arn.rsplit(":", 1)[-1], "QueueUrl": url}

    @override
    def update(self, request: Request) -> Attributes:
        if request.changed(*self._attributes):
            self.call(
                request,
                "SetQueueAttributes",
                QueueUrl=request.physical_id,
                Attributes={
                    name: request.properties.get(name, _DEFAULTS.get(name, ""))
                    for name in self._attributes
                    if request.changed(name)
                },
            )
        self.retag(request, QueueUrl=request.physical_id)
        return dict(request.attributes)

    @override
    def read(self, request: Request) -> dict[str, Any]:
        answer = self.call(
            request, "GetQueueAttributes", QueueUrl=request.physical_id, AttributeNames=["All"]
        )
        found: dict[str, Any] = answer["Attributes"]
        return found


class QueuePolicy(PutProvider):
    """``AWS::SQS::QueuePolicy``: one policy on each queue that it names."""

    type_name = "AWS::SQS::QueuePolicy"
    service = "sqs"
    create_operation = "SetQueueAttributes"
    id_attribute = "Id"
    also_supported = frozenset({"PolicyDocument", "Queue", "Queues"})

    @override
    def create(self, request: Request) -> str:
        self._put(request, request.properties["PolicyDocument"])
        return request.name(128)

    @override
    def delete(self, request: Request) -> None:
        self._put(request, "")

    def _put(self, request: Request, policy: Any) -> None:
        one = request.properties.get("Queue")
        for queue in request.properties["Queues"] if one is None else [one]:
            self.discard(
                request, "SetQueueAttributes", QueueUrl=queue, Attributes={"Policy": policy}
            )


_DEFAULTS = {
    "ContentBasedDeduplication": "false",
    "DeduplicationScope": "queue",
    "DelaySeconds": "0",
    "FifoThroughputLimit": "perQueue",
    "KmsDataKeyReusePeriodSeconds": "300",
    "MaximumMessageSize": "1048576",
    "MessageRetentionPeriod": "345600",
    "ReceiveMessageWaitTimeSeconds": "0",
    "SqsManagedSseEnabled": "true",
    "VisibilityTimeout": "30",
}
"""What a queue has of what is not given (SQS API reference, CreateQueue)."""

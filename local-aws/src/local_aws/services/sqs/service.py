"""SQS: queues, which the emulator keeps."""

from __future__ import annotations

import json
from collections.abc import Iterator

from moto.backends import get_backend

from local_aws.arn import Arn, arn_in
from local_aws.integration import Integration
from local_aws.permissions.service import Refusal, ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Service

from .resources import Queue, QueuePolicy


def _queues(call: Call) -> Iterator[str]:
    """The queue that a URL ends with, after its account, or a name."""
    named = first(call.parameters, "QueueUrl", "QueueName")
    if named is not None:
        place, _, name = named.rstrip("/").rpartition("/")
        account = place.rpartition("/")[2]
        yield arn_in(call.region, "sqs", account, name) if account.isdigit() else name


def _policy(arn: Arn) -> str | None:
    queue = get_backend("sqs")[arn.account][arn.region].queues.get(arn.resource)
    policy = None if queue is None else queue.policy
    return json.dumps(policy) if isinstance(policy, dict) else policy


class Sqs(Service):
    """SQS: queues, which the emulator keeps."""

    name = "sqs"
    permissions = ServicePermissions(
        prefix="sqs",
        resources=_queues,
        owner_parameter="QueueOwnerAWSAccountId",
        actions={
            "SendMessageBatch": "SendMessage",
            "DeleteMessageBatch": "DeleteMessage",
            "ChangeMessageVisibilityBatch": "ChangeMessageVisibility",
        },
        document_of=_policy,
        denied=Refusal(code="AccessDenied", status=403),
    )
    types = (Queue(), QueuePolicy())
    tasks = (
        Integration(
            name="sqs", prefix="SQS", service="AmazonSQS", actions=frozenset({"sendMessage"})
        ),
    )

    def check(self, call: Call) -> None:
        """Raise `AwsError`, in SQS's own words where a parameter is missing (SQS API reference,
        "Common errors")."""
        for name in (
            () if call.model.input_shape is None else call.model.input_shape.required_members
        ):
            if call.parameters.get(name) in (None, ""):
                what = f"The request must contain the parameter {name}."
                raise AwsError("MissingParameter", what)
        super().check(call)

    def prepare(self) -> None:
        """Keep what is not set."""
        from . import moto

        moto.keep_policies()

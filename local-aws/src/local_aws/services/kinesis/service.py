"""Kinesis, which the emulator answers."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import suppress

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import ResourcePolicy, Stream


def _streams(call: Call) -> Iterator[str]:
    """By ARN or name; who reads names the shard's iterator, which begins with the stream's name."""
    named, iterator = (first(call.parameters, each) for each in ("StreamName", "ShardIterator"))
    arn = first(call.parameters, "StreamARN", "ResourceARN")
    if named is None and iterator is not None:
        with suppress(ValueError):
            named = b64decode(iterator).decode().partition(":")[0]
    if arn or named:
        yield arn or f"stream/{named}"


def _policy(arn: Arn) -> str | None:
    policies: dict[str, str] = get_backend("kinesis")[arn.account][arn.region].resource_policies
    return policies.get(str(arn))


class Kinesis(Service):
    """Kinesis, which the emulator answers."""

    name = "kinesis"
    permissions = ServicePermissions(prefix="kinesis", resources=_streams, document_of=_policy)

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (ResourcePolicy(), Stream())

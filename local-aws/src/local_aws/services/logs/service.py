"""CloudWatch Logs: groups and streams, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import LogGroup

_ABOUT_STREAMS = frozenset(
    {
        "CreateLogStream",
        "DeleteLogStream",
        "DescribeLogStreams",
        "FilterLogEvents",
        "GetLogEvents",
        "PutLogEvents",
    }
)


def _groups(call: Call) -> Iterator[str]:
    named = first(call.parameters, "logGroupIdentifier", "resourceArn")
    group = first(call.parameters, "logGroupName")
    if group is None:
        if named is not None and named.startswith("arn:"):
            yield named
            return
        group = named
    if group is None:
        return
    stream = f":log-stream:{call.parameters.get('logStreamName', '')}"
    yield f"log-group:{group}{stream if call.operation in _ABOUT_STREAMS else ''}"


class Logs(Service):
    """CloudWatch Logs: groups and streams, which the emulator keeps."""

    name = "logs"
    invalid = "InvalidParameterException"
    permissions = ServicePermissions(prefix="logs", resources=_groups)
    warm_up = "describe_log_groups"

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (LogGroup(),)

"""What a service of the local AWS is: the page to read first.

A service is found by boto3's name for it. Of a call, read once, it gives the output; the gateway
writes that as the service's protocol has it. An action that a service does not have is the
emulator's where the service says so, and refused by name where not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from werkzeug import Request

from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.protocol.call import Call
from sagemaker_serving.local.protocol.models import service_model

Action = Callable[[Call], Mapping[str, Any] | None]
"""The output of a call, as botocore's model of the operation names its members; times are
datetimes or seconds since the epoch. None leaves the call to the emulator. Raises `AwsError`."""


class Service(Protocol):
    """One of AWS's services, in every region."""

    name: str
    """boto3's."""

    def actions(self) -> Mapping[str, Action]:
        """Every action that is offered, by the operation's name."""

    def emulates(self, operation: str) -> bool:
        """Whether the emulator answers an operation that is no action here."""

    def check(self, call: Call) -> None:
        """Raise `AwsError` unless the call's parameters are what its operation accepts."""


def output_of(service: Service, call: Call) -> Mapping[str, Any] | None:
    """What ``service`` answers; None for what the emulator answers.

    Raises `AwsError`: as the action does, and for what cannot be read, is not accepted, or is no
    action.
    """
    action = service.actions().get(call.operation)
    if action is None and call.model is not None and service.emulates(call.operation):
        return None
    if action is None:
        raise _no_action(call)
    if call.malformed is not None:
        raise call.malformed
    service.check(call)
    return action(call)


def offered(service: str, *parts: object) -> dict[str, Callable[..., Any]]:
    """The methods of ``parts`` that are named as operations are: CreateStack, ``create_stack``."""
    return {
        operation: getattr(part, name)
        for operation in service_model(service).operation_names
        for name in (_method_name(operation),)
        for part in parts
        if hasattr(part, name)
    }


def no_operation(service: str, request: Request) -> AwsError:
    """What is said of a request that names no operation of ``service``."""
    protocol = service_model(service).protocol
    if protocol == "query":
        return AwsError("MissingAction", f"the request names no action of {service}")
    if protocol == "json" and (request.method, request.path) == ("POST", "/"):
        what = f"the X-Amz-Target header names no operation of {service}"
        return AwsError("UnknownOperationException", what)
    what = f"{service} has no operation {request.method} {request.path}"
    return AwsError("UnknownOperationException", what, status=404)


def _no_action(call: Call) -> AwsError:
    code = "InvalidAction" if call.protocol == "query" else "UnknownOperationException"
    if call.model is None:
        return AwsError(code, f"{call.service} has no action '{call.operation}'")
    return AwsError(code, f"the local AWS does not offer {call.operation} of {call.service} yet")


def _method_name(operation: str) -> str:
    letters = (f"_{letter.lower()}" if letter.isupper() else letter for letter in operation)
    return "".join(letters).lstrip("_")

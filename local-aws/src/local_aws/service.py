"""What a service of the local AWS is: the page to read first.

A service is found by boto3's name for it. Of a call, read once, it gives the output; the gateway
writes that as the service's protocol has it. An action that a service does not have is the
emulator's where the service says so, and refused by name where not. What else is known of a service
it says itself: what its calls need to be allowed, its resource types of CloudFormation, what Step
Functions can do with it. `local_aws.services.sns` is the smallest example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from werkzeug import Request, Response

from local_aws.permissions.service import ServicePermissions
from local_aws.protocol import AwsError
from local_aws.protocol.call import PARSED_WITHOUT_BODY, Call
from local_aws.protocol.models import service_model
from local_aws.protocol.validation import known_members, validate

if TYPE_CHECKING:
    from local_aws.context import LocalContext
    from local_aws.integration import Integration
    from local_aws.resources.base import Provider
    from local_aws.web.door import WebApi

Action = Callable[[Call], Mapping[str, Any] | Response | None]
"""The output of a call, as botocore's model of the operation names its members; times are
datetimes or seconds since the epoch. A response is sent as it is. None leaves the call to the
emulator. Raises `AwsError`."""


class Limit(NamedTuple):
    """What of a service is not as on AWS, and what happens here instead."""

    what: str
    here: str


class Service:
    """One of AWS's services, in every region.

    Whatever is not said is the usual: no action of its own, all else the emulator's. A service that
    keeps something has ``export_state`` and ``restore_state``, as `state.saver.Part` says.
    """

    name: str
    """boto3's."""

    whole = False
    """Whether all that is offered of it is here, and nothing is the emulator's."""

    permissions: ServicePermissions | None = None
    """What its calls need; None is the usual: IAM's name is boto3's, calls are about ``*``."""

    invalid: str | None = None
    """The code of what its calls give wrongly; None is ValidationError of what speaks in forms and
    XML, ValidationException of all else."""

    limits: tuple[Limit, ...] = ()
    """What is not as on AWS; docs/local-aws-limits.md is made of it."""

    warm_up: str | None = None
    """An operation without parameters, in boto3's spelling, that every deploy begins with."""

    types: tuple[Provider, ...] = ()
    """Its types of CloudFormation, where they are those of every local AWS."""

    tasks: tuple[Integration, ...] = ()
    """What Step Functions can do with it, where that is the same of every local AWS."""

    def actions(self) -> Mapping[str, Action]:
        """Every action that is offered here, by the operation's name."""
        return {}

    def emulates(self, operation: str) -> bool:
        """Whether the emulator answers an operation that is no action here."""
        return not self.whole

    def emulates_unread(self, request: Request) -> bool:
        """Whether the emulator answers a request that names no operation."""
        return not self.whole

    def check(self, call: Call) -> None:
        """Raise `AwsError` unless the call's parameters are what its operation accepts.

        Asked of the emulator's operations, too. Unless said otherwise, it is what botocore's model
        says: types, members that must be given, lengths, ranges, patterns, enumerations. What it
        does not know is left unread. Nothing is asked of what is not read itself.
        """
        if call.service in PARSED_WITHOUT_BODY:
            return
        shape = call.model.input_shape
        if shape is not None:
            validate(shape, known_members(shape, call.parameters), self.invalid or call.invalid)

    def check_elsewhere(self, call: Call, *, is_here: bool) -> None:
        """Raise `AwsError` for a call of any service that needs what this one has not; ``is_here``:
        that service is one of the local AWS's."""

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return self.types

    def integrations(self) -> Iterable[Integration]:
        """What Step Functions can do with it."""
        return self.tasks

    def pages(self) -> Mapping[str, Callable[[str], Response]]:
        """Addresses of the gateway, by how their paths begin, that tell who may use them: their
        rest, which is given, is a secret."""
        return {}

    def web_api(self, kind: str, name: str) -> WebApi | None:
        """The API or function URL of this service that answers there; ``kind`` and ``name`` are of
        its address: ``execute-api``, and the API's id."""
        return None

    def set(self, variable: str, value: str) -> bool:
        """Take a variable of its settings while it runs; whether it is one that it takes so."""
        return False

    def status(self) -> Mapping[str, object]:
        """What runs, for ``local status``, as JSON has it."""
        return {}

    def start(self) -> None:
        """Begin: called before any request is answered."""

    def recover(self, ended: str) -> None:
        """Settle what an earlier process left in progress, in the background.

        Called when requests are answered; ``ended`` says how that process ended: "was killed".
        """

    def prepare(self) -> None:
        """Called once, before the emulator answers its first request of this service."""

    def stop(self) -> None:
        """End what is under way; requests are still answered."""

    def close(self) -> None:
        """End the rest; no request comes any more."""


ServiceFactory = Callable[["LocalContext", Callable[[str], None]], Iterable[Service]]
"""Makes services of the local AWS that they belong to, and of what they call, with their names,
when something has changed by itself. Found by the entry-point group `SERVICES`."""

SERVICES = "local_aws.services"
"""The entry-point group in which other distributions name what makes their services."""


def output_of(service: Service, call: Call) -> Mapping[str, Any] | Response | None:
    """What ``service`` answers; None for what the emulator answers.

    Raises `AwsError`: as the action does, and for what cannot be read, is not accepted, or is no
    action.
    """
    action = service.actions().get(call.operation)
    emulated = call.model is not None and service.emulates(call.operation)
    if action is None and not emulated:
        raise _no_action(call)
    if call.malformed is not None:
        raise call.malformed
    service.check(call)
    return None if action is None else action(call)


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
    if protocol == "rest-xml":
        what = "The specified method is not allowed against this resource."
        return AwsError("MethodNotAllowed", what, status=405)
    what = f"{service} has no operation {request.method} {request.path}"
    return AwsError("UnknownOperationException", what, status=404)


def not_offered(call: Call | None) -> AwsError:
    """What is said of an operation that AWS has and the local AWS has not; None is one that
    nothing is known of."""
    if call is None:
        return AwsError("UnknownOperationException", "the local AWS does not offer this yet")
    what = f"the local AWS does not offer {call.operation} of {call.service} yet"
    return AwsError(_unknown(call), what)


def _no_action(call: Call) -> AwsError:
    if call.model is None:
        return AwsError(_unknown(call), f"{call.service} has no action '{call.operation}'")
    return not_offered(call)


def _unknown(call: Call) -> str:
    return "InvalidAction" if call.protocol == "query" else "UnknownOperationException"


def _method_name(operation: str) -> str:
    letters = (f"_{letter.lower()}" if letter.isupper() else letter for letter in operation)
    return "".join(letters).lstrip("_")

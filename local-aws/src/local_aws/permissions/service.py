"""What the calls of one service need to be allowed, said by whoever knows the service.

Sources: the service authorization reference for actions, resources and condition keys; "Common
errors" of each service's API reference for how it refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from local_aws.arn import Arn, arn_in
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.protocol.models import service_model

from .need import Need
from .reference import judged_resources

Resources = Callable[[Call], Iterable[str]]
"""What a call is about: ARNs, or how they end after the account; ``*`` is no resource."""

DocumentOf = Callable[[Arn], str | None]
"""A resource to the text of its policy, if it has one."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """The code, the HTTP status and the message with which a service refuses a call."""

    code: str
    status: int = 400
    message: str = ""

    def error(self, message: str = "") -> AwsError:
        """It, to be raised."""
        return AwsError(self.code, message or self.message, status=self.status)


@dataclass(frozen=True, kw_only=True)
class PassedRole:
    """Which members of a service's calls hand a role to it, and how it refuses one.

    ``parameters`` lead to an ARN, with dots into lists and structures; ``operations`` are how the
    operations begin that take one; ``regional`` is whether ``<name>.<region>.amazonaws.com`` may be
    trusted instead. ``refusal`` is the service's error for a role that does not let it in.
    """

    principal: str
    parameters: Sequence[str]
    refusal: Callable[[str], AwsError]
    operations: tuple[str, ...] = ("Create", "Update", "Put")
    regional: bool = False

    def of(self, call: Call) -> Iterator[str]:
        """The ARNs of the roles that a call hands over."""
        if call.operation.startswith(self.operations):
            for path in self.parameters:
                yield from _arns(call.parameters, path)


@dataclass(frozen=True, kw_only=True)
class ServicePermissions:
    """One service's.

    ``prefix`` is IAM's name for it (``states``). ``resources`` finds what a call is about; as a
    mapping it has, by the parameter that names the resource, how its ARN ends, and the first one
    that is given counts. ``actions`` are those that have another name than their operation,
    ``condition_keys`` the parameters that conditions may ask for; ``open`` operations need no
    policy. ``document_of`` finds the policies of the service's resources. Where ``resources`` finds
    nothing, the service authorization reference tells what a call is about: see
    `judged_resources`. A call that is about ``*`` only a statement on ``*`` lets.
    """

    prefix: str
    resources: Resources | Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)
    condition_keys: Mapping[str, str] = field(default_factory=dict)
    open: frozenset[str] = frozenset()
    passed_role: PassedRole | None = None
    document_of: DocumentOf | None = None
    denied: Refusal = Refusal(code="AccessDeniedException")
    throttled: Refusal = Refusal(code="ThrottlingException", message="Rate exceeded")
    owner_parameter: str = ""
    """The parameter that names the account of what a call is about."""
    resources_beside: Resources = lambda _: ()
    """What calls are judged about where AWS does what its service authorization reference does not
    say."""
    judges_owner: bool = False
    """Whether a resource's policy may forbid something even to the account's own user."""

    def needs(self, call: Call) -> Sequence[Need]:
        """Everything that must be allowed for this call, in the order in which AWS judges it."""
        if call.operation in self.open:
            return ()
        action = self.actions.get(call.operation, call.operation)
        context = self._context(call)
        own = [
            each if each == "*" or each.startswith("arn:") else self._arn(call, each)
            for each in self._named(call)
        ]
        return [
            Need(f"{self.prefix}:{action}", resource, context, quoted=False)
            for resource in tuple(self.resources_beside(call))
            or judged_resources(self.prefix, action, call, own)
        ]

    def owner(self, call: Call) -> str:
        """The account that has what a call is about, as far as the call says; "" says nothing.

        By ``owner_parameter``; else by the first thing that it names; else by whatever ARN of the
        service is among its parameters.
        """
        said = first(call.parameters, self.owner_parameter)
        if said is not None:
            return said
        named = next(self._named(call), None)
        if named is not None:
            return Arn.parse(named).account if named.startswith("arn:") else ""
        given = (Arn.parse(each) for each in call.parameters.values() if isinstance(each, str))
        return next((arn.account for arn in given if arn.service == self.prefix), "")

    def needs_if_absent(self, call: Call) -> Sequence[Need]:
        """What one needs beside to be told that something is not there, if it is not."""
        return ()

    def _arn(self, call: Call, ending: str) -> str:
        return arn_in(call.region, self.prefix, call.account, ending)

    def _named(self, call: Call) -> Iterator[str]:
        if not isinstance(self.resources, Mapping):
            yield from self.resources(call)
            return
        for parameter, ending in self.resources.items():
            given = call.parameters.get(parameter)
            values = [
                each
                for each in (given if isinstance(given, list) else [given])
                if isinstance(each, str) and each
            ]
            yield from (each if each.startswith("arn:") else ending.format(each) for each in values)
            if values:
                return

    def _context(self, call: Call) -> Mapping[str, str]:
        """Condition keys of the service, as far as a call has them."""
        given = {
            key: str(call.parameters[parameter])
            for key, parameter in self.condition_keys.items()
            if parameter in call.parameters
        }
        tags = call.parameters.get("Tags") or call.parameters.get("tags")
        if isinstance(tags, list):
            for tag in (each for each in tags if isinstance(each, dict)):  # names, when taken away
                name, value = tag.get("Key", tag.get("key")), tag.get("Value", tag.get("value"))
                given[f"aws:requesttag/{str(name).lower()}"] = str(value)
        return given


def permissions_of(service: str, known: Mapping[str, ServicePermissions]) -> ServicePermissions:
    """A service's, by boto3's name for it; of one that nobody knows, the usual.

    Its actions are named as its requests are signed: ``es:`` of OpenSearch, ``bedrock:`` of its
    runtime. That is not so of every service: IoT's data is ``iot:``, and signed for ``iotdata``.
    """
    return known.get(service) or ServicePermissions(prefix=service_model(service).signing_name)


def first(parameters: Mapping[str, Any], *names: str) -> str | None:
    """The first of these parameters that is a text, and not empty."""
    found = (parameters.get(name) for name in names)
    return next((value for value in found if isinstance(value, str) and value), None)


def _arns(parameters: Mapping[str, Any], path: str) -> Iterator[str]:
    name, _, rest = path.partition(".")
    found = parameters.get(name)
    if rest:
        for each in found if isinstance(found, list) else [found]:
            if isinstance(each, Mapping):
                yield from _arns(each, rest)
    elif isinstance(found, str) and found.startswith("arn:"):
        yield found

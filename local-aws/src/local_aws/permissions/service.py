"""What the calls of one service need to be allowed, said by whoever knows the service.

Sources: the service authorization reference for actions, resources and condition keys; "Common
errors" of each service's API reference for how it refuses; read 2026-11-21.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from local_aws.arn import Arn, arn_in
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call

from .need import Need

Resources = Callable[[Call], Iterator[str]]
"""What a call is about: ARNs, or how they end after the account; none is ``*``."""

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
    policy. ``document_of`` finds the policies of the service's resources. A call that nothing is
    known of is about ``*``: then only a statement on ``*`` lets it, as on AWS for operations that
    know no resources.
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
    judges_owner: bool = False
    """Whether a resource's policy may forbid something even to the account's own user."""

    def needs(self, call: Call, account: str) -> Sequence[Need]:
        """Everything that must be allowed for this call, in the order in which AWS judges it."""
        if call.operation in self.open:
            return ()
        action = f"{self.prefix}:{self.actions.get(call.operation, call.operation)}"
        context = self._context(call)
        found = list(self._resources(call, account)) or ["*"]
        return [Need(action, resource, context, quoted=False) for resource in found]

    def needs_if_absent(self, call: Call, account: str) -> Sequence[Need]:
        """What one needs beside to be told that something is not there, if it is not."""
        return ()

    def _resources(self, call: Call, account: str) -> Iterator[str]:
        for named in self._named(call):
            is_arn = named.startswith("arn:")
            yield named if is_arn else arn_in(call.region, self.prefix, account, named)

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
            for tag in tags:
                name, value = tag.get("Key", tag.get("key")), tag.get("Value", tag.get("value"))
                given[f"aws:requesttag/{str(name).lower()}"] = str(value)
        return given


def permissions_of(service: str, known: Mapping[str, ServicePermissions]) -> ServicePermissions:
    """A service's, by boto3's name for it; of one that nobody knows, the usual."""
    return known.get(service) or ServicePermissions(prefix=service)


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

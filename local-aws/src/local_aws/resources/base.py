"""What every resource type offers the engine: create, complete, update, delete."""

from __future__ import annotations

import secrets
import string
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, TypeVar

from local_aws.context import LocalContext
from local_aws.schemas import Place

POLL_SECONDS = 0.1
"""Between two looks at a resource that takes time, once the first, quicker ones are over."""

FIRST_POLL_SECONDS = 0.005
"""Between the first two looks; each pause after it is twice as long."""

Properties = Mapping[str, Any]
Attributes = dict[str, Any]
Result = TypeVar("Result")


class ResourceFailed(Exception):
    """A resource could not be made, changed or deleted; the message is the reason shown.

    ``code`` is the handler error code that CloudFormation prints beside it, None for what it
    says in its own words.
    """

    def __init__(self, message: str, *, code: str | None = "GeneralServiceException") -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class Cancelled(Exception):
    """The operation was stopped while this resource was being worked on."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """A resource that says all of itself at once: its physical id, which an update may change,
    its attributes, and whether they are not to be shown."""

    physical_id: str
    attributes: Attributes
    no_echo: bool = False


def _claim_nothing(physical_id: str) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Request:
    """One thing to do with one resource.

    ``previous`` are the properties that the physical resource has now: nothing
    while it is being created. ``claim`` gives a resource its physical id before it is known to
    exist, so that what is made of it can be deleted even if making it fails. ``express``: a
    resource is made or changed once its service has taken the call, and becomes ready by itself.
    """

    context: LocalContext
    region: str
    stack_name: str
    stack_id: str
    logical_id: str
    type_name: str
    properties: Properties
    previous: Properties = field(default_factory=dict)
    physical_id: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    express: bool = False
    stop: Event = field(default_factory=Event, repr=False)
    claim: Callable[[str], None] = field(default=_claim_nothing, repr=False)

    def client(self, service: str) -> Any:
        """The boto3 client of a service in the stack's region."""
        return self.context.client(service, self.region)

    def changed(self, *names: str) -> bool:
        """Whether any of these properties differs from what the resource has now."""
        return any(self.properties.get(name) != self.previous.get(name) for name in names)

    def name(self, limit: int, *, stack: bool = True, lower: bool = False) -> str:
        """A generated physical name of at most ``limit`` characters, ending in random ones."""
        name = physical_name(self.stack_name if stack else "", self.logical_id, limit)
        return name.lower() if lower else name

    def wait(self, look: Callable[[], Result | None], *, limit_seconds: float, what: str) -> Result:
        """Look until something other than None is seen.

        Raises ResourceFailed (NotStabilized) after ``limit_seconds`` and Cancelled when the
        operation is stopped; ``what`` says what was waited for.
        """
        deadline = time.monotonic() + limit_seconds
        pause = FIRST_POLL_SECONDS
        while True:
            seen = look()
            if seen is not None:
                return seen
            if time.monotonic() > deadline:
                raise ResourceFailed(
                    f"{what} took longer than {limit_seconds:g} seconds", code="NotStabilized"
                )
            if self.stop.wait(pause):
                raise Cancelled
            pause = min(2 * pause, POLL_SECONDS)


class Provider(ABC):
    """How one resource type is carried out.

    ``create`` gives the physical id (which is also the Ref value) as soon as the
    resource exists, so that whatever fails later can be undone; ``complete`` then
    configures it and waits. ``delete`` of what is already gone succeeds. A provider that
    answers `Made` needs no ``complete``.
    """

    type_name: str
    name_property: str | None = None
    """The property by which a template names the resource itself."""
    not_carried_out: frozenset[str] = frozenset()
    """Properties that are refused before anything is made: ``Tags``, ``Rules.Prefix``."""
    without_effect: frozenset[str] = frozenset()
    """Properties that nothing here follows, and whose effect on AWS could not be seen here: they
    are kept and told, and refused where the local AWS is strict."""
    judged_whole = False
    """Whether its schema judges every value, rather than which properties there are."""
    whole = "*"
    """What `only_kept` says of a type that is nothing but kept."""
    unchangeable: frozenset[str] = frozenset()
    """Properties that AWS changes in place and ``update`` does not."""
    live: frozenset[str] = frozenset()
    """Attributes that other resources change: `attributes_now` gives them when asked for."""
    adopts: bool = False
    """Whether `adopt` takes what exists already into a stack: where nothing differs from
    ``request.previous``, ``complete`` changes nothing."""
    settles: bool = False
    """Whether it becomes ready only after the call that makes or changes it, which
    `Request.express` does not wait for."""
    takes_long: bool = False
    """Whether ``create`` waits for somebody, rather than only calling a service."""

    @abstractmethod
    def create(self, request: Request) -> str | Made:
        """Make the resource; its physical id."""

    def complete(self, request: Request) -> Attributes:
        """Configure what was made and wait until it is ready; its attributes."""
        return {}

    def adopt(self, request: Request) -> Attributes:
        """The attributes of a resource that somebody else has made, which is not changed.

        Raises botocore's ClientError when there is none.
        """
        self.read(request)
        return self.complete(request)

    def attributes_now(self, request: Request) -> Attributes:
        """The attributes, as they are now."""
        return dict(request.attributes)

    @abstractmethod
    def update(self, request: Request) -> Attributes | Made:
        """Change the resource from ``request.previous``; its attributes."""

    def restore(self, request: Request) -> Attributes | Made:
        """Change the resource back to what it was before its update; its attributes."""
        return self.update(request)

    def finish(self, request: Request) -> None:
        """Let go of what an update kept for its rollback: the stack's cleanup has begun."""
        return

    def read(self, request: Request) -> Mapping[str, Any] | None:
        """What the service says of the resource, by the properties' names in any case; None when
        it cannot be read back. Raises botocore's ClientError when it is gone."""
        return None

    def refuse_unchangeable(self, previous: Properties, wanted: Properties) -> None:
        """Raise ResourceFailed for a change that ``update`` cannot make; nothing is changed yet."""
        for name in sorted(self.unchangeable):
            if previous.get(name) != wanted.get(name):
                raise ResourceFailed(
                    f"the local AWS cannot change {name} of {self.type_name} in place",
                    code="NotUpdatable",
                )

    @abstractmethod
    def delete(self, request: Request) -> None:
        """Delete the resource, whose properties are ``request.properties``."""

    def refused(self, context: LocalContext, region: str, places: Iterable[Place]) -> list[str]:
        """Those of the places, each after what it is in, that are not carried out, dotted.

        What is in a refused one goes with it. Those of `only_kept` are among them where the local
        AWS is strict.
        """
        lost = self._lost(context, region, places)
        return [name for name in lost if context.strict or not self._is_without_effect(name)]

    def only_kept(self, context: LocalContext, region: str, places: Iterable[Place]) -> list[str]:
        """Those of the places that are kept and told, dotted; `whole` for all there is."""
        lost = self._lost(context, region, places)
        return [name for name in lost if self._is_without_effect(name)]

    def _lost(self, context: LocalContext, region: str, places: Iterable[Place]) -> list[str]:
        found: list[Place] = []
        for place in places:
            within = any(place[: len(each)] == each for each in found)
            if not within and not self.supports(context, region, place):
                found.append(place)
        return [".".join(place) for place in found]

    def _is_without_effect(self, name: str) -> bool:
        return name in self.without_effect

    def supports(self, context: LocalContext, region: str, place: Place) -> bool:
        """Whether the property at ``place``, in one that is carried out, is so, too."""
        name = ".".join(place)
        return name not in self.not_carried_out and name not in self.without_effect

    def kept_by_value(self, properties: Properties) -> list[str]:
        """What is only kept of a resource of these values: `whole` of one that is about something
        that the local AWS itself only keeps, as an event source mapping of a stream is."""
        return []

    def problems(self, properties: Properties) -> Iterable[str]:
        """What the local AWS cannot carry out of these values, each a clause of its own.

        Values that only the deployment will know are not judged.
        """
        return ()

    def lacks(self, context: LocalContext, region: str, properties: Properties) -> Iterable[str]:
        """What this machine lacks for these values and could not get, each a clause of its own.

        Asked once, before anything is made; it may take seconds to get what is needed.
        """
        return ()


def physical_name(stack_name: str, logical_id: str, limit: int) -> str:
    """A name of at most ``limit`` characters, ending in random ones; "" names no stack."""
    suffix = "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(12))
    room = limit - len(suffix) - 1
    head = f"{stack_name[: room // 2]}-" if stack_name else ""
    return f"{head}{logical_id[: room - len(head)]}-{suffix}"

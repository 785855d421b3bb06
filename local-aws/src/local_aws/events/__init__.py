"""Events that services send to one another: who takes them, by the service in a target's ARN."""

from __future__ import annotations

from typing import Any, Protocol

from local_aws.arn import Arn


class Taker(Protocol):
    """A service's way to take an event."""

    def __call__(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> None:
        """Give the target ``arn`` an event, as ``service`` does (``sns.amazonaws.com``).

        ``source_arn`` is what sends it, ``role_arn`` the role that the sender has for it. An event
        that cannot be taken is dropped, and that is logged: the sender on AWS is told no more.
        """


class Targets:
    """What events can be brought to beside what the emulator knows itself."""

    def __init__(self) -> None:
        self._takers: dict[str, Taker] = {}

    def add(self, service: str, taker: Taker) -> None:
        """Have ``taker`` take what goes to ARNs of a service: ``lambda``, ``states``."""
        self._takers[service] = taker

    def has(self, arn: str) -> bool:
        """Whether events to this target are taken here."""
        return _service(arn) in self._takers

    def deliver(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None = None
    ) -> None:
        """Give the event to whoever takes it; see `Taker`. KeyError for a target of no taker."""
        taker = self._takers[_service(arn)]
        taker(arn, event, service=service, source_arn=source_arn, role_arn=role_arn)


def _service(arn: str) -> str:
    return Arn.parse(arn).service

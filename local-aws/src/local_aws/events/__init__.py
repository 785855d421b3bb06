"""Events that services send to one another: who takes them, by the service in a target's ARN."""

from __future__ import annotations

import logging
from typing import Any, Protocol

from local_aws.arn import Arn


class Taker(Protocol):
    """A service's way to take an event."""

    def __call__(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> bool:
        """Give the target ``arn`` an event, as ``service`` does (``sns.amazonaws.com``).

        ``source_arn`` is what sends it, ``role_arn`` the role that the sender has for it. Whether
        it was taken: if not, it is dropped, and that is logged.
        """


class Targets:
    """What events can be brought to beside what the emulator knows itself."""

    def __init__(self) -> None:
        self._takers: dict[tuple[str, str], Taker] = {}

    def add(self, account: str, service: str, taker: Taker) -> None:
        """Have ``taker`` take what goes to ARNs of an account and a service: ``lambda``."""
        self._takers[account, service] = taker

    def has(self, arn: str) -> bool:
        """Whether events to such a target are taken here."""
        return any(service == Arn.parse(arn).service for _, service in self._takers)

    def deliver(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None = None
    ) -> bool:
        """Give the event to whoever takes it; see `Taker`. That nobody does is logged."""
        target = Arn.parse(arn)
        taker = self._takers.get((target.account, target.service))
        if taker is None:
            _log.warning("an event of %s was lost: the local AWS has no %s", source_arn, arn)
            return False
        return taker(arn, event, service=service, source_arn=source_arn, role_arn=role_arn)


_log = logging.getLogger(__name__)

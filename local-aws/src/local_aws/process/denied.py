"""The calls that a local AWS denied: whose, what, how often, and what would let them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from local_aws.errors import DeployFailed
from local_aws.process.address import Address


@contextmanager
def telling_denied_calls(address: Address, say: Callable[[str], None]) -> Iterator[None]:
    """Says at the end of the block, a line each, which calls were denied meanwhile.

    Also when the block's deploy fails, of which they may be the reason.
    """
    before = denied_until_now(address)
    try:
        yield
    except DeployFailed:
        _say(denied_until_now(address) - before, say)
        raise
    _say(denied_until_now(address) - before, say)


@dataclass(frozen=True, kw_only=True, order=True)
class Denied:
    """One kind of denied call: ``who`` is the ARN of a role or user, or a service's name."""

    who: str
    action: str
    resource: str
    reason: str

    def __str__(self) -> str:
        return f"{self.who} may not {self.action} on {self.resource}, {self.reason}; {self._remedy}"

    @property
    def _remedy(self) -> str:
        if "explicit deny" in self.reason:
            return "take the statement that denies it out, or call it no more"
        if self.action == "sts:AssumeRole":
            return "name the caller in the role's trust policy"
        return f"grant {self.action} on {self.resource}"


def denied_calls(judged: Iterable[Mapping[str, Any]]) -> Counter[Denied]:
    """How often each call was denied, of what ``/_local/permissions`` answers."""
    found: Counter[Denied] = Counter()
    for each in judged:
        if not each["allowed"]:
            kind = Denied(
                who=each["role"] or each["principal"],
                action=each["action"],
                resource=each["resource"],
                reason=each["reason"],
            )
            found[kind] += each["count"]
    return found


def denied_until_now(address: Address) -> Counter[Denied]:
    """How often each call was denied since the local AWS began; nothing where it has ended."""
    try:
        with address.open("/_local/permissions") as answer:
            return denied_calls(json.load(answer))
    except (OSError, ValueError):  # it ended meanwhile, which is said elsewhere
        return Counter()


def _say(denied: Counter[Denied], say: Callable[[str], None]) -> None:
    for each, count in sorted(denied.items()):
        times = "once" if count == 1 else f"{count} times"
        say(f"denied {times}, as it would be on AWS: {each}")

"""Who calls, and whom a policy names.

Source: IAM user guide, "AWS JSON policy elements: Principal".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from local_aws.arn import Arn

EVERYONE = "*"


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A caller: a role's session, the account's own user, or a service of AWS.

    ``arn`` is the session's or the user's and "" for a service; ``role_arn`` is
    "" for all but sessions; ``service`` is as policies name it
    (``sagemaker.amazonaws.com``) and "" for all others.
    """

    account: str
    arn: str = ""
    role_arn: str = ""
    service: str = ""

    @property
    def root_arn(self) -> str:
        """The account as policies name it; "" for a service and for nobody."""
        own = Arn.parse(self.arn)
        return str(Arn(own.partition, "iam", "", self.account, "root")) if self.arn else ""

    @property
    def names(self) -> frozenset[str]:
        """Everything that a policy may call it."""
        everything = (self.arn, self.role_arn, self.root_arn, self.account, self.service)
        known = frozenset(name for name in everything if name)
        return known - {self.account} if self.service else known


@dataclass(frozen=True)
class Principals:
    """A statement's Principal or NotPrincipal."""

    named: frozenset[str]
    negated: bool = False

    @classmethod
    def parse(cls, statement: Mapping[str, Any]) -> Principals | None:
        """Read both spellings; None for a statement of an identity's policy."""
        for element, negated in (("Principal", False), ("NotPrincipal", True)):
            if element in statement:
                return cls(frozenset(_listed(statement[element])), negated)
        return None

    def include(self, who: Principal) -> bool:
        """Whether the statement is about this caller."""
        return bool(self.names(who))

    def names(self, who: Principal) -> frozenset[str]:
        """By which of its names the caller is meant; ``*`` when everyone is."""
        if self.negated:
            return frozenset() if self.named & who.names else frozenset({EVERYONE})
        return self.named & (who.names | {EVERYONE})


def _listed(element: Any) -> list[str]:
    """``"*"``, ``{"AWS": "…"}`` and ``{"AWS": ["…"], "Service": …}`` alike."""
    if isinstance(element, str):
        return [element]
    return [
        name
        for value in element.values()
        for name in (value if isinstance(value, list) else [value])
    ]

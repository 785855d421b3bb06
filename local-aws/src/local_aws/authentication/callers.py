"""A request's caller, and what stands for one: the holder of an access key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from local_aws.authentication.claims import claimed_scope


class Holder(Protocol):
    """Whoever an access key was given to.

    ``session_token`` is "" for a lasting key. ``expires_at`` is in seconds since the epoch, None
    for a key without an end.
    """

    @property
    def access_key_id(self) -> str:
        """``AKIA…``, or ``ASIA…`` for a session's."""

    @property
    def secret_access_key(self) -> str:
        """What requests are signed with."""

    @property
    def session_token(self) -> str:
        """What a session's requests carry beside their signature."""

    @property
    def expires_at(self) -> float | None:
        """When the key is good for nothing any more."""


H = TypeVar("H", bound=Holder)

Holders = Callable[[str], H | None]
"""The holder of an access key by its id; None when nobody has it, or it is turned off."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """The region and service that a request says it is signed for; service "" without a signature.

    Said, not shown: only a `Caller`'s scope is verified.
    """

    region: str
    service: str

    @classmethod
    def said_by(cls, environ: dict[str, Any], default_region: str) -> Scope:
        """Read it from the Authorization header or the URL of a WSGI request."""
        region, service = claimed_scope(environ)
        return cls(region=region or default_region, service=service)


@dataclass(frozen=True, kw_only=True)
class Caller(Generic[H]):
    """Who calls, and for which region and service the request is verified to be signed.

    ``holder`` is None for what needs no signature: then ``service`` is the one of `unsigned`
    that it goes to.
    """

    holder: H | None
    region: str
    service: str

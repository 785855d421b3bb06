"""Who issues tokens that APIs verify, and the public keys with which.

A user pool of the local AWS says its keys itself. Any other issuer publishes them, as OpenID
Connect Discovery 1.0 has it: at the ``jwks_uri`` of its ``/.well-known/openid-configuration``.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

JsonWebKeys = Mapping[str, Any]
"""A JSON Web Key Set (RFC 7517): ``{"keys": […]}``."""

_KEPT_SECONDS = 2 * 60 * 60
"""How long API Gateway may keep an issuer's keys (API Gateway developer guide, "Control access to
HTTP APIs with JWT authorizers")."""

_PATIENCE_SECONDS = 5


class NoKeys(Exception):
    """An issuer's keys cannot be had; the message says why."""


class Issuers:
    """Those of one local AWS. ``own`` are asked first, each for an issuer's keys by its address;
    None is that it is not theirs."""

    def __init__(self) -> None:
        self.own: list[Callable[[str], JsonWebKeys | None]] = []
        self._kept: dict[str, tuple[float, JsonWebKeys]] = {}
        self._lock = threading.Lock()

    def keys_of(self, issuer: str) -> JsonWebKeys:
        """The issuer's keys. Raises `NoKeys`."""
        for ask in self.own:
            keys = ask(issuer)
            if keys is not None:
                return keys
        with self._lock:
            until, kept = self._kept.get(issuer, (0.0, {}))
            if time.monotonic() >= until:
                kept = _published(issuer)
                self._kept[issuer] = (time.monotonic() + _KEPT_SECONDS, kept)
            return kept


def _published(issuer: str) -> JsonWebKeys:
    found = _read(f"{issuer.rstrip('/')}/.well-known/openid-configuration")
    keys = _read(str(found.get("jwks_uri", "")))
    if not isinstance(keys.get("keys"), list):
        raise NoKeys(f"the jwks_uri of {issuer} has no keys")
    return keys


def _read(url: str) -> Mapping[str, Any]:
    import requests

    parts = urlsplit(url)
    is_here = parts.hostname in ("127.0.0.1", "localhost")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here):
        raise NoKeys(f"{url or 'the jwks_uri'} is no https address")
    try:
        with requests.Session() as session:
            session.trust_env = False
            answer = session.get(url, timeout=_PATIENCE_SECONDS)
            answer.raise_for_status()
            read = answer.json()
    except (requests.RequestException, ValueError) as error:
        raise NoKeys(f"{url} cannot be read: {error}") from None
    if not isinstance(read, dict):
        raise NoKeys(f"{url} has no JSON object")
    return read

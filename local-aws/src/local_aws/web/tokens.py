"""JSON Web Tokens, as API Gateway verifies them.

Source: API Gateway developer guide, "Control access to HTTP APIs with JWT authorizers": which
claims it looks at, and in which order. Of what it answers, the guide's
"Troubleshooting issues with HTTP API JWT authorizers" has the words for an audience alone; the
other reasons are unverified.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import Any

from local_aws.issuers import Issuers, NoKeys

_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512")
"""Only those based on RSA are supported (same guide)."""


class BadToken(Exception):
    """A token is not let in; the message says why."""


class Expired(BadToken):
    """It was valid once."""


def verified(token: str, issuers: Issuers, issuer: str) -> dict[str, Any]:
    """The claims of a token that ``issuer`` has signed and that is valid now. Raises `BadToken`."""
    from joserfc import jwk, jwt
    from joserfc.errors import JoseError

    try:
        keys = jwk.KeySet.import_key_set(issuers.keys_of(issuer))  # type: ignore[arg-type]
        read = jwt.decode(token, keys, algorithms=_ALGORITHMS)
    except NoKeys as error:
        raise BadToken(str(error)) from None
    except (JoseError, ValueError, TypeError, KeyError):
        raise BadToken("the token is malformed or its signature is not the issuer's") from None
    if "kid" not in read.header:
        raise BadToken("the token names no key")
    claims: dict[str, Any] = read.claims
    if claims.get("iss") != issuer:
        raise BadToken("issuer does not match")
    _refuse_by_time(claims, time.time())
    return claims


def refuse_audience(claims: Mapping[str, Any], audience: Iterable[str]) -> None:
    """Raise `BadToken` unless the token is for one of ``audience``: ``client_id`` counts where
    there is no ``aud``."""
    meant = claims.get("aud", claims.get("client_id"))
    if not set(meant if isinstance(meant, list) else [meant]) & set(audience):
        raise BadToken("the token does not have a valid audience")


def scopes_of(claims: Mapping[str, Any]) -> list[str]:
    """What the token is good for: ``scope``, or ``scp``, a text or a list."""
    given = claims.get("scope", claims.get("scp")) or ()
    return given.split() if isinstance(given, str) else [str(each) for each in given]


def as_texts(claims: Mapping[str, Any]) -> dict[str, str]:
    """Claims as functions get them: all as text, lists in brackets (same guide; what is in lists
    is unverified)."""
    return {name: _text(value) for name, value in claims.items()}


def _refuse_by_time(claims: Mapping[str, Any], now: float) -> None:
    at = {name: claims[name] for name in ("exp", "nbf", "iat") if name in claims}
    if not all(isinstance(each, int | float) for each in at.values()):
        raise BadToken("exp, nbf and iat are numbers")
    if at.get("exp", 0) <= now:
        raise Expired("the token has expired")
    if at.get("nbf", now) > now or at.get("iat", now) > now:
        raise BadToken("the token is not valid yet")


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"[{' '.join(map(_text, value))}]"
    return value if isinstance(value, str) else json.dumps(value)

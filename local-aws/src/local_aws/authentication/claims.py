"""What a request says of its own signature: who made it, when, for what, over which headers.

Nothing is verified here. Sources: "Create a signed AWS API request" (IAM user guide), "Signature
Version 4" and "Authenticating requests using query parameters" (S3 API reference), and for
Version 2 "Signing and authenticating REST requests" (S3 user guide).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from typing import Any
from urllib.parse import unquote

from local_aws.authentication.refusals import Kind, Refused

ALGORITHM = "AWS4-HMAC-SHA256"
TERMINATOR = "aws4_request"
MAX_EXPIRES_SECONDS = 7 * 24 * 3600
INSIDE = "local_aws.inside"
"""In the WSGI environment of a request that the local AWS makes of itself; what a socket brings has
no way to say so."""

_VOUCHED = "Signature=vouched"


class Form(Enum):
    """Where a signature stands, and of which version it is. Version 2 is that of S3's presigned
    URLs alone."""

    HEADER = "header, version 4"
    QUERY = "query, version 4"
    QUERY_V2 = "query, version 2"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A signature and everything that it is said to stand for.

    ``stamp`` is the time as it is signed (``20261122T101500Z``), ``signed_at`` the same in
    seconds since the epoch. ``expires_at`` is a presigned URL's end, None for all others.
    """

    form: Form
    access_key_id: str
    signature: str
    region: str
    service: str
    signed_at: float
    stamp: str = ""
    expires_at: float | None = None
    signed_headers: Sequence[str] = ()
    session_token: str = ""


def vouched(access_key_id: str, region: str, service: str) -> str:
    """The Authorization header of a request that stays inside, and so needs no signature."""
    day = datetime.now(UTC).strftime("%Y%m%d")
    scope = f"{day}/{region}/{service}/{TERMINATOR}"
    return f"{ALGORITHM} Credential={access_key_id}/{scope}, SignedHeaders=host, {_VOUCHED}"


def vouched_claim(environ: Mapping[str, Any]) -> Claim | None:
    """The claim of a request that has stayed inside; None for every other."""
    authorization = environ.get("HTTP_AUTHORIZATION", "")
    if not environ.get(INSIDE) or not authorization.endswith(_VOUCHED):
        return None
    found = _CREDENTIAL.search(authorization)
    assert found is not None
    key, _, region, service, _ = found[1].split("/")
    return Claim(
        form=Form.HEADER,
        access_key_id=key,
        signature="",
        region=region,
        service=service,
        signed_at=0.0,
        session_token=environ.get("HTTP_X_AMZ_SECURITY_TOKEN", ""),
    )


def claim_of(
    environ: dict[str, Any], headers: Mapping[str, str], query: Sequence[tuple[str, str]]
) -> Claim | None:
    """The claim of a request; None when it has no signature at all.

    Raises `Refused` for one that is incomplete, or for more than one.
    """
    authorization = environ.get("HTTP_AUTHORIZATION", "").strip()
    named = {name for name, _ in query} & _SIGNING_PARAMETERS
    if len([name for name, _ in query if name in _SIGNING_PARAMETERS]) != len(named):
        raise Refused(Kind.INCOMPLETE, "a parameter of the signature stands in the URL twice")
    parameters = {name: value for name, value in query if name in _SIGNING_PARAMETERS}
    if authorization and named & _SIGNATURES:
        raise Refused(Kind.INCOMPLETE, _ONE_ONLY)
    if authorization.startswith("AWS4-"):
        return _from_header(authorization, headers)
    if authorization:
        raise Refused(Kind.INCOMPLETE, f"Unsupported authorization type: {authorization[:20]}")
    if "X-Amz-Algorithm" in parameters or "X-Amz-Signature" in parameters:
        return _from_query(parameters)
    if "Signature" in parameters:
        return _from_query_v2(parameters, headers)
    return None


def claimed_scope(environ: Mapping[str, Any]) -> tuple[str, str]:
    """Region and service that a request says it is signed for; two times "" when it says none."""
    authorization = environ.get("HTTP_AUTHORIZATION", "")
    query = environ.get("QUERY_STRING", "")
    found = _CREDENTIAL.search(authorization) or _CREDENTIAL_IN_QUERY.search(query)
    if found is not None:
        parts = unquote(found[1]).split("/")
        return (parts[2], parts[3].lower()) if len(parts) == 5 else ("", "")
    is_v2 = authorization.startswith("AWS ") or "AWSAccessKeyId=" in query
    return ("", "s3" if is_v2 else "")


_CREDENTIAL = re.compile(r"Credential=([^,\s]+)")
_CREDENTIAL_IN_QUERY = re.compile(r"(?:^|&)X-Amz-Credential=([^&]+)")
_SIGNATURES = frozenset({"X-Amz-Algorithm", "X-Amz-Signature", "Signature"})
_SIGNING_PARAMETERS = _SIGNATURES | {
    *("X-Amz-Credential", "X-Amz-Date", "X-Amz-Expires", "X-Amz-SignedHeaders"),
    *("X-Amz-Security-Token", "AWSAccessKeyId", "Expires", "x-amz-security-token"),
}
_ONE_ONLY = (
    "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query "
    "string parameter or the Authorization header should be specified"
)


def _from_header(authorization: str, headers: Mapping[str, str]) -> Claim:
    algorithm, _, rest = authorization.partition(" ")
    if algorithm != ALGORITHM:
        raise Refused(Kind.INCOMPLETE, f"the local AWS verifies {ALGORITHM}, not {algorithm[:40]}")
    fields = dict(part.strip().partition("=")[::2] for part in rest.split(","))
    missing = [
        name for name in ("Credential", "SignedHeaders", "Signature") if not fields.get(name)
    ]
    if missing:
        said = " ".join(f"Authorization header requires '{name}' parameter." for name in missing)
        raise Refused(Kind.INCOMPLETE, f"{said} Authorization={authorization[:80]}")
    stamp = headers.get("x-amz-date") or headers.get("date", "")
    signed_at = _time_of(stamp)
    if signed_at is None:
        raise Refused(
            Kind.INCOMPLETE,
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
        )
    stamp = datetime.fromtimestamp(signed_at, UTC).strftime("%Y%m%dT%H%M%SZ")
    key, region, service = _credential(fields["Credential"], stamp)
    return Claim(
        form=Form.HEADER,
        access_key_id=key,
        signature=fields["Signature"],
        region=region,
        service=service,
        signed_at=signed_at,
        stamp=stamp,
        signed_headers=_names(fields["SignedHeaders"]),
        session_token=headers.get("x-amz-security-token", ""),
    )


def _from_query(parameters: Mapping[str, str]) -> Claim:
    needed = ("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders")
    missing = [name for name in (*needed, "X-Amz-Signature") if not parameters.get(name)]
    if missing:
        raise Refused(
            Kind.INCOMPLETE_QUERY, f"the presigned URL has no {', '.join(missing)} parameter"
        )
    if parameters["X-Amz-Algorithm"] != ALGORITHM:
        raise Refused(Kind.INCOMPLETE_QUERY, f"X-Amz-Algorithm only supports {ALGORITHM}")
    stamp = parameters["X-Amz-Date"]
    signed_at = _time_of(stamp)
    if signed_at is None:
        raise Refused(
            Kind.INCOMPLETE_QUERY,
            "X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"",
        )
    key, region, service = _credential(parameters["X-Amz-Credential"], stamp)
    return Claim(
        form=Form.QUERY,
        access_key_id=key,
        signature=parameters["X-Amz-Signature"],
        region=region,
        service=service,
        signed_at=signed_at,
        stamp=stamp,
        expires_at=signed_at + _seconds(parameters.get("X-Amz-Expires"), service),
        signed_headers=_names(parameters["X-Amz-SignedHeaders"]),
        session_token=parameters.get("X-Amz-Security-Token", ""),
    )


def _from_query_v2(parameters: Mapping[str, str], headers: Mapping[str, str]) -> Claim:
    key, expires = parameters.get("AWSAccessKeyId", ""), parameters.get("Expires", "")
    if not key or not expires.isascii() or not expires.isdigit() or len(expires) > 12:
        raise Refused(
            Kind.DENIED,
            "Query-string authentication requires the Signature, Expires and AWSAccessKeyId "
            "parameters",
        )
    return Claim(
        form=Form.QUERY_V2,
        access_key_id=key,
        signature=parameters["Signature"],
        region="",
        service="s3",
        signed_at=0,
        stamp=expires,
        expires_at=float(expires),
        session_token=parameters.get(
            "x-amz-security-token", headers.get("x-amz-security-token", "")
        ),
    )


def _credential(text: str, stamp: str) -> tuple[str, str, str]:
    """Key id, region and service of ``<key>/<date>/<region>/<service>/aws4_request``."""
    parts = text.split("/")
    if len(parts) != 5 or not all(parts):
        raise Refused(
            Kind.INCOMPLETE,
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            f"keyid/date/region/service/term, got '{text[:80]}'",
        )
    key, date, region, service, terminator = parts
    if terminator != TERMINATOR:
        raise Refused(
            Kind.MISMATCH,
            f"Credential should be scoped with a valid terminator: '{TERMINATOR}', "
            f"not '{terminator[:40]}'.",
        )
    if date != stamp[:8]:
        raise Refused(
            Kind.MISMATCH,
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
            f"HTTP: '{date[:20]}' != '{stamp[:8]}', from '{stamp[:20]}'.",
        )
    return key, region, service.lower()


def _seconds(text: str | None, service: str) -> int:
    """How long a presigned URL is good for; services other than S3 have a quarter of an hour."""
    if text is None and service != "s3":
        return 15 * 60
    number = text if text is not None and text.isascii() and text.isdigit() else ""
    if not number or not 0 < int(number[:12]) <= MAX_EXPIRES_SECONDS:
        raise Refused(
            Kind.INCOMPLETE_QUERY,
            "X-Amz-Expires must be a number of seconds from 1 to less than a week (in seconds); "
            f"that is, the given X-Amz-Expires must be at most {MAX_EXPIRES_SECONDS}",
        )
    return int(number)


def _names(text: str) -> Sequence[str]:
    return tuple(name.strip().lower() for name in text.split(";") if name.strip())


def _time_of(text: str) -> float | None:
    """Seconds since the epoch of an ISO 8601 basic time or an HTTP date; None of all others."""
    if _STAMP.fullmatch(text):
        try:
            return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
        except ValueError:
            return None
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


_STAMP = re.compile(r"\d{8}T\d{6}Z", re.ASCII)

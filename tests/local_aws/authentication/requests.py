"""Requests as clients send them, without a network: signed by botocore, written as WSGI has it."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from unittest import mock
from urllib.parse import unquote

from botocore import auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.core.request import (
    PRESERVED_HEADER_NAMES_ENVIRON_KEY,
    environ_key_for_header,
    should_preserve_original_header_name,
)

from local_aws.authentication import Authenticator
from local_aws.permissions import RoleSession
from local_aws.permissions.identities import AnyCaller, Developer

HOST = "localhost:4570"
REGION = "eu-west-1"
NOW = 1_795_000_000.0
"""The time at which requests of these tests arrive."""

DEVELOPER = Developer(
    account="123456789012", access_key_id="AKIAIOSFODNN7EXAMPLE", secret_access_key="a/secret+key"
)
SESSION = RoleSession(
    role_arn="arn:aws:iam::123456789012:role/r",
    session_name="s",
    access_key_id="ASIAIOSFODNN7EXAMPLE",
    secret_access_key="another",
    session_token="to/ken+==",
    expires_at=NOW + 1000,
)
HOLDERS: Mapping[str, AnyCaller] = {each.access_key_id: each for each in (DEVELOPER, SESSION)}


def credentials(holder: AnyCaller = DEVELOPER) -> Credentials:
    """A holder's, as botocore's signers take them."""
    token = holder.session_token or None
    return Credentials(holder.access_key_id, holder.secret_access_key, token)


def authenticator(now: float = NOW) -> Authenticator[AnyCaller]:
    """One that knows `HOLDERS`, at some time."""
    return Authenticator(HOLDERS.get, "us-east-1", lambda: now)


@contextmanager
def signing_at(seconds: float) -> Iterator[None]:
    """A time for botocore's signers."""
    when = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    with (
        mock.patch.object(auth, "get_current_datetime", return_value=when),
        mock.patch.object(auth.time, "time", return_value=seconds),
    ):
        yield


def environ_of(request: AWSRequest) -> dict[str, Any]:
    """What the gateway's server makes of a request that botocore would send."""
    prepared = request.prepare()
    body = prepared.body or b""
    return environ(
        prepared.method,
        prepared.url.partition(HOST)[2] or "/",
        {"Host": HOST, **{name: _text(value) for name, value in prepared.headers.items()}},
        body if isinstance(body, bytes) else bytes(body),
    )


def environ(
    method: str, target: str, headers: Mapping[str, str], body: bytes = b""
) -> dict[str, Any]:
    """A request by its parts; ``target`` is still percent-encoded."""
    path, _, query = target.partition("?")
    made: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "RAW_URI": target,
        "PATH_INFO": unquote(path, "latin-1"),
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "wsgi.url_scheme": "http",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "4570",
        PRESERVED_HEADER_NAMES_ENVIRON_KEY: {},
    }
    for name, value in headers.items():
        key = environ_key_for_header(name)
        made[key] = value.encode().decode("latin-1")
        if should_preserve_original_header_name(name):
            made[PRESERVED_HEADER_NAMES_ENVIRON_KEY][key] = name
    return made


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value

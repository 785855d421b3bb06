"""Sends STS's calls where all others go: the SDK writes AWS's own address into its client."""

from __future__ import annotations

from typing import Any

from boto3.session import Session

_CLIENT = Session.client


def _client(self: Session, service_name: str, *given: Any, **named: Any) -> Any:
    if service_name == "sts":
        named.pop("endpoint_url", None)
    return _CLIENT(self, service_name, *given, **named)


Session.client = _client

"""The local AWS's own pages: for whoever can read the token in its folder."""

from __future__ import annotations

import hmac
from typing import Any

from local_aws.protocol import AwsError

PAGES = "/_local/"
"""Status, faults, judgements: nothing of AWS's."""


def require_token(environ: dict[str, Any], token: str) -> None:
    """Raise `AwsError` (401) unless a request has the header ``Authorization: Bearer <token>``."""
    said = environ.get("HTTP_AUTHORIZATION", "").encode("latin-1", "replace")
    if not hmac.compare_digest(said, f"Bearer {token}".encode()):
        raise AwsError(
            "MissingAuthenticationToken",
            f"{PAGES} is for whoever has the local AWS's token: send `Authorization: Bearer …` "
            "with the token of credentials.json in its folder",
            status=401,
        )

"""Who calls the gateway, from where, and which service."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from werkzeug import Request

from sagemaker_serving.local.protocol import AwsError


@dataclass(frozen=True)
class CredentialScope:
    """The region and service that a request was signed for; service "" when unsigned."""

    region: str
    service: str
    access_key_id: str = ""

    @classmethod
    def of(cls, request: Request, default_region: str) -> CredentialScope:
        """Read it from the Authorization header, or from a presigned URL's query."""
        signed = request.headers.get("Authorization", "")
        credential = _CREDENTIAL.search(signed)
        text = credential[1] if credential else unquote(request.args.get("X-Amz-Credential", ""))
        parts = text.split("/")
        if len(parts) != 5:
            return cls(default_region, "")
        return cls(parts[2], parts[3].lower(), parts[0])


_CREDENTIAL = re.compile(r"Credential=([^,\s]+)")


def refuse_strangers(request: Request) -> None:
    """Raise `AwsError` (403) unless the request was meant for this machine's gateway.

    A web page that a user happens to visit can send requests to the loopback;
    it betrays itself by its Origin, or, when it has its own name resolve to
    127.0.0.1, by its Host. S3's ``<bucket>.localhost`` is a name of this
    machine.
    """
    host = request.headers.get("Host", "")
    if not _is_here(host):
        raise AwsError(
            "AccessDeniedException",
            f"the Host header is '{host}'; the local AWS answers to localhost only",
            status=403,
        )
    origin = request.headers.get("Origin")
    if origin is not None and urlsplit(origin).netloc != host:
        raise AwsError(
            "AccessDeniedException",
            f"the Origin header is '{origin}'; the local AWS answers no other site's pages",
            status=403,
        )


def _is_here(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name in ("localhost", "127.0.0.1", "::1") or name.endswith(".localhost")

"""Which requests are for an API or a function URL, and which web pages may send them.

An API answers by its own name (``{id}.execute-api.{region}.localhost:PORT``, or AWS's, which a
client is led here with) and by a path of the gateway (``/_aws/execute-api/{id}/…``). What runs code
is not for every page that a developer visits: a page of another origin is let through to an API's
own name only, and only where the API's own CORS names that origin; on AWS, CORS only keeps the
answer from the page. Source: Fetch standard, "CORS protocol".
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

from werkzeug import Response

from local_aws.authentication.browsers import is_loopback, reject_other_sites
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.template.regions import region_names
from local_aws.web.request import WebRequest

PATH = "/_aws/"
EXECUTE_API, LAMBDA_URL = "execute-api", "lambda-url"

SCOPES = {EXECUTE_API: "execute-api", LAMBDA_URL: "lambda"}
"""What requests to either are signed for."""

_KINDS = f"{EXECUTE_API}|{LAMBDA_URL}"
_HOST = re.compile(
    rf"(?P<id>[a-z0-9]+)\.(?P<kind>{_KINDS})\.(?P<region>[a-z0-9-]+)"
    r"\.(localhost|amazonaws\.com(\.cn)?|on\.aws)"
)
_BELOW = re.compile(rf"{PATH}(?P<kind>{_KINDS})/(?P<id>[A-Za-z0-9]+)(?P<path>[/?].*)?")


class WebApi(Protocol):
    """One API or function URL."""

    host: str
    """Its name on AWS: ``abc.execute-api.eu-west-1.amazonaws.com``."""

    def lets_pages_of(self, origin: str, request: WebRequest) -> bool:
        """Whether the API's own CORS lets pages of this origin send such a request."""

    def answer(self, request: WebRequest) -> Response:
        """The answer, whatever it is."""


@dataclass(frozen=True, kw_only=True)
class WebAddress:
    """The address of an API or function URL: ``kind`` is `EXECUTE_API` or `LAMBDA_URL`.

    ``path`` is what of the request's target is the API's own, as sent; ``has_own_host`` is whether
    it was asked by its name.
    """

    kind: str
    id: str
    path: str
    has_own_host: bool


def web_address(environ: Mapping[str, Any]) -> WebAddress | None:
    """The API's address that a WSGI request is sent to; None for all other requests."""
    target = environ.get("RAW_URI") or environ["PATH_INFO"]
    if not target.startswith("/"):  # a client that takes this for its proxy names the whole URL
        parts = urlsplit(target)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    host = environ.get("HTTP_HOST", "")
    named = _HOST.fullmatch(host.partition(":")[0].lower())
    if named is not None:
        return WebAddress(kind=named["kind"], id=named["id"], path=target, has_own_host=True)
    below = _BELOW.fullmatch(target)
    if below is None or not is_loopback(host):
        return None
    path = below["path"] or "/"
    path = path if path.startswith("/") else f"/{path}"
    return WebAddress(kind=below["kind"], id=below["id"], path=path, has_own_host=False)


def refuse_foreign_pages(
    environ: Mapping[str, Any], address: WebAddress, api: WebApi, request: WebRequest
) -> None:
    """Raise `AwsError` (403) for what another site's page sends, unless the API's CORS lets it."""
    origin = environ.get("HTTP_ORIGIN")
    try:
        reject_other_sites(environ.get("HTTP_HOST", ""), origin, environ.get("HTTP_SEC_FETCH_SITE"))
    except AwsError as refused:
        if address.has_own_host and origin and api.lets_pages_of(origin, request):
            return
        said = (
            "ask the API by its own name, and have its CORS name that origin (a REST API's in an "
            "OPTIONS method of type MOCK)"
        )
        raise AwsError(refused.code, f"{refused.message}; {said}", status=403) from None


def json_answer(
    status: int, content: Mapping[str, Any], headers: Iterable[tuple[str, str]] = ()
) -> Response:
    """An answer of JSON, as the front of AWS's APIs gives it."""
    return Response(
        json.dumps(content, separators=(",", ":")),
        status,
        list(headers),
        mimetype="application/json",
    )


def web_host(kind: str, name: str, region: str) -> str:
    """The name of an API or function URL on AWS."""
    suffix = region_names(region)["AWS::URLSuffix"] if kind == EXECUTE_API else "on.aws"
    return f"{name}.{kind}.{region}.{suffix}"


def web_url(context: LocalContext, kind: str, name: str) -> str:
    """Where it answers on this machine, by a path of the gateway."""
    return f"{context.url}{PATH}{kind}/{name}"

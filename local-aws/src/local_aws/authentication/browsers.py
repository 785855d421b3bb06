"""Keeps web pages out: a browser is not a client of AWS's API.

A page that a developer happens to visit can send requests to the loopback. It betrays itself by
its Origin or by Sec-Fetch-Site; by its Host when it has a name of its own resolve to 127.0.0.1;
and a form by its content type. Sources: Fetch standard, "CORS-safelisted request-header" and
"Origin header"; Fetch Metadata Request Headers; RFC 6761, section 6.3.
"""

from __future__ import annotations

from ipaddress import AddressValueError, IPv4Address, IPv4Network
from typing import Any
from urllib.parse import urlsplit

from local_aws.protocol import AwsError

_LOOPBACK = IPv4Network("127.0.0.0/8")
_OF_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")
"""What a page may send to another site without asking it first."""


def reject_foreign_origin(environ: dict[str, Any]) -> None:
    """Raise `AwsError` (403) for what a page of another site has sent; only headers are looked at.

    A presigned URL of an object is made to be opened by pages: it is let through to where its
    signature is verified.
    """
    host = environ.get("HTTP_HOST", "")
    if not is_loopback(host):
        raise _denied(f"the Host header is '{host[:200]}'; the local AWS answers to localhost only")
    if not _is_presigned_read(environ):
        reject_other_sites(host, environ.get("HTTP_ORIGIN"), environ.get("HTTP_SEC_FETCH_SITE"))
    kind = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if kind in _OF_FORMS and environ["REQUEST_METHOD"] == "POST" and _is_no_form(environ, kind):
        raise _denied(
            f"the Content-Type header is '{kind}', as a form of a web page has it; the local AWS's "
            "API takes it from signed clients only, and only where AWS's own does"
        )


def reject_other_sites(host: str, origin: str | None, fetch_site: str | None) -> None:
    """Raise `AwsError` (403) when a browser says that another site's page sends the request."""
    if origin is not None and urlsplit(origin).netloc != host:
        raise _denied(
            f"the Origin header is '{origin[:200]}'; the local AWS answers no other site's pages"
        )
    if fetch_site is not None and fetch_site.strip().lower() not in ("same-origin", "none"):
        raise _denied(
            f"the Sec-Fetch-Site header is '{fetch_site[:200]}'; the local AWS answers no other "
            "site's pages"
        )


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine: localhost, ``*.localhost``, 127.0.0.0/8, [::1]."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name in ("localhost", "::1") or name.endswith(".localhost"):
        return True
    try:
        return IPv4Address(name) in _LOOPBACK
    except AddressValueError:
        return False


def _is_presigned_read(environ: dict[str, Any]) -> bool:
    query = environ.get("QUERY_STRING", "")
    return environ["REQUEST_METHOD"] in ("GET", "HEAD") and (
        "X-Amz-Signature=" in query or ("Signature=" in query and "AWSAccessKeyId=" in query)
    )


def _is_no_form(environ: dict[str, Any], kind: str) -> bool:
    """Whether AWS's API would not take a form here.

    Query APIs do, at the path ``/``; an object or a model's input may be of any type; and S3
    takes uploads from forms whose policy is signed.
    """
    query = environ.get("QUERY_STRING", "")
    is_signed = "HTTP_AUTHORIZATION" in environ or "Signature=" in query
    if environ["PATH_INFO"] != "/" or environ["HTTP_HOST"].partition(":")[0].endswith(".localhost"):
        return not is_signed and kind != "multipart/form-data"
    if kind != "application/x-www-form-urlencoded":
        return True
    return "HTTP_X_AMZ_TARGET" in environ


def _denied(message: str) -> AwsError:
    return AwsError("AccessDeniedException", message, status=403)

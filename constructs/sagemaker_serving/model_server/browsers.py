"""Keeps web pages away from the ports that a developer's programs use.

What tells a page: its Origin, Sec-Fetch-Site, and a Host of its own that resolves to the loopback
(Fetch standard, Fetch Metadata Request Headers).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from ipaddress import AddressValueError, IPv4Address
from urllib.parse import urlsplit

from aiohttp import web

Handle = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


def without_browsers(handle: Handle) -> Handle:
    """``handle`` for all but other sites' pages, which get a 403 before anything is read."""

    async def guarded(request: web.BaseRequest) -> web.StreamResponse:
        why = foreign(request.headers)
        if why is None:
            return await handle(request)
        return web.json_response({"error": why}, status=403)

    return guarded


def foreign(headers: Mapping[str, str]) -> str | None:
    """Why a request with these headers is another site's; None when it is not."""
    host, origin = headers.get("Host"), headers.get("Origin")
    # No page can leave it out, and a request of HTTP/1.0 may.
    if host is not None and not _is_loopback(host):
        return f"the Host header is '{host[:200]}'; this server answers to localhost only"
    if origin is not None and urlsplit(origin).netloc != host:
        return f"the Origin header is '{origin[:200]}'; this server answers no web pages"
    site = headers.get("Sec-Fetch-Site", "none").strip().lower()
    if site not in ("same-origin", "none"):
        return f"the Sec-Fetch-Site header is '{site[:200]}'; this server answers no web pages"
    return None


def _is_loopback(host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name in ("localhost", "::1") or IPv4Address(name).is_loopback
    except (ValueError, AddressValueError):
        return False

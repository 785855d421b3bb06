"""CORS as HTTP APIs and function URLs are told it, which they carry out themselves.

Sources: API Gateway developer guide, "Configure CORS for HTTP APIs"; Lambda developer guide,
"Cross-origin resource sharing (CORS)" of function URLs.
"""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from local_aws.web.request import WebRequest


def lets(cors: Mapping[str, Any], origin: str, method: str) -> bool:
    """Whether pages of ``origin`` may send requests of this method, or ask whether they may."""
    methods = [each.upper() for each in cors.get("AllowMethods") or ()]
    is_known = any(fnmatchcase(origin, each) for each in cors.get("AllowOrigins") or ())
    return is_known and (method == "OPTIONS" or "*" in methods or method in methods)


def is_preflight(request: WebRequest) -> bool:
    """Whether a browser asks what it may send."""
    return request.method == "OPTIONS" and bool(request.header("Access-Control-Request-Method"))


def headers_for(cors: Mapping[str, Any], request: WebRequest) -> dict[str, str]:
    """What the answer to a request says of CORS; nothing to one without an Origin that is let."""
    origin = request.header("Origin")
    preflight = is_preflight(request)
    method = request.header("Access-Control-Request-Method") if preflight else "OPTIONS"
    if not origin or not lets(cors, origin, method):
        return {}
    anyone = "*" in (cors.get("AllowOrigins") or ())
    found = {"access-control-allow-origin": "*" if anyone else origin}
    if not anyone:
        found["vary"] = "Origin"
    if cors.get("AllowCredentials"):
        found["access-control-allow-credentials"] = "true"
    if cors.get("ExposeHeaders"):
        found["access-control-expose-headers"] = ",".join(cors["ExposeHeaders"])
    if preflight:
        for header, member in _OF_PREFLIGHTS.items():
            if cors.get(member):
                found[header] = ",".join(cors[member])
        if cors.get("MaxAge"):
            found["access-control-max-age"] = str(cors["MaxAge"])
    return found


_OF_PREFLIGHTS = {
    "access-control-allow-methods": "AllowMethods",
    "access-control-allow-headers": "AllowHeaders",
}

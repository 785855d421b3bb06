"""What tests of APIs share: requests without AWS's protocols, and functions that answer them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

ECHO = """
import json
def handler(event, context):
    return {"statusCode": 200, "headers": {"X-Own": "1"}, "body": json.dumps(event)}
"""


@dataclass(frozen=True)
class Answer:
    """An answer as its client sees it."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    url: str,
    method: str = "GET",
    body: bytes | str = b"",
    headers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
) -> Answer:
    """Ask a URL of the loopback; ``headers`` may have one of a name twice."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection("localhost", parts.port, timeout=60)
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    content = body.encode() if isinstance(body, str) else body
    try:
        connection.putrequest(
            method, target, skip_host=any(name.lower() == "host" for name, _ in pairs)
        )
        for name, value in pairs:
            connection.putheader(name, value)
        connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content)
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.getheaders()), answer.read())
    finally:
        connection.close()

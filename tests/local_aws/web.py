"""What tests of APIs share: requests without AWS's protocols, and functions that answer them."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.local_aws.aws import REGION

ECHO = """
import json
def handler(event, context):
    return {"statusCode": 200, "headers": {"X-Own": "1"}, "body": json.dumps(event)}
"""
STREAMS = """
const fs = require("node:fs");
exports.handler = awslambda.streamifyResponse(async (event, stream, context) => {
  const given = event.body === undefined ? event : JSON.parse(event.body);
  if (given.type) stream.setContentType(given.type);
  if (given.head) stream = awslambda.HttpResponseStream.from(stream, given.head);
  for (const part of given.parts) {
    stream.write(part);
    while (given.held && fs.existsSync(given.held)) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  if (given.fails) throw new TypeError("it went away");
  if (given.hangs) await new Promise((resolve) => setTimeout(resolve, 60000));
  stream.end();
});
"""
"""A function in Node.js that writes the parts that it is sent."""


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


@contextmanager
def asked(url: str, event: Any) -> Iterator[http.client.HTTPResponse]:
    """An answer to JSON whose parts come as they are read."""
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection("localhost", parts.port, timeout=60)) as connection:
        body = json.dumps(event)
        connection.request("POST", parts.path, body, {"Content-Type": "application/json"})
        yield connection.getresponse()


def signed(url: str, key_id: str, secret: str, service: str = "execute-api") -> dict[str, str]:
    """The headers of a signed GET."""
    request = AWSRequest("GET", url)
    SigV4Auth(Credentials(key_id, secret), service, REGION).add_auth(request)
    return {str(name): str(value) for name, value in request.headers.items()}

"""Ask a model's server: POST /invocations over kept connections."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

import urllib3
from urllib3.exceptions import HTTPError, ProtocolError, ReadTimeoutError

_CONNECT_SECONDS = 2.0
_KEPT_CONNECTIONS = 64


class NoAnswer(Exception):
    """The model's server gave no answer: it is gone, or took too long (``timed_out``)."""

    def __init__(self, message: str, *, timed_out: bool) -> None:
        super().__init__(message)
        self.timed_out = timed_out


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """What the model's server said, byte for byte."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ModelClient:
    """A pool of connections to one model server; any number of threads may use it."""

    def __init__(self, url: str) -> None:
        self._pool = urllib3.connection_from_url(url, maxsize=_KEPT_CONNECTIONS, retries=False)

    def invoke(
        self,
        body: bytes,
        headers: Mapping[str, str],
        *,
        timeout_seconds: float,
        chunked: bool = False,
    ) -> ModelAnswer:
        """Send one request and wait for the whole answer, whatever its status.

        ``chunked`` sends it in HTTP's chunked encoding, without its length.

        A server may close a kept connection just as a request is sent on it: a
        request whose connection ends before an answer begins is sent once more.
        Raises `NoAnswer`.
        """
        try:
            try:
                response = self._send(body, headers, timeout_seconds, chunked)
            except ProtocolError:
                response = self._send(body, headers, timeout_seconds, chunked)
            with closing(response):
                content = response.read()
                response.release_conn()
        except ReadTimeoutError:
            raise NoAnswer(f"no answer within {timeout_seconds} s", timed_out=True) from None
        except HTTPError as error:
            raise NoAnswer(str(error), timed_out=False) from None
        return ModelAnswer(status=response.status, headers=response.headers, body=content)

    def close(self) -> None:
        """Close the kept connections."""
        self._pool.close()

    def _send(
        self, body: bytes, headers: Mapping[str, str], timeout_seconds: float, chunked: bool
    ) -> urllib3.BaseHTTPResponse:
        """Send the request and return when its answer begins."""
        return self._pool.urlopen(
            "POST",
            "/invocations",
            body=body,
            headers=dict(headers),
            chunked=chunked,
            timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=timeout_seconds),
            preload_content=False,
            decode_content=False,
        )

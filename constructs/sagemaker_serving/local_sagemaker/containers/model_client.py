"""Ask a model's server over kept connections: POST /invocations, and a multi-model one's API."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from typing import Self

import urllib3
from urllib3.exceptions import HTTPError, ProtocolError, ReadTimeoutError

from sagemaker_serving.model_server.places import Place

_CONNECT_SECONDS = 2.0
_KEPT_CONNECTIONS = 64
_PART_BYTES = 1 << 16


PRIMARY = "primary"
"""What SageMaker calls the one container of a model in its messages."""


class NoAnswer(Exception):
    """The model's server gave no answer: it is gone, or took too long (``timed_out``).

    ``container`` is what SageMaker calls it.
    """

    def __init__(self, message: str, *, timed_out: bool, container: str = PRIMARY) -> None:
        super().__init__(message)
        self.timed_out = timed_out
        self.container = container


class Part(bytes):
    """What a WebSocket's frame brings: whether its message is text, and ends with it."""

    is_text: bool
    is_last: bool

    def __new__(cls, content: bytes, *, is_text: bool = False, is_last: bool = True) -> Self:
        """``content``, of a binary message that ends with it unless said otherwise."""
        part = super().__new__(cls, content)
        part.is_text, part.is_last = is_text, is_last
        return part


@dataclass(frozen=True, kw_only=True)
class ModelAnswer:
    """What the model's server said, byte for byte.

    ``container`` is what SageMaker calls the container that said it;
    ``waited_seconds`` of the time went by before it was asked: a cold start,
    or a model that was loaded. Of a streamed answer ``body`` is empty, and
    ``parts`` are what comes, as it comes; they raise `NoAnswer` when they break
    off, and closing them ends the connection.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    container: str = PRIMARY
    waited_seconds: float = 0.0
    parts: Generator[bytes] | None = None


class ModelClient:
    """A pool of connections to one model server; any number of threads may use it."""

    def __init__(self, place: Place) -> None:
        self._pool = place.pool(_KEPT_CONNECTIONS)

    def invoke(
        self,
        body: bytes,
        headers: Mapping[str, str],
        *,
        timeout_seconds: float,
        stream_seconds: float | None = None,
        chunked: bool = False,
        path: str = "/invocations",
        container: str = PRIMARY,
    ) -> ModelAnswer:
        """Send one request and wait for the whole answer, whatever its status.

        ``stream_seconds`` asks for a 2XX in parts, which may all take that long, and
        ``timeout_seconds`` each: it waits for the first one then. ``chunked`` sends
        the request in HTTP's chunked encoding, without its length.

        A server may close a kept connection just as a request is sent on it: a
        request whose connection ends before an answer begins is sent once more.
        Raises `NoAnswer`.
        """
        request = _Request("POST", path, body, dict(headers), chunked)
        return self._ask(request, timeout_seconds, container, stream_seconds)

    def get(self, path: str, *, timeout_seconds: float, container: str) -> ModelAnswer:
        """GET ``path``; raises `NoAnswer`."""
        return self._ask(_Request("GET", path), timeout_seconds, container)

    def delete(self, path: str, *, timeout_seconds: float, container: str) -> ModelAnswer:
        """DELETE ``path``; raises `NoAnswer`."""
        return self._ask(_Request("DELETE", path), timeout_seconds, container)

    def close(self) -> None:
        """Close the kept connections."""
        self._pool.close()

    def _ask(
        self,
        request: _Request,
        timeout_seconds: float,
        container: str,
        stream_seconds: float | None = None,
    ) -> ModelAnswer:
        began = time.monotonic()
        with _no_answers(timeout_seconds, container):
            try:
                response = self._send(request, timeout_seconds)
            except ProtocolError:
                response = self._send(request, timeout_seconds)
            answer = ModelAnswer(
                status=response.status, headers=response.headers, body=b"", container=container
            )
            if stream_seconds is None or not 200 <= response.status < 300:
                with closing(response):
                    content = response.read()
                    response.release_conn()
                return replace(answer, body=content)
        parts = _parts(response, began + stream_seconds, timeout_seconds, container)
        return replace(answer, parts=_from(next(parts, b""), parts))

    def _send(self, request: _Request, timeout_seconds: float) -> urllib3.BaseHTTPResponse:
        """Send the request and return when its answer begins."""
        return self._pool.urlopen(
            request.method,
            request.path,
            body=request.body,
            headers=request.headers,
            chunked=request.chunked,
            timeout=urllib3.Timeout(connect=_CONNECT_SECONDS, read=timeout_seconds),
            preload_content=False,
            decode_content=False,
        )


def _parts(
    response: urllib3.BaseHTTPResponse, end: float, timeout_seconds: float, container: str
) -> Generator[bytes]:
    """What comes, at most a chunk at a time; the clock is looked at with each."""
    with closing(response), _no_answers(timeout_seconds, container):
        while part := response.read1(_PART_BYTES):
            if time.monotonic() > end:
                late = "the answer was not whole in time"
                raise NoAnswer(late, timed_out=True, container=container)
            yield part
        response.release_conn()


def _from(first: bytes, others: Generator[bytes]) -> Generator[bytes]:
    with closing(others):
        if first:
            yield first
        yield from others


@contextmanager
def _no_answers(timeout_seconds: float, container: str) -> Iterator[None]:
    try:
        yield
    except ReadTimeoutError:
        late = f"no answer within {timeout_seconds} s"
        raise NoAnswer(late, timed_out=True, container=container) from None
    except HTTPError as error:
        raise NoAnswer(str(error), timed_out=False, container=container) from None


@dataclass(frozen=True)
class _Request:
    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    chunked: bool = False

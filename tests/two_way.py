"""A client of two-way streams, byte by byte: HTTP/2 by h2, signatures by botocore."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.eventstream import EventStreamBuffer
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived, StreamEnded, StreamReset

_STRING, _BYTES, _TIME = 7, 6, 8


class _Signer(SigV4Auth):  # type: ignore[misc]
    def payload(self, request: Any) -> str:
        return "STREAMING-AWS4-HMAC-SHA256-EVENTS"


class TwoWay:
    """One stream: `send` and `end` what goes, `next` what comes."""

    def __init__(
        self,
        connection: socket.socket,
        host: str,
        endpoint: str,
        keys: Credentials,
        region: str,
        headers: Mapping[str, str],
    ) -> None:
        self._socket = connection
        self._scope = f"{region}/sagemaker/aws4_request"
        self._auth = _Signer(keys, "sagemaker", region)
        self._h2 = H2Connection(H2Configuration(header_encoding="utf-8"))
        self._h2.initiate_connection()
        self._buffer = EventStreamBuffer()
        self._events: list[Any] = []
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        """What came that is no event: an error before the stream."""
        self.has_ended = False
        self._begin(host, endpoint, headers)

    def _begin(self, host: str, endpoint: str, headers: Mapping[str, str]) -> None:
        path = f"/endpoints/{endpoint}/invocations-bidirectional-stream"
        request = AWSRequest(
            method="POST",
            url=f"https://{host}{path}",
            headers={"Content-Type": "application/vnd.amazon.eventstream", "Host": host, **headers},
        )
        self._auth.add_auth(request)
        self._signature = request.headers["Authorization"].rpartition("=")[2]
        named = [(k.lower(), v) for k, v in request.headers.items() if k.lower() != "host"]
        head = (":method", "POST"), (":scheme", "https"), (":authority", host), (":path", path)
        self._h2.send_headers(1, [*head, *named])
        self._flush()

    def send(
        self,
        content: bytes,
        members: Mapping[str, str] = MappingProxyType({}),
        *,
        signed: bool = True,
    ) -> None:
        """A PayloadPart with ``members``, and with a wrong signature unless it is ``signed``."""
        kinds = {":message-type": "event", ":event-type": "PayloadPart"}
        inner = _message({**kinds, **members}, content)
        self._send(inner, signed)

    def end(self) -> None:
        """Say that nothing follows: the empty event, and the stream's end."""
        self._send(b"", True)
        self._h2.end_stream(1)
        self._flush()

    def leave(self) -> None:
        """Reset the stream, as a client that is not interested any more."""
        self._h2.reset_stream(1)
        self._flush()

    def next(self) -> tuple[str, bytes, Mapping[str, Any]]:
        """The next event: its kind, its payload, all its headers; ("end", …) after the last."""
        while not self._events and not self.has_ended:
            self._take()
        if not self._events:
            return "end", b"", {}
        event = self._events.pop(0)
        named = event.headers
        kind = named.get(":event-type") or named.get(":exception-type") or named[":error-code"]
        return kind, event.payload, named

    def answer(self) -> dict[str, Any]:
        """An answer without a stream, as JSON has it."""
        while not self.has_ended:
            self._take()
        said: dict[str, Any] = json.loads(self.body)
        return said

    def _send(self, payload: bytes, signed: bool) -> None:
        now = datetime.now(UTC)
        stamp = now.strftime("%Y%m%dT%H%M%SZ")
        date = _header(":date", _TIME, struct.pack(">q", int(now.timestamp()) * 1000))
        request = AWSRequest()
        request.context["timestamp"] = stamp
        scope = f"{stamp[:8]}/{self._scope}"
        hashes = (sha256(each).hexdigest() for each in (date, payload))
        text = "\n".join(("AWS4-HMAC-SHA256-PAYLOAD", stamp, scope, self._signature, *hashes))
        self._signature = self._auth.signature(text, request)
        said = bytes.fromhex(self._signature if signed else "00" * 32)
        length = struct.pack(">H", len(said))
        self._write(_framed(date + _header(":chunk-signature", _BYTES, length + said), payload))

    def _write(self, data: bytes) -> None:
        while data:
            room = min(self._h2.local_flow_control_window(1), self._h2.max_outbound_frame_size)
            if room == 0:
                self._take()
                continue
            self._h2.send_data(1, data[:room])
            self._flush()
            data = data[room:]

    def _take(self) -> None:
        data = self._socket.recv(1 << 16)
        self.has_ended = self.has_ended or not data
        for event in self._h2.receive_data(data):
            if isinstance(event, ResponseReceived):
                self.headers = {str(name): str(value) for name, value in event.headers}
                self.status = int(self.headers[":status"])
            elif isinstance(event, DataReceived):
                self._h2.acknowledge_received_data(event.flow_controlled_length, 1)
                if self.status == 200:
                    self._buffer.add_data(event.data)
                    self._events += self._buffer
                else:
                    self.body += event.data
            elif isinstance(event, StreamEnded | StreamReset):
                self.has_ended = True
        self._flush()

    def _flush(self) -> None:
        self._socket.sendall(self._h2.data_to_send())


@contextmanager
def two_way(
    url: str,
    endpoint: str,
    keys: Credentials,
    region: str,
    *,
    trust: Path | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[TwoWay]:
    """A stream to an endpoint: to https:// over TLS, which trusts the authority ``trust`` or the
    system's, else by prior knowledge. ``headers`` are SageMaker's, without their prefix."""
    named = {f"X-Amzn-SageMaker-{name}": value for name, value in headers.items()}
    place = urlsplit(url)
    with socket.create_connection((place.hostname, place.port), timeout=60) as plain:
        connection = plain
        if place.scheme == "https":
            context = ssl.create_default_context(cafile=None if trust is None else str(trust))
            context.set_alpn_protocols(["h2", "http/1.1"])
            connection = context.wrap_socket(plain, server_hostname=place.hostname)
        yield TwoWay(connection, place.netloc, endpoint, keys, region, named)
        connection.close()


def _message(headers: Mapping[str, str], payload: bytes) -> bytes:
    encoded = (
        _header(name, _STRING, struct.pack(">H", len(value)) + value.encode())
        for name, value in headers.items()
    )
    return _framed(b"".join(encoded), payload)


def _header(name: str, kind: int, value: bytes) -> bytes:
    return bytes([len(name)]) + name.encode() + bytes([kind]) + value


def _framed(headers: bytes, payload: bytes) -> bytes:
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    begun = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + payload
    return begun + struct.pack(">I", zlib.crc32(begun))

"""A request's body that is a stream of events, each signed after the one before it.

Source: Amazon Transcribe developer guide, "Setting up an HTTP/2 stream"; aws-sdk-signers 0.4,
``AsyncEventSigner``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from botocore.eventstream import EventStreamBuffer, EventStreamMessage, ParserError

from local_aws.authentication.signatures import Signer, are_equal
from local_aws.protocol import AwsError

EVENTS = "local_aws.events"
"""Where the events of a request's body stand in its WSGI environment, as `signed_events` has
them."""

_DATE = b"\x05:date\x08"
"""The only header that is signed: its name's length, its name, the type of a time."""

_MISMATCH = "The event signature we calculated does not match the signature you provided."


@dataclass(frozen=True, kw_only=True)
class Event:
    """What a client sends: its kind, further headers, and its payload."""

    headers: Mapping[str, Any]
    payload: bytes


def signed_events(body: Any, signer: Signer, seed: str) -> Iterator[Event]:
    """The events in ``body``, each as it comes; ``seed`` is the request's own signature.

    They end with the empty event that is signed, too, or with the body. Raises `AwsError` for an
    event with a wrong signature and for what is none, and as reading ``body`` does.
    """
    previous = seed
    for outer in _messages(body):
        previous = _verified(outer, signer, previous)
        if not outer.payload:
            return
        (inner,) = _parsed(outer.payload)
        yield Event(headers=inner.headers, payload=inner.payload)


def _verified(message: EventStreamMessage, signer: Signer, previous: str) -> str:
    """The signature of a message that has the right one; raises `AwsError`."""
    date, said = message.headers.get(":date"), message.headers.get(":chunk-signature")
    if not isinstance(date, int) or not isinstance(said, bytes):
        what = "an event needs the headers :date and :chunk-signature"
        raise AwsError("IncompleteSignatureException", what)
    stamp = datetime.fromtimestamp(date // 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
    text = "\n".join(
        (
            "AWS4-HMAC-SHA256-PAYLOAD",
            stamp,
            signer.scope_on(stamp),
            previous,
            sha256(_DATE + struct.pack(">q", date)).hexdigest(),
            sha256(message.payload).hexdigest(),
        )
    )
    made = signer.sign_text(text, stamp=stamp)
    if not are_equal(said.hex(), made):
        raise AwsError("InvalidSignatureException", _MISMATCH)
    return made


def _messages(body: Any) -> Iterator[EventStreamMessage]:
    buffer = EventStreamBuffer()
    while data := body.read1(1 << 16):
        buffer.add_data(data)
        yield from _read(buffer)


def _parsed(data: bytes) -> list[EventStreamMessage]:
    buffer = EventStreamBuffer()
    buffer.add_data(data)
    found = [*_read(buffer)]
    if len(found) != 1:
        raise AwsError("SerializationException", "the payload of a signed event is one event")
    return found


def _read(buffer: EventStreamBuffer) -> Iterator[EventStreamMessage]:
    try:
        yield from buffer
    except ParserError as damaged:
        raise AwsError("SerializationException", f"an event cannot be read: {damaged}") from None

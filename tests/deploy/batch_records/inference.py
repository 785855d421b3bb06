"""A script of somebody's, as `careless` and `framed` of the tests' containers describe it.

It answers records by lines or by frames, forgets some of them without a word, and knows by
SageMaker's variable whether it is asked one by one.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from typing import Any


def handler(data: Any, context: Any) -> tuple[str, str]:
    together = os.environ.get("SAGEMAKER_BATCH_STRATEGY", "MULTI_RECORD") == "MULTI_RECORD"
    payload, accept = data.read(), context.accept_header
    if context.request_content_type == "text/plain":
        return lines(payload.decode(), accept), accept
    records = list(FRAMES[context.request_content_type](payload)) if together else [payload]
    answers = [answer(record.decode("latin-1")) for record in records]
    found = [each for each in answers if each is not None]
    if together:
        return json.dumps(found), accept
    return json.dumps({"answer": found[0]} if found else {"predictions": []}), accept


def answer(record: str) -> str | None:
    if "refuse" in record:
        raise ValueError("a record that nobody takes")
    return None if "skip" in record else f"<{record}>"


def lines(text: str, accept: str) -> str:
    answers = [answer(line) for line in text.removesuffix("\n").split("\n")]
    found = [each for each in answers if each is not None]
    if accept == "text/csv":
        return "\n".join(found)
    if accept == "application/jsonlines":
        return "\n".join(map(json.dumps, found))
    return json.dumps(found)


def tfrecords(payload: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(payload):
        (length,) = struct.unpack_from("<Q", payload, at)
        yield payload[at + 12 : at + 12 + length]
        at += 12 + length + 4


def recordio(payload: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(payload):
        length = struct.unpack_from("<II", payload, at)[1] & ((1 << 29) - 1)
        yield payload[at + 8 : at + 8 + length]
        at += 8 + length + -length % 4


FRAMES = {"application/x-tfrecord": tfrecords, "application/x-recordio": recordio}

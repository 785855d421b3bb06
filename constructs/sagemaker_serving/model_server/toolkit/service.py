"""What a worker does with a request, whatever the model is."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request: its headers, in the caller's spelling, and its body."""

    headers: Mapping[str, str]
    body: bytes

    def header(self, name: str) -> str | None:
        """The header of that name, however it is spelt; None when it is not there."""
        wanted = name.lower()
        return next((text for key, text in self.headers.items() if key.lower() == wanted), None)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer; ``content_type`` None leaves it to the front."""

    status: int
    body: bytes
    content_type: str | None


class Service(Protocol):
    """A model that is loaded."""

    def answer(self, request: Request) -> Answer:
        """The answer to one request; whatever goes wrong is an answer, too."""


def encoded(result: Any, content_type: str | None) -> Answer:
    """What a function returned, as the worker sends it: text, bytes, or else JSON of two spaces.

    What JSON has no form for is a 503.
    """
    if isinstance(result, bytes | bytearray):
        body = bytes(result)
    elif isinstance(result, str):
        body = result.encode()
    else:
        try:
            body = json.dumps(result, indent=2).encode()
        except (TypeError, ValueError):
            return document(503, "InternalServerException", "Unsupported model output data type.")
    return Answer(status=200, body=body, content_type=content_type)


def failed(status: int, message: str, error: BaseException) -> Answer:
    """An exception as the toolkit answers it: its message, then the trace, as no type at all."""
    trace = "".join(traceback.format_exception(error))
    return Answer(status=status, body=f"{message}\n{trace}".encode(), content_type=None)


def document(code: int, kind: str, message: str) -> Answer:
    """The front's own words, a JSON document of two spaces."""
    body = indented({"code": code, "type": kind, "message": message})
    return Answer(status=code, body=body, content_type="application/json")


def indented(facts: object) -> bytes:
    """A JSON document as the front writes it."""
    return f"{json.dumps(facts, indent=2, ensure_ascii=False)}\n".encode()

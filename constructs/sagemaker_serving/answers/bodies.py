"""An answer, and what its body says."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A model's answer: its own HTTP status and its body."""

    status: int
    body: bytes


class Text(str):
    """A body that is no JSON."""

    __slots__ = ()


def read_body(body: bytes) -> Any:
    """A body as JSON, several documents as their list, or as `Text`, or as it is."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    try:
        return json.loads(text)
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()] or Text(text)
    except ValueError:
        return Text(text)

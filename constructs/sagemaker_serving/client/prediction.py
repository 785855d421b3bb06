"""A model's answer to one request."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A model's answer: its body and type, the variant that gave it, and how long it took.

    ``seconds`` are from sending the request that was answered to the answer's
    last byte; ``waited_seconds`` what passed before, in the ``attempts`` that
    met a model that was not ready. ``first`` and ``records`` are which records
    of a batch the request carried, (0, 1) outside of one; ``rows`` how many rows
    its answer must have, None when nobody can tell; ``request_bytes`` is
    its body's size. ``custom_attributes`` are what the model set. ``new_session_id`` is the session
    that it opened, with its end (``<id>; Expires=<time>``); ``closed_session_id`` is the one that
    it closed.
    """

    body: bytes
    content_type: str
    variant: str
    seconds: float
    waited_seconds: float = 0.0
    attempts: int = 1
    first: int = 0
    records: int = 1
    rows: int | None = None
    request_bytes: int = 0
    custom_attributes: str = ""
    new_session_id: str = ""
    closed_session_id: str = ""

    def json(self) -> Any:
        """The body read as JSON; raises ValueError when it is none."""
        return json.loads(self.body)

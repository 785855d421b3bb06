"""A change to the emulator's SQS."""

from __future__ import annotations

from functools import wraps
from typing import Any

from moto.sqs.models import Queue


def keep_policies() -> None:
    """The emulator takes a queue's policy away when another attribute is set."""
    original = getattr(Queue._set_attributes, "__wrapped__", Queue._set_attributes)

    @wraps(original)
    def set_attributes(self: Any, attributes: dict[str, Any], now: float | None = None) -> None:
        kept = self.policy if hasattr(self, "_policy_json") else None
        original(self, {"Policy": kept, **attributes}, now)

    Queue._set_attributes = set_attributes

"""A change to the emulator's SQS."""

from __future__ import annotations

from typing import Any

from moto.sqs.models import Queue

from local_aws.emulator.replacing import Original, replaces


def keep_policies() -> None:
    """The emulator takes a queue's policy away when another attribute is set."""

    @replaces(Queue, "_set_attributes")
    def set_attributes(
        original: Original, self: Any, attributes: dict[str, Any], now: float | None = None
    ) -> None:
        kept = self.policy if hasattr(self, "_policy_json") else None
        original(self, {"Policy": kept, **attributes}, now)

"""How a Distributed Map's items become the inputs of its children.

https://docs.aws.amazon.com/step-functions/latest/dg/input-output-itembatcher.html.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

PAYLOAD_BYTES = 256 * 1024
"""The most that the input or output of a state may have, as UTF-8.
https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html."""


@dataclass(frozen=True, kw_only=True)
class ChildInput:
    """What one child execution is given, and how many items it stands for."""

    value: Any
    item_count: int

    @property
    def size(self) -> int:
        """Bytes of the input as UTF-8."""
        return size_of(self.value)


def single(items: Sequence[Any]) -> list[ChildInput]:
    """One child for each item."""
    return [ChildInput(value=item, item_count=1) for item in items]


def batched(
    items: Sequence[Any], *, max_items: int | None, max_bytes: int | None, batch_input: Any = None
) -> list[ChildInput]:
    """Children that take several items each: ``{"Items": […], "BatchInput": …}``.

    A batch ends before it would have more than ``max_items`` items or more than ``max_bytes``
    bytes, 256 KiB when absent; one item always fits.
    """
    head = {} if batch_input is None else {"BatchInput": batch_input}
    limit = PAYLOAD_BYTES if max_bytes is None else min(max_bytes, PAYLOAD_BYTES)
    return [
        ChildInput(value={**head, "Items": batch}, item_count=len(batch))
        for batch in _batches(items, max_items, limit - size_of({**head, "Items": []}))
    ]


def size_of(value: Any) -> int:
    """Bytes of a value as compact JSON in UTF-8."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def _batches(items: Sequence[Any], max_items: int | None, room: int) -> Iterator[list[Any]]:
    batch: list[Any] = []
    used = 0
    for item in items:
        size = size_of(item) + 1  # and the comma
        full = max_items is not None and len(batch) >= max_items
        if batch and (full or used + size > room):
            yield batch
            batch, used = [], 0
        batch.append(item)
        used += size
    if batch:
        yield batch

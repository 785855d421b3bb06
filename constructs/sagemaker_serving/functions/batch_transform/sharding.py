"""Inputs into shards, one transform job's work each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Input:
    """An object to transform: its name below the input's prefix, bytes, and when it was put."""

    name: str
    size: int
    modified: int


def shards(inputs: Iterable[Input], *, max_objects: int, max_bytes: int) -> Iterator[list[Input]]:
    """Cut inputs into shards in their order; each input is in exactly one.

    A shard has 1 to ``max_objects`` inputs and at most ``max_bytes``; an input that is larger
    than that is a shard of its own.
    """
    shard: list[Input] = []
    size = 0
    for entry in inputs:
        if shard and (len(shard) >= max_objects or size + entry.size > max_bytes):
            yield shard
            shard, size = [], 0
        shard.append(entry)
        size += entry.size
    if shard:
        yield shard

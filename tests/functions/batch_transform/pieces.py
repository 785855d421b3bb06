"""Bytes as they come from a network: in pieces of any length."""

from __future__ import annotations

import random
from collections.abc import Iterator


def pieces(body: bytes, seed: int) -> Iterator[bytes]:
    """All of ``body`` in pieces of 1 to 9 bytes; the same for the same seed."""
    chance, position = random.Random(seed), 0
    while position < len(body):
        size = chance.randint(1, 9)
        yield body[position : position + size]
        position += size

"""Which names have been before, in 27 bytes each: a manifest may have millions."""

from __future__ import annotations

import hashlib

_WIDTH = 16
_FREE = bytes(_WIDTH)


class Seen:
    """A set of names that only grows, kept as hashes of 128 bits.

    That two of a thousand million names share one has a chance of one to 10²⁰.
    """

    def __init__(self) -> None:
        self._slots = 1 << 12
        self._table = bytearray(self._slots * _WIDTH)
        self._count = 0

    def add(self, name: str) -> bool:
        """Remember ``name``; whether it is new."""
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=_WIDTH).digest()
        if self._count * 5 > self._slots * 4:
            self._grow()
        at = self._slot(digest)
        if self._table[at : at + _WIDTH] == digest:
            return False
        self._table[at : at + _WIDTH] = digest
        self._count += 1
        return True

    def _slot(self, digest: bytes) -> int:
        """Where the digest stands, or the free place for it."""
        slot = int.from_bytes(digest[:8], "little") % self._slots
        while True:
            at = slot * _WIDTH
            kept = self._table[at : at + _WIDTH]
            if kept in (digest, _FREE):
                return at
            slot = (slot + 1) % self._slots

    def _grow(self) -> None:
        old = self._table
        self._slots *= 2
        self._table = bytearray(self._slots * _WIDTH)
        for at in range(0, len(old), _WIDTH):
            digest = bytes(old[at : at + _WIDTH])
            if digest != _FREE:
                place = self._slot(digest)
                self._table[place : place + _WIDTH] = digest

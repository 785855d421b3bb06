"""Known bytes, damaged in many ways."""

from __future__ import annotations

from random import Random

TOKENS = [
    *(b"[", b"]", b"{", b"}", b",", b":", b'"', b"\n", b"\r\n", b"NaN", b"-Infinity", b"1e999"),
    *(b"null", b"true", b'{"b64": "AA=="}', b'{"b64": 1}', b"\xef\xbb\xbf", b"\\ud800", b"\0"),
    *(b"[" * 2000, b"9" * 400, b'"instances":', b'"signature_name": "text",'),
]


def damaged(random: Random, known: list[bytes]) -> bytes:
    """One of ``known``, up to four times cut, doubled, joined, or with bytes put in."""
    value = random.choice(known)
    for _ in range(random.choice((0, 0, 1, 1, 2, 4))):
        value = _damaged_once(random, known, value)
    return value


def header(random: Random, known: list[bytes]) -> bytes | None:
    """The same, as a header's value; now and then there is none."""
    if random.random() < 0.2:
        return None
    return bytes(byte for byte in damaged(random, known) if byte >= 32 and byte != 127).strip()


def _damaged_once(random: Random, known: list[bytes], value: bytes) -> bytes:
    start, end = sorted(random.choices(range(len(value) + 1), k=2))
    put_in = random.choice(
        (
            b"",
            value[start:end] * 2,
            random.choice(known),
            random.choice(TOKENS),
            random.randbytes(random.randrange(1, 5)),
        )
    )
    return value[:start] + put_in + value[random.choice((start, end)) :]

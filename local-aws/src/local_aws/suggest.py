"""Finds what a misspelt word was meant to be."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from functools import lru_cache


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word closest to ``word``, or None when none is close enough to help."""
    return _nearest(word, tuple(known))


def did_you_mean(word: str, known: Iterable[str], end: str = "") -> str:
    """The question after the known word closest to ``word``; "" when none is close enough."""
    close = nearest(word, known)
    return "" if close is None else f"did you mean {close}{end}"


def instead(word: str, known: Iterable[str]) -> str:
    """What to write for ``word``, the end of a sentence: the nearest known word, or all there are.

    "did you mean digits", or "it has digits, words".
    """
    names = tuple(known)
    close = nearest(word, names)
    return f"it has {', '.join(names) or 'none'}" if close is None else f"did you mean {close}"


@lru_cache(maxsize=256)
def _nearest(word: str, known: tuple[str, ...]) -> str | None:
    matches = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return matches[0] if matches else None

"""Which text is a number, and how large AWS's are."""

from __future__ import annotations

import re

LARGEST = 2**31 - 1
"""What a number of AWS's is at most where nothing else is said: botocore's ``integer`` has 32
bits."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,19}")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def whole_number(text: str) -> int | None:
    """The whole number that a text is; None for what is none, or does not fit into 64 bits.

    Digits are 0 to 9, without blanks and underscores: servers in C++ and Java read no others.
    """
    number = int(text) if _WHOLE.fullmatch(text) is not None else None
    return number if number is not None and -(2**63) <= number < 2**63 else None


def decimal_number(text: str) -> float | None:
    """The number that a text is, perhaps with a point or an exponent; None for what is none."""
    return float(text) if _DECIMAL.fullmatch(text) is not None else None

"""Is it the same answer? Numbers within a tolerance, all else exactly."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from sagemaker_serving.answers.bodies import Answer, Text, read_body
from sagemaker_serving.answers.differences import Difference, Form, differences_of, number_of

DEFAULT_TOLERANCE = 1e-5
"""How far two numbers may be apart, relative to the expected one where that is over 1: other
processors and other versions of TensorFlow round float32 in another way."""

_SEPARATORS = re.compile(r"([,;\s]+)")


def differences(expected: Answer, came: Answer, tolerance: float = DEFAULT_TOLERANCE) -> list[str]:
    """What is different in ``came``, each with its place (``predictions[2]``); nothing if none is.

    The worst comes first: what is no number, then numbers by how far they are apart, as the
    tolerance counts it; see `answer_differences`.
    """
    found = [one for one in answer_differences(expected, came) if one.distance > tolerance]
    return [str(one) for one in sorted(found, key=lambda one: one.distance, reverse=True)]


def answer_differences(expected: Answer, came: Answer) -> Iterator[Difference]:
    """Every difference of two answers, in its order.

    JSON is compared by its values: the order of keys, white space and 3 for 3.0 are the same. Other
    texts are compared line by line and field by field, numbers as numbers; what is no text, byte
    by byte.
    """
    if expected.status != came.status:
        yield Difference(size=math.inf, path="status", expected=expected.status, found=came.status)
    if expected.body == came.body:
        return
    before, after = read_body(expected.body), read_body(came.body)
    if isinstance(before, bytes) or isinstance(after, bytes):
        at = _first_difference(expected.body, came.body)
        yield Difference(
            size=math.inf,
            path="",
            expected=Form(f"{len(expected.body)} bytes"),
            found=Form(f"{len(came.body)}; they differ from byte {at} on"),
        )
    elif isinstance(before, Text) and isinstance(after, Text):
        yield from _of_texts(before, after)
    else:
        yield from differences_of(before, after)


def _of_texts(before: str, after: str) -> Iterator[Difference]:
    """Fields where both have the same separators, whole texts otherwise."""
    rows, others = ([_split(line) for line in text.strip().split("\n")] for text in (before, after))
    if [separators for _, separators in rows] != [separators for _, separators in others]:
        yield Difference(size=math.inf, path="", expected=str(before), found=str(after))
        return
    single = len(rows) == 1 and not rows[0][1]
    for line, ((fields, _), (other_fields, _)) in enumerate(zip(rows, others, strict=True)):
        for place, (one, other) in enumerate(zip(fields, other_fields, strict=True)):
            path = "" if single else f"body[{line}][{place}]"
            yield from differences_of(number_of(one), number_of(other), path)


def _split(line: str) -> tuple[list[str], list[str]]:
    """The fields of a line, and what separates them."""
    parts = _SEPARATORS.split(line.strip())
    return parts[::2], parts[1::2]


def _first_difference(before: bytes, after: bytes) -> int:
    shorter = min(len(before), len(after))
    return next((n for n in range(shorter) if before[n] != after[n]), shorter)

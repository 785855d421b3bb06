"""Which generation of the container's contract a framework version has.

Source: aws/sagemaker-tensorflow-serving-container da19256 (A) and
aws/deep-learning-containers f06ada0e08 (B) and e0ecede (C).
What each of them does is in `contract`.
"""

from __future__ import annotations

import re
from enum import StrEnum

from sagemaker_serving.errors import Mistake


class Generation(StrEnum):
    """A span of image versions whose containers behave alike."""

    A = "A"
    """Images up to 2.0."""

    B1 = "B1"
    """Images 2.1 to 2.8: A's contract, in what differs by release date with a state of its own."""

    B2 = "B2"
    """Images 2.9 to 2.19: A's requests and answers, today's choice between the two paths."""

    C = "C"
    """Images from 2.20: today's contract."""


_NEWEST_VERSIONS = {
    (2, 0): Generation.A,
    (2, 8): Generation.B1,
    (2, 19): Generation.B2,
}
"""The newest version of every generation but the last, ascending."""

_EITHER = ((2, 9), (2, 11))
"""Images that were alive while B2 came to be: one may have been built before or after it."""


def generation_of(container_version: str | None) -> Generation:
    """The generation of ``container_version`` ("2.20", "2.19.1"); None is the newest.

    Raises `Mistake` when the text is not a version.
    """
    if container_version is None:
        return Generation.C
    version = _version(container_version)
    spans = _NEWEST_VERSIONS.items()
    return next((generation for newest, generation in spans if version <= newest), Generation.C)


def is_uncertain(container_version: str | None) -> bool:
    """Whether images of ``container_version`` may be of generation B1 as well as B2."""
    if container_version is None:
        return False
    first, last = _EITHER
    return first <= _version(container_version) <= last


def _version(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)\.(\d+)(\.\d+)*", text, re.ASCII)
    if match is None:
        raise Mistake(f"container version is {text!r}; it must be a framework version like 2.19")
    return int(match[1]), int(match[2])

"""Which generation of the container's contract a framework version has.

Source: aws/sagemaker-tensorflow-serving-container da19256 (A) and
aws/deep-learning-containers f06ada0e08 (B) and e0ecede (C), read 2026-11-21.
"""

from __future__ import annotations

import re
from enum import StrEnum

from sagemaker_serving.errors import Mistake


class Generation(StrEnum):
    """A span of image versions whose containers behave alike."""

    A = "A"
    """Images up to 2.0."""

    B = "B"
    """Images 2.1 to 2.19."""

    C = "C"
    """Images from 2.20: today's contract."""


SERVED = frozenset({Generation.C})
"""The generations this server implements; the others get today's, and the log says so."""


def generation_of(container_version: str | None) -> Generation:
    """The generation of ``container_version`` ("2.20", "2.19.1"); None is the newest.

    Raises `Mistake` when the text is not a version.
    """
    if container_version is None:
        return Generation.C
    match = re.fullmatch(r"(\d+)\.(\d+)(\.\d+)*", container_version)
    if match is None:
        raise Mistake(
            f"container version is {container_version!r}; it must be a framework version like 2.19"
        )
    version = (int(match[1]), int(match[2]))
    if version <= (2, 0):
        return Generation.A
    return Generation.B if version < (2, 20) else Generation.C

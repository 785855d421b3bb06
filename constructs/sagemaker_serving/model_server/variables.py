"""One variable of the container's environment: what it may be; raises `Mistake` with its name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sagemaker_serving.errors import Mistake

TENSORFLOW_VARIABLES = {
    "OMP_NUM_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "2",
    "TF_ENABLE_ONEDNN_OPTS": "0",
}
"""What TensorFlow reads as it is imported, unless the container has it otherwise.

Without oneDNN: its convolutions end the process for a tensor of another rank (a CHECK of
tensorflow/core/util/tensor_format.h, GetTensorDimIndex), where TensorFlow's own answer. ResNet-50
takes a quarter longer for it.
"""


def flag(environ: Mapping[str, str], name: str) -> bool:
    """ "true" or "false" in any case; false when absent."""
    text = environ.get(name, "false")
    if text.lower() not in ("true", "false"):
        raise Mistake(f"{name} must be 'true' or 'false'; it is {text!r}")
    return text.lower() == "true"


def integer(environ: Mapping[str, str], name: str, *, default: int, least: int = 0) -> int:
    """A whole number of at least ``least``."""
    given = given_integer(environ, name, least=least)
    return default if given is None else given


def given_integer(environ: Mapping[str, str], name: str, *, least: int) -> int | None:
    """The same, None when absent."""
    text = environ.get(name)
    if text is None:
        return None
    if not re.fullmatch(r"\s*\d+\s*", text, re.ASCII) or int(text) < least:
        raise Mistake(f"{name} must be a whole number of at least {least}; it is {text!r}")
    return int(text)


def share(environ: Mapping[str, str], name: str) -> None:
    """Judge a number from 0 to 1, which nothing here reads."""
    text = environ.get(name, "0.2")
    try:
        fits = 0 <= float(text) <= 1
    except ValueError:
        fits = False
    if not fits:
        raise Mistake(f"{name} must be a number from 0 to 1; it is {text!r}")

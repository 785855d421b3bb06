"""How much an archive may unpack to before it counts as a decompression bomb."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sagemaker_serving.errors import Mistake

_VARIABLES = {
    "max_members": "SAGEMAKER_SERVING_MAX_MEMBERS",
    "max_unpacked_bytes": "SAGEMAKER_SERVING_MAX_UNPACKED_BYTES",
    "max_ratio": "SAGEMAKER_SERVING_MAX_RATIO",
}


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What an archive may be made of.

    ``max_members`` counts files, folders and links (default 100,000);
    ``max_unpacked_bytes`` is the size of the whole tar (default 100 GiB);
    ``max_ratio`` is unpacked to packed bytes (default 250), judged from
    ``ratio_judged_from_bytes`` unpacked bytes on (default 64 MiB), since small
    archives of empty files reach any ratio. Deflate itself ends at 1032.
    """

    max_members: int = 100_000
    max_unpacked_bytes: int = 100 << 30
    max_ratio: int = 250
    ratio_judged_from_bytes: int = 64 << 20

    @classmethod
    def of_this_shell(cls) -> Limits:
        """The defaults, or what the environment variables named in `how_to_raise` say.

        Raises `Mistake` for a variable that is no positive whole number.
        """
        raised = {
            field: _positive(variable, os.environ[variable])
            for field, variable in _VARIABLES.items()
            if variable in os.environ
        }
        return cls(**raised)


def how_to_raise(field: str) -> str:
    """What to set when an archive is right and over the limit ``field``."""
    return f"if it is meant to be so, set {_VARIABLES[field]}"


def _positive(variable: str, text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise Mistake(f"{variable} is {text!r}; it must be a whole number of at least 1")
    return int(text)

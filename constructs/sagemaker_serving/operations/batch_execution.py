"""One run of a batch pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class BatchExecution:
    """An execution: its ARN, and the input that it was started with."""

    arn: str
    given: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The execution's name."""
        return self.arn.rsplit(":", 1)[1]

    @property
    def output_uri(self) -> str:
        """Where its outputs go, ``s3://…/``."""
        return f"{str(self.given['output']).removesuffix('/')}/"

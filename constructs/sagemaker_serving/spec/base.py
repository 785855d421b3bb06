"""What every value of an environment file has in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Spec(BaseModel):
    """A frozen, keyword-only value that knows its fields and takes no others.

    ``None`` means absent; zero is a value. Strict: text stays text, so that an
    unquoted ``2.20`` is refused instead of becoming 2.2.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", defer_build=True, strict=True, allow_inf_nan=False
    )


def first_choice(given: Mapping[str, Any]) -> str:
    """What stands for ``instance_type`` where ``instance_types`` are given.

    "" where neither is, which the rules name.
    """
    return next(iter(given.get("instance_types", ())), "")


def left_out(default: Any) -> Any:
    """A field that may be left out; AWS, or the container, then has a ``default`` of its own."""
    return Field(default=None, json_schema_extra={"default": default})

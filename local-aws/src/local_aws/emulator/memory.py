"""Changes to what the emulator holds on to."""

from __future__ import annotations

from typing import Any

from moto.core.common_models import BaseModel


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    forget_what_nobody_holds()


def forget_what_nobody_holds() -> None:
    """The emulator lists every object it ever made, for a dashboard that is not served here.

    What was deleted or written over stayed in memory, contents and all.
    """
    BaseModel.__new__ = _untracked


def _untracked(cls: type[BaseModel], *_: Any, **__: Any) -> BaseModel:
    return super(BaseModel, cls).__new__(cls)

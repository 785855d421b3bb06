"""Changes to what the emulator holds on to."""

from __future__ import annotations

import functools
from typing import Any

from botocore.loaders import JSONFileLoader
from moto.core import utils
from moto.core.common_models import BaseModel
from moto.core.loaders import Loader, create_loader


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    forget_what_nobody_holds()
    look_through_botocore_once()


def forget_what_nobody_holds() -> None:
    """The emulator lists every object it ever made, for a dashboard that is not served here.

    What was deleted or written over stayed in memory, contents and all.
    """
    BaseModel.__new__ = _untracked


def look_through_botocore_once() -> None:
    """The emulator makes a loader for each service, which lists the folders of them all anew.

    What it reads is its own: it adds to the models, and clients must not know of that.
    """
    Loader.FILE_LOADER_CLASS = JSONFileLoader
    utils.create_loader = functools.cache(create_loader)


def _untracked(cls: type[BaseModel], *_: Any, **__: Any) -> BaseModel:
    return super(BaseModel, cls).__new__(cls)

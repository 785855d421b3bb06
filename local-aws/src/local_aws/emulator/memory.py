"""Changes to what the emulator holds on to."""

from __future__ import annotations

import functools
from typing import Any

from botocore.loaders import JSONFileLoader
from botocore.model import ServiceModel as BotocoreServiceModel
from moto.core import utils
from moto.core.common_models import BaseModel
from moto.core.loaders import Loader, create_loader
from moto.core.model import OperationModel, ServiceModel


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    forget_what_nobody_holds()
    look_through_botocore_once()
    keep_operations_apart_from_botocores()


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


def keep_operations_apart_from_botocores() -> None:
    """The emulator's operation takes the place of botocore's, which is kept by the same key first.

    A thread that asked in between got botocore's, which its routers cannot read: of a service's
    first requests, those that came at once failed.
    """
    ServiceModel.operation_model = _operation


def _operation(model: ServiceModel, operation_name: str) -> OperationModel:
    """Two threads may make one each, which are the same in all but identity."""
    kept, key = model._instance_cache, ("operation_model of the emulator", operation_name)
    if key not in kept:
        plain = BotocoreServiceModel.operation_model(model, operation_name)
        kept[key] = OperationModel(plain._operation_model, model, operation_name)
    return kept[key]


def _untracked(cls: type[BaseModel], *_: Any, **__: Any) -> BaseModel:
    return super(BaseModel, cls).__new__(cls)

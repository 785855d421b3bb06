"""Stands for the module of that name in Neo's PyTorch images, on whose import path it lies.

Source of the name and the arguments: SageMaker developer guide, "Prerequisites" of
deploying a compiled model. There is no runtime of Neo's to set up here.
"""

from __future__ import annotations

from typing import Any


def config(*arguments: Any, **options: Any) -> None:
    """Does nothing: the model that is loaded next is one that torch runs itself."""

"""The functions of the user's script, and how they are called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from inspect import signature
from types import ModuleType
from typing import Any

from sagemaker_serving.archive.handlers import toolkit_arguments
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.pytorch import defaults

Function = Callable[..., Any]

NEED_TORCH = ("model_fn", "input_fn", "predict_fn")
"""The defaults that cannot be without torch."""

_BOTH = (
    "Cannot use transform_fn implementation in conjunction with "
    "input_fn, predict_fn, and/or output_fn implementation"
)


@dataclass(frozen=True, kw_only=True)
class Functions:
    """What is called, the user's own or AWS's default.

    ``transform_fn`` None means that the three below it are called one after another.
    """

    model_fn: Function
    transform_fn: Function | None
    input_fn: Function
    predict_fn: Function
    output_fn: Function
    pre_model_fn: Function | None
    model_warmup_fn: Function | None
    defaults: tuple[str, ...]
    """The names of those that are AWS's."""

    def require_torch(self) -> None:
        """Raise `Mistake` when a default would miss torch."""
        missed = [name for name in NEED_TORCH if name in self.defaults]
        if missed and find_spec("torch") is None:
            raise Mistake(
                f"the PyTorch image's own {', '.join(missed)} would be used, with torch, which is "
                "not installed here; pip install 'sagemaker-serving[torch]', or write "
                f"{', '.join(missed)} in code/inference.py"
            )


def load_functions(module_name: str) -> Functions:
    """Import the user's module, when it is on the import path, and take its functions.

    Raises whatever the import does, and ValueError for ``transform_fn`` beside one of
    the three that it stands for.
    """
    module = importlib.import_module(module_name) if find_spec(module_name) is not None else None
    transform_fn = _of(module, "transform_fn")
    steps = {name: _of(module, name) for name in ("input_fn", "predict_fn", "output_fn")}
    if transform_fn is not None and any(steps.values()):
        raise ValueError(_BOTH)
    given = {"model_fn": _of(module, "model_fn"), **steps}
    used = [name for name in given if transform_fn is None or name == "model_fn"]
    return Functions(
        **{name: own or getattr(defaults, name) for name, own in given.items()},
        transform_fn=transform_fn,
        pre_model_fn=_of(module, "pre_model_fn"),
        model_warmup_fn=_of(module, "model_warmup_fn"),
        defaults=tuple(name for name in used if given[name] is None),
    )


def call(function: Function, context: Any, *arguments: Any) -> Any:
    """Call ``function``, with the context behind the arguments when it takes one more.

    Raises TypeError, in the toolkit's words, when it takes any other number.
    """
    taken = len(signature(function).parameters)
    given = toolkit_arguments(taken, len(arguments))
    if given is None:
        raise TypeError(
            f"{function.__name__} takes {taken} arguments but {len(arguments)} were given."
        )
    return function(*(*arguments, context)[:given])


def _of(module: ModuleType | None, name: str) -> Function | None:
    function: Function | None = getattr(module, name, None)
    return function

"""A model that is loaded: one request through the user's functions, as PyTorch's image does.

Source: sagemaker-inference 1.10.1, ``transformer.py``; asked of TorchServe 0.12.0, 0.11.0, 0.8.2
and 0.6.1 around it on 2026-11-23.
"""

from __future__ import annotations

import importlib
import logging
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from sagemaker_serving.archive.handlers import toolkit_arguments
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.pytorch import defaults
from sagemaker_serving.model_server.pytorch.codecs import ANY, TEXT_TYPES
from sagemaker_serving.model_server.toolkit.context import Context
from sagemaker_serving.model_server.toolkit.contract import ToolkitContract, toolkit_contract
from sagemaker_serving.model_server.toolkit.forms import form_body
from sagemaker_serving.model_server.toolkit.service import Answer, Request, encoded, failed
from sagemaker_serving.model_server.toolkit.settings import Settings

log = logging.getLogger("worker")

_CONTENT_TYPE = re.compile("[Cc]ontent-?[Tt]ype")
"""How a header's name begins that is taken for the content type (``utils.py``)."""


def load(
    model_dir: Path,
    settings: Settings,
    *,
    contract: ToolkitContract | None = None,
    model_name: str = "model",
    model_fn: Function | None = None,
    own: ModuleType = defaults,
    failure: Callable[[Exception], Answer] | None = None,
) -> PyTorchModel:
    """Import the user's functions and load the model; raises whatever they raise.

    ``contract`` None is the newest. ``own`` are the image's functions, for those that the user's
    script has not, and ``model_fn`` stands in for the one of that name. ``failure`` is how it
    answers what a function raises, else as the toolkit does.
    """
    functions = load_functions(settings.module, own)
    if own is defaults:
        functions.require_torch()
    if model_fn is not None and "model_fn" in functions.defaults:
        functions = replace(functions, model_fn=model_fn)
    server = (contract or toolkit_contract(None)).server
    context = Context(model_dir, server_version=server, model_name=model_name)
    folder = str(model_dir)
    if functions.pre_model_fn is not None:
        call(functions.pre_model_fn, context, folder)
    model = call(functions.model_fn, context, folder)
    if functions.model_warmup_fn is not None:
        call(functions.model_warmup_fn, context, folder, model)
    return PyTorchModel(model, functions, context, settings.default_accept, failure or _failed)


@dataclass(frozen=True, eq=False)
class PyTorchModel:
    """What ``model_fn`` returned, behind ``transform_fn`` or the three it stands for."""

    _model: Any
    _functions: Functions
    _context: Context
    _default_accept: str
    _failure: Callable[[Exception], Answer]

    def answer(self, request: Request) -> Answer:
        """The prediction, or what the image says of what a function raises."""
        processor = self._context.begin(request.headers)
        try:
            result, content_type = self._transform(request)
            self._context.set_response_content_type(0, content_type)
            # Now, and not before: a function's own choice is overwritten, as in the image.
            answer = encoded(result, content_type)
        except Exception as error:
            log.exception("Transform failed: %s", error)
            return self._failure(error)
        own, _ = processor.status
        if own == 200 or answer.status != 200:
            return answer
        return Answer(status=own, body=answer.body, content_type=answer.content_type)

    def _transform(self, request: Request) -> tuple[Any, Any]:
        headers = request.headers
        content_type = next((headers[name] for name in headers if _CONTENT_TYPE.match(name)), None)
        accept = headers.get("Accept") or headers.get("accept")
        if not accept or accept == ANY:
            accept = self._default_accept
        data: Any = form_body(request)
        if content_type in TEXT_TYPES:
            data = request.body.decode("utf-8")
        functions, context = self._functions, self._context
        if functions.transform_fn is not None:
            result = call(functions.transform_fn, context, self._model, data, content_type, accept)
        else:
            data = call(functions.input_fn, context, data, content_type)
            prediction = call(functions.predict_fn, context, data, self._model)
            result = call(functions.output_fn, context, prediction, accept)
        return (result[0], result[1]) if isinstance(result, tuple) else (result, accept)


def _failed(error: Exception) -> Answer:
    """500 with message and trace; only an exception of the toolkit's says its status itself."""
    errors = sys.modules.get("sagemaker_inference.errors")
    if errors is not None and isinstance(error, errors.BaseInferenceToolkitError):
        return failed(error.status_code, error.message, error)
    # An exception without words is answered as the toolkit does.
    return failed(500, str(error) or "Invalid Request", error)


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


def load_functions(module_name: str, own: ModuleType = defaults) -> Functions:
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
        **{name: users or getattr(own, name) for name, users in given.items()},
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

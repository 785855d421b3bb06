"""A PyTorch model that is loaded: one request through the user's functions.

Source: sagemaker-inference 1.10.1, ``transformer.py``.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from sagemaker_serving.model_server.pytorch.codecs import ANY, TEXT_TYPES
from sagemaker_serving.model_server.pytorch.functions import Functions, call, load_functions
from sagemaker_serving.model_server.toolkit.context import Context
from sagemaker_serving.model_server.toolkit.service import Answer, Request, encoded, failed
from sagemaker_serving.model_server.toolkit.settings import Settings

log = logging.getLogger("worker")

SERVER_VERSION = "0.12.0"
"""The TorchServe whose manners these are."""


def load(model_dir: Path, settings: Settings) -> PyTorchModel:
    """Import the user's functions and load the model; raises whatever they raise."""
    functions = load_functions(settings.module)
    functions.require_torch()
    context = Context(model_dir, server_version=SERVER_VERSION)
    folder = str(model_dir)
    if functions.pre_model_fn is not None:
        call(functions.pre_model_fn, context, folder)
    model = call(functions.model_fn, context, folder)
    if functions.model_warmup_fn is not None:
        call(functions.model_warmup_fn, context, folder, model)
    return PyTorchModel(model, functions, context, settings.default_accept)


class PyTorchModel:
    """What ``model_fn`` returned, behind ``transform_fn`` or the three it stands for."""

    def __init__(
        self, model: Any, functions: Functions, context: Context, default_accept: str
    ) -> None:
        self._model = model
        self._functions = functions
        self._context = context
        self._default_accept = default_accept

    def answer(self, request: Request) -> Answer:
        """The prediction; 500 with message and trace for what a function raises.

        An exception of the toolkit's own kind, one with ``status_code`` and ``message``,
        says its status itself.
        """
        processor = self._context.begin(request.headers)
        try:
            result, content_type = self._transform(request)
            self._context.set_response_content_type(0, content_type)
            # Now, and not before: a function's own choice is overwritten, as in the image.
            answer = encoded(result, content_type)
        except Exception as error:
            status, message = _told(error)
            log.exception("Transform failed: %s", message)
            return failed(status, message, error)
        own, _ = processor.status
        if own == 200 or answer.status != 200:
            return answer
        return Answer(status=own, body=answer.body, content_type=answer.content_type)

    def _transform(self, request: Request) -> tuple[Any, Any]:
        content_type = request.header("Content-Type")
        accept = request.header("Accept")
        if not accept or accept == ANY:
            accept = self._default_accept
        data: Any = bytearray(request.body)
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


def _told(error: Exception) -> tuple[int, str]:
    """The status and message of an answer; those of the toolkit's exceptions are their own."""
    status, message = getattr(error, "status_code", None), getattr(error, "message", None)
    if isinstance(status, int) and isinstance(message, str):
        return status, message
    # An exception without words is answered as the toolkit does.
    return 500, str(error) or "Invalid Request"

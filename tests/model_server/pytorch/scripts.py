"""Users' scripts for tests, loaded in this process as a worker would load them."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

from sagemaker_serving.model_server.pytorch.service import PyTorchModel, load
from sagemaker_serving.model_server.toolkit.service import Answer, Request
from sagemaker_serving.model_server.toolkit.settings import read_settings

JSON = "application/json"
CSV = "text/csv"
NPY = "application/x-npy"

_NUMBERS = itertools.count()


def loaded(folder: Path, script: str, **variables: str) -> PyTorchModel:
    """The model in ``folder`` behind ``script``, which is a module of its own each time."""
    name = f"inference_{next(_NUMBERS)}"
    (folder / f"{name}.py").write_text(script)
    sys.path.insert(0, str(folder))
    try:
        return load(folder, read_settings({"SAGEMAKER_PROGRAM": f"{name}.py", **variables}))
    finally:
        sys.path.remove(str(folder))


def ask(
    model: PyTorchModel,
    body: bytes = b"[1, 2]",
    content_type: str | None = JSON,
    accept: str | None = None,
    attributes: str | None = None,
) -> Answer:
    """The answer to one request."""
    given = {
        "Content-Type": content_type,
        "Accept": accept,
        "X-Amzn-SageMaker-Custom-Attributes": attributes,
    }
    sent = {name: text for name, text in given.items() if text is not None}
    return model.answer(Request(headers=sent, body=body))

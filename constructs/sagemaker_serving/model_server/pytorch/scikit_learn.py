"""scikit-learn's image: its own functions, for those that the user's script has not.

Source: aws/sagemaker-scikit-learn-container eae7b6b (``serving.py``) and aws/sagemaker-containers
526dda9 (``_encoders.py``, ``_modules.py``), read on 2026-11-29. The image answers what a function
raises with 500 and a page that says no reason; here the answer says it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from sagemaker_serving.archive.handlers import SCRIPT_VARIABLES, script_of
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.pytorch.codecs import CSV, JSON, TEXT_TYPES, decode, encode


def must_name_script(environ: Mapping[str, str], image: str = "scikit-learn") -> None:
    """Raise `Mistake` where no variables name the script, without which the image ends."""
    if script_of("sklearn", environ) is None:
        wanted = " and ".join(f"{name}: {value}" for name, value in SCRIPT_VARIABLES.items())
        given = " --env ".join(f"{name}={value}" for name, value in SCRIPT_VARIABLES.items())
        raise Mistake(
            f"{image}'s image is not told its script; set {wanted} in the model's environment "
            f"(sagemaker-serving serve --env {given})"
        )


def model_fn(model_dir: str) -> Any:
    """The image loads no model by itself."""
    raise NotImplementedError("Please provide a model_fn implementation.")


def input_fn(input_data: Any, content_type: str | None) -> Any:
    """A body as an array, float32 of text; one line of CSV is an array of one dimension."""
    content_type = content_type or JSON
    if content_type == CSV:
        import numpy

        rows = list(csv.reader(io.StringIO(input_data), strict=True))
        return numpy.array(rows).squeeze().astype(float).astype(numpy.float32)
    array = decode(input_data, content_type)
    return array.astype("float32") if content_type in TEXT_TYPES else array


def predict_fn(data: Any, model: Any) -> Any:
    """What the model predicts."""
    return model.predict(data)


def output_fn(prediction: Any, accept: str) -> str | bytes:
    """A prediction in a type of ``accept``: JSON, CSV or npy."""
    return encode(prediction, accept)

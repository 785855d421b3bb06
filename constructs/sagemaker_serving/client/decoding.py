"""Answers by what their content type says they are."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from sagemaker_serving.client.prediction import Prediction
from sagemaker_serving.errors import Failure


class Undecodable(Failure):
    """An answer is not what its content type says."""


def decoded(prediction: Prediction) -> Any:
    """The answer's value: JSON, a list of JSON lines, rows of CSV, an array of a .npy.

    Blank lines are no rows. TensorFlow Serving's one document, which its container writes into one
    line and calls JSON Lines (docs/container-contract.md), is that document.
    Anything else stays bytes, and so does a .npy without numpy. Raises
    `Undecodable` when the body is not what its content type says.
    """
    decode = _DECODERS.get(prediction.content_type.partition(";")[0].strip().lower())
    if decode is None:
        return prediction.body
    try:
        return decode(prediction.body)
    except ValueError as error:
        start = prediction.body[:80]
        raise Undecodable(
            f"the answer calls itself {prediction.content_type} and is none: {error}; "
            f"it begins with {start!r}"
        ) from None


def _json_lines(body: bytes) -> Any:
    values = [json.loads(line) for line in body.splitlines() if line.strip()]
    if len(values) == 1 and isinstance(values[0], dict) and _ONE_DOCUMENT & values[0].keys():
        return values[0]
    return values


def _csv(body: bytes) -> Any:
    return [row for row in csv.reader(io.StringIO(body.decode())) if row]


def _npy(body: bytes) -> Any:
    if find_spec("numpy") is None:
        return body
    import numpy

    return numpy.load(io.BytesIO(body), allow_pickle=False)


_ONE_DOCUMENT = {"predictions", "outputs", "results"}

_DECODERS: dict[str, Callable[[bytes], Any]] = {
    "application/json": json.loads,
    "application/jsonlines": _json_lines,
    "application/jsons": _json_lines,
    "text/csv": _csv,
    "application/x-npy": _npy,
}

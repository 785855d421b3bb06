"""A model of Neo's runtime that is loaded: one request through it."""

from __future__ import annotations

import csv
import io
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sagemaker_serving.model_server.neo.engines import Engine
from sagemaker_serving.model_server.neo.script import Script
from sagemaker_serving.model_server.toolkit.service import Answer, Request, encoded

log = logging.getLogger("worker")

BROKEN = "Internal Server Error occured"
"""The image's own words for whatever is nobody's request's fault."""


class ClientError(Exception):
    """A request that cannot be answered: a 400 with these words."""


@dataclass(frozen=True, eq=False)
class NeoModel:
    """An engine between two functions; either may raise `ClientError`."""

    _engine: Engine
    _preprocess: Callable[[bytes, str], Any]
    _postprocess: Callable[[Any], tuple[Any, str]]

    def answer(self, request: Request) -> Answer:
        """The prediction; 400 with a reason, or 500 without one, as the image has it."""
        try:
            content_type = request.header("Content-Type")
            if content_type is None:
                raise ValueError("Content type could not be deduced")
            inputs = self._preprocess(request.body, content_type)
            outputs = self._engine.run(_named(inputs, self._engine.input_names))
            result, kind = self._postprocess(outputs[0] if len(outputs) == 1 else outputs)
            return encoded(result, kind)
        except ClientError as error:
            log.exception("the request is refused")
            return Answer(status=400, body=f"ClientError: {error}".encode(), content_type=None)
        except Exception:
            log.exception("the request failed")
            return Answer(status=500, body=BROKEN.encode(), content_type=None)


def scripted_model(engine: Engine, script: Script) -> NeoModel:
    """An engine between the user's ``neo_preprocess`` and ``neo_postprocess``."""

    def preprocess(payload: bytes, content_type: str) -> Any:
        try:
            return script.neo_preprocess(bytearray(payload), content_type)
        except Exception as error:
            raise ClientError(f"User-defined pre-processing function failed:\n{error}") from error

    return NeoModel(engine, preprocess, script.neo_postprocess)


def row_model(engine: Engine) -> NeoModel:
    """XGBoost's image, which runs no code of the user's: CSV or libsvm in, CSV out."""
    return NeoModel(engine, _rows, _csv)


def _named(inputs: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Inputs by the model's names; raises `ClientError` when they are not the model's."""
    import numpy

    if isinstance(inputs, numpy.ndarray | numpy.generic):
        if len(names) != 1:
            raise ClientError(
                "User-defined pre-processing function returns a single input, but the model has "
                "multiple inputs."
            )
        return {names[0]: numpy.asarray(inputs)}
    if not isinstance(inputs, dict):
        raise ClientError(
            "User-defined pre-processing function must return either dict type or np.ndarray"
        )
    missing, unknown = set(names) - set(inputs), set(inputs) - set(names)
    if missing or unknown:
        text = f"Input name(s) mismatch: {set(inputs)} {set(names)}"
        if missing:
            text += f"\nExpected {', '.join(sorted(missing))} in input data"
        if unknown:
            text += (
                f"\nThe model does not accept the following inputs: {', '.join(sorted(unknown))}"
            )
        raise ClientError(text)
    return inputs


def _rows(payload: bytes, content_type: str) -> Any:
    import numpy

    lines = payload.decode().rstrip().split("\n")
    if content_type in ("text/libsvm", "text/x-libsvm"):
        return read_libsvm(lines)
    if content_type != "text/csv":
        raise ClientError(
            'Invalid content type. Accepted content types are "text/libsvm" and "text/csv". '
            f"Received {content_type}"
        )
    delimiter = csv.Sniffer().sniff(lines[0]).delimiter
    return numpy.array([line.split(delimiter) for line in lines]).astype(float)


def read_libsvm(lines: list[str], *, counts_from_one: bool = False) -> Any:
    """``label index:value …`` a line; what is not named is missing.

    With ``counts_from_one`` the first index is 1, unless there is a 0.
    """
    import numpy

    entries = [
        (row, int(index), float(value))
        for row, line in enumerate(lines)
        for index, colon, value in (token.partition(":") for token in line.split(" "))
        if colon
    ]
    if counts_from_one and min((column for _, column, _ in entries), default=0) >= 1:
        entries = [(row, column - 1, value) for row, column, value in entries]
    width = max((column for _, column, _ in entries), default=-1) + 1
    rows = numpy.full((len(lines), width), numpy.nan, dtype="float32")
    for row, column, value in entries:
        rows[row, column] = value
    return rows


def _csv(predictions: Any) -> tuple[str, str]:
    import numpy

    if predictions.shape[1] == 1:
        predictions = predictions.reshape((1, -1))
    text = io.StringIO()
    numpy.savetxt(text, predictions, delimiter=",", newline="\n")
    return text.getvalue(), "text/csv"

"""XGBoost's image without a script: its own algorithm, one model.

Source: aws/sagemaker-xgboost-container cb8df91 (``algorithm_mode/serve.py``, ``serve_utils.py``,
``encoder.py``, ``data_utils.py``), read on 2026-11-29; no image was run.
"""

from __future__ import annotations

import csv
import json
import logging
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.neo.engines import require_engine
from sagemaker_serving.model_server.neo.service import read_libsvm
from sagemaker_serving.model_server.toolkit.service import Answer, Request, document

log = logging.getLogger("worker")

_CSV, _JSON = "text/csv", "application/json"
LIBSVM = ("text/libsvm", "text/x-libsvm")
_ACCEPTS = (_JSON, "application/jsonlines", "application/x-recordio-protobuf", _CSV)
_ACCEPT = "SAGEMAKER_DEFAULT_INVOCATIONS_ACCEPT"
_NOT_HERE = "SAGEMAKER_INFERENCE_OUTPUT"


class XgboostAlgorithm:
    """A booster, and the image's ways to read rows and to write predictions."""

    def __init__(self, model_dir: Path, environ: Mapping[str, str]) -> None:
        """Raises `Mistake` for what the image does and this does not, and for other files."""
        require_engine("xgboost", "XGBoost")
        if environ.get(_NOT_HERE):
            raise Mistake(
                f"{_NOT_HERE} is set; on this machine XGBoost's image predicts, and tells nothing "
                "else; remove the variable, or try it on AWS"
            )
        files = [each for each in model_dir.iterdir() if each.is_file()]
        models = [each for each in files if not each.name.startswith(".")]
        if len(models) != 1:
            raise Mistake(f"{len(models)} files are at the model's top; one is served, the model")
        self._booster = _loaded(models[0])
        self._of_batch = environ.get("SAGEMAKER_BATCH") is not None
        self._environ = environ

    def answer(self, request: Request) -> Answer:
        """The predictions; statuses and words of a failure are the image's."""
        if not request.body:
            return _said(204, "")
        try:
            rows = _rows(request.body, request.header("Content-Type"))
        except Exception as error:
            log.exception("the body cannot be read")
            return self._unread(error)
        try:
            predictions = self._booster.predict(rows, validate_features=False).tolist()
        except Exception as error:
            log.exception("the rows cannot be evaluated")
            return _said(400, f"Unable to evaluate payload provided: {error}")
        return self._told(request.header("Accept") or "", predictions)

    def _unread(self, error: Exception) -> Answer:
        return _said(415, str(error))

    def _told(self, asked: str, predictions: list[Any]) -> Answer:
        asked = asked.partition(";")[0].strip()
        accept = self._environ.get(_ACCEPT, _CSV) if asked in ("", "*/*") else asked.lower()
        if asked not in ("", "*/*") and accept not in _ACCEPTS:
            wanted = f"Please use supported accept types: {list(_ACCEPTS)}."
            return _said(406, f"Accept type {asked} is not supported. {wanted}")
        if self._of_batch:
            return _said(200, "".join(f"{each}\n" for each in predictions), accept)
        if accept == _JSON:
            told = json.dumps({"predictions": [{"score": each} for each in predictions]})
            return _said(200, told, accept)
        if accept != _CSV:
            return _said(500, f"Content type {accept} is not supported by this framework.")
        lines = [each if isinstance(each, list) else [each] for each in predictions]
        return _said(200, "".join(",".join(map(str, each)) + "\n" for each in lines), accept)


class XgboostAmongMany(XgboostAlgorithm):
    """The same in multi-model mode, which Multi Model Server runs: it writes other answers.

    Source: ``algorithm_mode/handler_service.py`` and ``mms_patch/mms_transformer.py`` there;
    awslabs/multi-model-server, ``mms/service.py``.
    """

    def _unread(self, error: Exception) -> Answer:
        return document(503, "InternalServerException", "Prediction failed")

    def _told(self, asked: str, predictions: list[Any]) -> Answer:
        """The predictions, joined by commas or as an array."""
        accept = self._environ.get(_ACCEPT, _JSON) if asked in ("", "*/*") else asked.lower()
        if accept in (_CSV, "csv"):
            return _said(200, ",".join(map(str, predictions)), accept)
        if accept in (_JSON, "json"):
            return _said(200, json.dumps(predictions), accept)
        return _said(
            415,
            f"Encoding to accept type {asked} failed with exception: {asked} is not an accepted "
            f"Accept type. Please choose one of the following: ['{_CSV}', '{_JSON}'].",
        )


def _loaded(model: Path) -> Any:
    """The booster of a file: pickled, or as XGBoost saves it."""
    import xgboost

    try:
        with model.open("rb") as stream:
            return pickle.load(stream)  # the image does; the model is the user's own
    except Exception:
        return xgboost.Booster(model_file=str(model))


def _rows(body: bytes, content_type: str | None) -> Any:
    import xgboost

    kind = "libsvm" if content_type is None else content_type.partition(";")[0].strip().lower()
    lines = body.decode().strip().split("\n")
    if kind in ("libsvm", *LIBSVM):
        return xgboost.DMatrix(read_libsvm(lines, counts_from_one=True))
    if kind not in ("csv", _CSV):
        raise ValueError(f"Content-type {content_type} is not supported.")
    return xgboost.DMatrix(read_csv(lines))


def read_csv(lines: Sequence[str]) -> Any:
    """Rows of numbers; the delimiter is found, and what is empty is missing."""
    import numpy

    found = csv.Sniffer().sniff(lines[0][:512]).delimiter
    delimiter = "," if found.isalnum() else found
    rows = [[text or "nan" for text in line.split(delimiter)] for line in lines]
    return numpy.array(rows).astype(float)


def _said(status: int, text: str, kind: str = "text/html; charset=utf-8") -> Answer:
    return Answer(status=status, body=text.encode(), content_type=kind)

"""XGBoost's image with a script: its own functions, for those that the user's script has not.

Source: aws/sagemaker-xgboost-container cb8df91 (``serving.py``, ``encoder.py``), read on
2026-11-29; no image was run. The rest is sagemaker-containers', as in scikit-learn's image.
"""

from __future__ import annotations

from typing import Any

from sagemaker_serving.model_server.neo.engines import require_engine
from sagemaker_serving.model_server.neo.service import read_libsvm
from sagemaker_serving.model_server.neo.xgboost_algorithm import LIBSVM, read_csv
from sagemaker_serving.model_server.pytorch.codecs import CSV, JSON, UnsupportedFormat
from sagemaker_serving.model_server.pytorch.scikit_learn import model_fn, output_fn

__all__ = ["input_fn", "model_fn", "output_fn", "predict_fn"]


def input_fn(input_data: Any, content_type: str | None) -> Any:
    """CSV or libsvm as a ``DMatrix``; a line of CSV more than rows is an error, as in the image."""
    require_engine("xgboost", "XGBoost")
    import numpy
    import xgboost

    kind = (content_type or JSON).partition(";")[0].strip()
    text = input_data if isinstance(input_data, str) else bytes(input_data).decode()
    if kind == CSV:
        return xgboost.DMatrix(read_csv(text.split("\n")))
    if kind in LIBSVM:
        rows = read_libsvm(text.strip().split("\n"), counts_from_one=True)
        return xgboost.DMatrix(numpy.nan_to_num(rows))  # here the image takes zeros
    raise UnsupportedFormat(kind)


def predict_fn(data: Any, model: Any) -> Any:
    """What the booster predicts."""
    return model.predict(data, validate_features=False)

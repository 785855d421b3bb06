"""The package's extras, asked for by name before what they bring is missed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from sagemaker_serving.errors import Mistake

Extra = Literal[
    "cdk",
    "local",
    "onnxruntime",
    "plots",
    "ray",
    "simulation",
    "tensorflow",
    "torch",
    "xgboost",
]

_BRINGS = {
    "cdk": "aws_cdk",
    "local": "aiohttp",
    "onnxruntime": "onnxruntime",
    "plots": "matplotlib",
    "ray": "ray",
    "simulation": "simpy",
    "tensorflow": "tensorflow",
    "torch": "torch",
    "xgboost": "xgboost",
}
"""A module of each that nothing else brings."""


def is_here(extra: Extra) -> bool:
    """Whether what an extra brings is installed."""
    return find_spec(_BRINGS[extra]) is not None


def need(*extras: Extra) -> None:
    """Raises `Mistake`, naming what to install, unless all of these extras are here."""
    missing = [extra for extra in extras if not is_here(extra)]
    if missing:
        raise Mistake(
            f"this needs the extra {' and '.join(missing)}; "
            f"pip install 'sagemaker-serving[{','.join(missing)}]'"
        )

"""The package's extras, asked for by name before what they bring is missed."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any, Literal

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
    "tensorflow": "tensorflow",
    "torch": "torch",
    "xgboost": "xgboost",
}
"""A module of each that nothing else brings."""


def is_here(extra: Extra) -> bool:
    """Whether what an extra brings is installed."""
    return find_spec(_BRINGS[extra]) is not None


def installed() -> list[str]:
    """The extras that are here."""
    return [extra for extra, module in _BRINGS.items() if find_spec(module) is not None]


def need(*extras: Extra) -> None:
    """Raises `Mistake`, naming what to install, unless all of these extras are here."""
    missing = [extra for extra in extras if not is_here(extra)]
    if missing:
        what = "extra" if len(missing) == 1 else "extras"
        raise Mistake(
            f"this needs the {what} {' and '.join(missing)}; "
            f"pip install 'sagemaker-serving[{','.join(missing)}]'"
        )


def import_openvino() -> Any:
    """OpenVINO, which tells Google Analytics nothing.

    By itself it reports each import and conversion, unless its user has opted out: in a process for
    each event, which a machine without a network waits 3 seconds for. It does not, and neither does
    nncf, where ``openvino_telemetry`` cannot be imported (openvino/tools/ovc/telemetry_utils.py of
    2026.4.1, nncf/telemetry/wrapper.py of 3.4.0).
    """
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    import openvino

    return openvino

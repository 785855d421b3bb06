"""The package's extras, asked for by name before what they bring is missed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from sagemaker_serving.errors import Mistake

_BRINGS = {"local": "moto", "plots": "matplotlib", "tensorflow": "tensorflow"}


def need(*extras: Literal["local", "plots", "tensorflow"]) -> None:
    """Raises `Mistake`, naming what to install, unless all of these extras are here."""
    missing = [extra for extra in extras if find_spec(_BRINGS[extra]) is None]
    if missing:
        raise Mistake(
            f"this needs what the {' and '.join(missing)} extra brings; "
            f"pip install 'sagemaker-serving[{','.join(missing)}]'"
        )

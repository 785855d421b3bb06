from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

MODEL_ASSETS = Path(__file__).parents[2] / "model_assets"
DIGITS_CODE = MODEL_ASSETS / "digits" / "model" / "code"


@pytest.fixture(scope="session")
def model_assets() -> Path:
    return MODEL_ASSETS


@pytest.fixture(scope="session")
def held_out() -> list[Path]:
    return sorted((MODEL_ASSETS / "digits" / "held_out").glob("*.png"))


@pytest.fixture(scope="session")
def png() -> ModuleType:
    with _as_in_the_container():
        return _load(DIGITS_CODE / "lib" / "png.py")


@pytest.fixture(scope="session")
def inference() -> ModuleType:
    with _as_in_the_container():
        return _load(DIGITS_CODE / "inference.py")


@contextmanager
def _as_in_the_container() -> Iterator[None]:
    """The path that the container gives to handlers, and no bytecode left in model/."""
    added = [str(DIGITS_CODE), str(DIGITS_CODE / "lib")]
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path[:0] = added
    try:
        yield
    finally:
        for folder in added:
            sys.path.remove(folder)
        sys.modules.pop("png", None)
        sys.dont_write_bytecode = writes_bytecode


def _load(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"digits_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

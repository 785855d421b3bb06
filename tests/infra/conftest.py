from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import aws_cdk as cdk
import pytest

from sagemaker_serving.infra import ExecutionRole


class Bench:
    """A stack to build constructs in: a region, a role, and a model on disk."""

    def __init__(self, folder: Path, region: str = "eu-west-1") -> None:
        self.app = cdk.App(outdir=str(folder / "cdk.out"))
        self.stack = cdk.Stack(self.app, "Stack", env=cdk.Environment(region=region))
        self.role = ExecutionRole(self.stack, "Role")
        self.model_folder = folder / "model"
        self.write("digits/1/saved_model.pb", "graph")

    def write(self, name: str, text: str) -> None:
        path = self.model_folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.fixture
def new_bench(tmp_path: Path) -> Callable[[], Bench]:
    """Makes benches alike, each of its own."""
    numbers = count()
    return lambda: Bench(tmp_path / str(next(numbers)))

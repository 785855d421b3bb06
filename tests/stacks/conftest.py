from __future__ import annotations

import json
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Template

from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage
from tests.stacks.kinds import Kinds

ROOT = Path(__file__).parents[2]
SHIPPED = ("local", "dev", "staging", "prod")


class Synthesized:
    """The shipped environments as one app, and each of their templates."""

    def __init__(self, outdir: Path) -> None:
        context = json.loads((ROOT / "cdk.json").read_text())["context"]
        self.app = cdk.App(outdir=str(outdir), context=context)
        self.stages = {}
        for name in SHIPPED:
            file = read_environment(ROOT / "environments" / f"{name}.yaml")
            assert file.environment is not None
            self.stages[name] = EnvironmentStage(
                self.app, file.environment, folder=file.path.parent
            )

    def template(self, environment: str, stack: str) -> Template:
        return Template.from_stack(self.stages[environment].node.find_child(stack))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory: pytest.TempPathFactory) -> Synthesized:
    return Synthesized(tmp_path_factory.mktemp("assembly"))


@pytest.fixture(scope="session")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Kinds:
    """The examples of docs/kinds.md."""
    return Kinds(tmp_path_factory.mktemp("kinds"))

"""Nothing is accepted and ignored: each field of each kind changes its template, or is named.

Every field of every kind of docs/kinds.md is given another value, one at a
time; all of a kind's models are synthesized as one environment.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
import yaml

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from stacks import EnvironmentStage
from tests.stacks.field_changes import VALUES, Changed, changes
from tests.stacks.kinds import KINDS, PAGE, ROOT
from tests.today import TODAY

EXAMPLES = yaml.safe_load("".join(re.findall(r"```yaml\n(.*?)```", PAGE, re.S)))
CONTENT_HASH = re.compile(r'(?<=[0-9A-F]{8})[0-9a-f]{10}(?=")')
"""Ends the logical id of what is replaced when it changes: it holds the model's name, too."""


@pytest.mark.parametrize("kind", VALUES, ids=lambda kind: kind.__name__)
def test_every_field_has_another_value_to_try(kind: Any) -> None:
    assert set(VALUES[kind]) == set(kind.model_fields)


@pytest.mark.timeout(1200)  # hundreds of models, a minute alone; one that breaks off breaks jsii
@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_field_changes_the_template_or_is_named(kind: str, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    tried = [change for change in changes(EXAMPLES[kind]) if not workshop.names(change)]
    passed_over = workshop.without_effect(tried)
    assert [".".join(map(str, change.path)) for change in passed_over] == []


class Workshop:
    """A folder with the examples' model, in which environments are checked and synthesized."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: dict[str, frozenset[str]] = {}
        (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")

    def names(self, change: Changed) -> bool:
        """Whether a problem is found after the change that is not there before it."""
        return bool(self._found(change.after) - self._found(change.before))

    def without_effect(self, tried: list[Changed]) -> list[Changed]:
        """Those after which the template is as it was before."""
        models: list[dict[str, Any]] = []
        for model in (each for change in tried for each in (change.before, change.after)):
            if model not in models:
                models.append(model)
        templates = self._templates({f"m{n:03}x": model for n, model in enumerate(models)})

        def template(model: dict[str, Any]) -> str:
            return templates[f"m{models.index(model):03}x"]

        return [change for change in tried if template(change.before) == template(change.after)]

    def _found(self, model: dict[str, Any]) -> frozenset[str]:
        """Once for each model: most changes begin with the same one."""
        key = yaml.safe_dump(model)
        if key not in self._seen:
            self._seen[key] = self._problems(model)
        return self._seen[key]

    def _problems(self, model: dict[str, Any]) -> frozenset[str]:
        file = read_environment(self._write({"model": model}))
        if file.environment is None:
            return frozenset(str(problem) for problem in file.shape_problems)
        return frozenset(
            problem.message
            for problem in check_environment(file, today=TODAY)
            if problem.severity is not Severity.NOTE
        )

    def _templates(self, models: dict[str, Any]) -> dict[str, str]:
        """Each model's template, its name and what is made of it taken out."""
        environment = read_environment(self._write(models)).environment
        assert environment is not None
        context = json.loads((ROOT / "cdk.json").read_text())["context"]
        app = cdk.App(outdir=str(self._folder / "cdk.out"), context=context)
        stage = EnvironmentStage(app, environment, folder=self._folder)
        stacks = app.synth().get_nested_assembly(stage.artifact_id).stacks
        templates = {stack.stack_name.rpartition("-")[2]: stack.template for stack in stacks}
        return {
            name: CONTENT_HASH.sub("", json.dumps(templates[name]).replace(name, ""))
            for name in models
        }

    def _write(self, models: dict[str, Any]) -> Path:
        path = self._folder / "kinds.yaml"
        head = {"name": "kinds", "region": "eu-west-1", "storage": {"kms": True}}
        path.write_text(yaml.safe_dump({**head, "models": models}))
        return path

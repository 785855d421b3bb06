"""What the stacks make of an environment file, adopted and made again, is the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
import yaml

from sagemaker_serving.operations.adoption import adopt
from sagemaker_serving.rules import read_template
from sagemaker_serving.spec import read_environment
from sagemaker_serving.spec.members import ENDPOINT, ENDPOINT_CONFIG, MODEL
from stacks import EnvironmentStage
from tests.stacks.test_every_member import models

ROOT = Path(__file__).parents[3]
SCALING = "AWS::ApplicationAutoScaling"
COMPARED = {
    *(MODEL, ENDPOINT_CONFIG, ENDPOINT, "AWS::SageMaker::InferenceComponent"),
    *(f"{SCALING}::ScalableTarget", f"{SCALING}::ScalingPolicy"),
}
NETWORK = {"subnet_ids": ["subnet-1"], "security_group_ids": ["sg-1"]}
SCALED = {
    "min": 0,
    "max": 3,
    "backlog_per_instance": 5,
    "tracked_metrics": [{"metric_name": "CPUUtilization", "target": 60, "statistic": "Maximum"}],
    "step_policies": [
        {
            "metric_name": "ApproximateBacklogSize",
            "steps": [{"lower": 10, "upper": 50, "change": 1}, {"lower": 50, "change": 2}],
            "evaluation_minutes": 3,
            "cooldown_seconds": 90,
        }
    ],
    "schedules": [{"name": "night", "schedule": "cron(0 20 ? * * *)", "max": 1}],
    "scale_in_cooldown_seconds": 200,
}


def all_kinds() -> dict[str, Any]:
    found = deepcopy(models())
    found["later"]["scaling"] = {"all": SCALED}
    found["sharing"]["scaling"] = {"one": {"min": 1, "max": 4, "invocations_per_instance": 9}}
    found["sharing"]["inference_components"]["one"].pop("copy_count")
    return found


def templates(folder: Path, environment: Mapping[str, Any]) -> dict[str, Path]:
    """The template of each model, by what the endpoint is called."""
    folder.mkdir()
    (folder / "model").symlink_to(ROOT / "model_assets" / "half_plus_three" / "model")
    path = folder / "environment.yaml"
    path.write_text(yaml.safe_dump(environment))
    file = read_environment(path)
    assert file.environment is not None, file.shape_problems
    app = cdk.App(outdir=str(folder / "cdk.out"))
    stage = EnvironmentStage(app, file.environment, folder=folder)
    stacks = app.synth().get_nested_assembly(stage.artifact_id).stacks
    return {stack.stack_name: Path(stack.template_full_path) for stack in stacks}


def settings(path: Path, name: str) -> list[str]:
    """What the template sets, without what only its own names and references are."""
    resources = json.loads(path.read_text())["Resources"].values()
    return sorted(
        json.dumps([each["Type"], _plain(each["Properties"])], sort_keys=True).replace(name, "NAME")
        for each in resources
        if each["Type"] in COMPARED
    )


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        if any(key == "Ref" or key.startswith("Fn::") for key in value):
            return "a reference"
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    head = {"name": "old", "region": "eu-west-1", "storage": {"kms": True}, "network": NETWORK}
    folder = tmp_path_factory.mktemp("adoption") / "first"
    return templates(folder, {**head, "tags": {"team": "search"}, "models": all_kinds()})


@pytest.fixture(scope="module")
def adopted(first: dict[str, Path]) -> dict[str, dict[str, Any]]:
    """Each kind as it was read, with the artifacts and addresses that a template cannot tell."""
    found: dict[str, dict[str, Any]] = {}
    for kind, given in all_kinds().items():
        text = adopt(read_template(first[f"old-{kind}"]), name="new", region="eu-west-1").text
        (model,) = yaml.safe_load(text)["models"].values()
        if "artifact" in given:
            model["artifact"] = given["artifact"]
        if "asynchronous" in given:
            model["asynchronous"] |= {"success_topic": "new", "error_topic": "new"}
        for name, component in model.get("inference_components", {}).items():
            component["artifact"] = given["inference_components"][name]["artifact"]
        found[kind] = model
    return found


@pytest.fixture(scope="module")
def second(
    adopted: dict[str, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    head = {"name": "new", "region": "eu-west-1", "storage": {"kms": True}, "network": NETWORK}
    folder = tmp_path_factory.mktemp("adoption") / "second"
    return templates(folder, {**head, "tags": {"team": "search"}, "models": adopted})


@pytest.mark.parametrize("kind", all_kinds())
def test_what_is_adopted_makes_the_same_again(
    first: dict[str, Path], second: dict[str, Path], kind: str
) -> None:
    assert settings(second[f"new-{kind}"], f"new-{kind}") == settings(
        first[f"old-{kind}"], f"old-{kind}"
    )

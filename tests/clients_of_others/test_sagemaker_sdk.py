"""The SageMaker SDK v2 deploys a model and asks it, in an environment of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.clients_of_others.conftest import World
from tools.own_environments.environments import environment_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

CALLS = Path(__file__).with_name("sdk_calls.py")
NO_TELEMETRY = """\
SchemaVersion: "1.0"
SageMaker:
  PythonSDK:
    Modules:
      TelemetryOptOut: true
"""
"""Else the SDK tells AWS about each call, from a thread of its own."""


@pytest.fixture(scope="module")
def answers(world: World, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the SDK's own objects returned, by what was asked: see ``sdk_calls.py``."""
    settings = tmp_path_factory.mktemp("sdk") / "config.yaml"
    settings.write_text(NO_TELEMETRY)
    ended = subprocess.run(
        [
            str(environment_of("sagemaker_sdk") / "bin" / "python"),
            *(str(CALLS), world.model_data_url, world.role_arn),
        ],
        env=world.environment(
            {
                "SAGEMAKER_USER_CONFIG_OVERRIDE": str(settings),
                "SAGEMAKER_ADMIN_CONFIG_OVERRIDE": str(settings),
            }
        ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def test_a_deployed_model_is_in_service(answers: Any) -> None:
    assert answers["status"] == "InService"


def test_the_predictor_predicts(answers: Any) -> None:
    assert answers["predict"] == {"predictions": [3.5, 4.0, 5.5]}


def test_the_predictor_sends_numpy_arrays_as_json(answers: Any) -> None:
    assert answers["numpy"] == {"predictions": [[3.5, 4.0, 5.5]]}  # one instance, as on AWS


def test_the_predictor_sends_csv(answers: Any) -> None:
    assert answers["csv"] == {"predictions": [3.5, 4.0]}


def test_the_predictor_sends_jsonlines(answers: Any) -> None:
    assert answers["jsonlines"] == {"predictions": [3.5, 4.0]}


def test_the_predictor_regresses_and_classifies(answers: Any) -> None:
    assert answers["regress"] == {"results": [3.5, 4.0]}
    assert answers["classify"] == {"results": [[["", 3.5]], [["", 4.0]]]}


def test_the_plain_predictor_names_a_variant(answers: Any) -> None:
    assert answers["variant"] == {"predictions": [3.5]}


def test_a_model_and_a_version_can_be_named(answers: Any) -> None:
    assert answers["version"] == {"predictions": [3.5]}
    assert "ModelError" in answers["no such version"]


def test_delete_leaves_no_endpoint(answers: Any) -> None:
    assert answers["left"] == []

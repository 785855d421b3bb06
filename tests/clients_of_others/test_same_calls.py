"""The same calls to SageMaker SDK v2's Predictor and to this project's send the same bytes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sagemaker_serving.client import Predictor, TensorFlowPredictor, deserializers, serializers
from tests.clients_of_others.predictor_calls import outcomes
from tests.clients_of_others.test_sagemaker_sdk import NO_TELEMETRY
from tools.own_environments.environments import environment_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

SCRIPT = Path(__file__).with_name("predictor_calls.py")


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("home")
    settings = home / "config.yaml"
    settings.write_text(NO_TELEMETRY)
    ended = subprocess.run(
        [str(environment_of("sagemaker_sdk") / "bin" / "python"), str(SCRIPT)],
        env={
            "HOME": str(home),
            "AWS_DEFAULT_REGION": "eu-west-1",
            "SAGEMAKER_USER_CONFIG_OVERRIDE": str(settings),
            "SAGEMAKER_ADMIN_CONFIG_OVERRIDE": str(settings),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def ours() -> Any:
    kit = SimpleNamespace(
        Predictor=Predictor,
        TensorFlowPredictor=TensorFlowPredictor,
        serializers=serializers,
        deserializers=deserializers,
    )
    return json.loads(json.dumps(outcomes(kit)))


def test_every_call_sends_the_same_and_returns_the_same(theirs: Any, ours: Any) -> None:
    assert len(theirs) == 49  # as docs/client.md says
    different = {
        name: (theirs[name], ours.get(name)) for name in theirs if theirs[name] != ours.get(name)
    }
    assert different == {}

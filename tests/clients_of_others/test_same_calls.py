"""The same calls to SageMaker SDK v2's Predictor and to this project's send the same bytes."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from sagemaker_serving.client import Predictor, TensorFlowPredictor, deserializers, serializers
from tests.clients_of_others.conftest import said_by
from tests.clients_of_others.predictor_calls import outcomes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def theirs(without_telemetry: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = {"HOME": str(tmp_path_factory.mktemp("home")), "AWS_DEFAULT_REGION": "eu-west-1"}
    return said_by("sagemaker_sdk", "predictor_calls.py", environment={**home, **without_telemetry})


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

"""The SageMaker SDK v2 deploys a model and asks it, in an environment of its own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients_of_others.conftest import World, said_by

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def answers(world: World, without_telemetry: dict[str, str]) -> Any:
    """What the SDK's own objects returned, by what was asked: see ``sdk_calls.py``."""
    return said_by(
        *("sagemaker_sdk", "sdk_calls.py", world.model_data_url, world.role_arn),
        environment=world.environment(without_telemetry),
    )


def test_a_deployed_model_is_in_service(answers: Any) -> None:
    assert answers["status"] == "InService"


def test_the_predictor_predicts_classifies_and_tells_a_refusal(answers: Any) -> None:
    """What it sends in every other form is what `test_same_calls` compares with our own."""
    assert answers["predict"] == {"predictions": [3.5, 4.0, 5.5]}
    assert answers["classify"] == {"results": [[["", 3.5]], [["", 4.0]]]}
    assert "ModelError" in answers["no such version"]


def test_delete_leaves_no_endpoint(answers: Any) -> None:
    assert answers["left"] == []

"""sagemaker-core, which the SageMaker SDK v3 is built on, makes, asks, updates and deletes."""

from __future__ import annotations

from typing import Any

import pytest

from sagemaker_serving.catalog.images import container_image
from tests.clients_of_others.conftest import REGION, World, said_by

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def answers(world: World) -> Any:
    """What its objects returned, by what was asked: see ``core_calls.py``."""
    image = container_image(framework="tensorflow", version="2.19", region=REGION).uri
    return said_by(
        *("sagemaker_core", "core_calls.py", world.model_data_url, world.role_arn, image),
        environment=world.environment(),
    )


def test_an_endpoint_is_made_and_answers(answers: Any) -> None:
    assert answers["status"] == "InService"
    assert answers["predict"] == {"predictions": [3.5, 4.0, 5.5]}


def test_an_update_moves_to_another_config(answers: Any) -> None:
    assert answers["config"] == "by-core-2"
    assert answers["updated"] == {"predictions": [3.5, 4.0, 5.5]}


def test_it_finds_what_it_has_made_and_deletes_it(answers: Any) -> None:
    assert answers["listed"] == ["by-core"]
    assert answers["left"] == []

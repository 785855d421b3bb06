"""Ray Serve's container where it cannot start: said in one line, whether ray is here or not."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from sagemaker_serving.model_server.process import ModelServer, ServerNotHealthy

pytestmark = pytest.mark.slow

WITHOUT_RAY = importlib.util.find_spec("ray") is None


def last_line(model: Path, folder: Path, **environment: str) -> str:
    server = ModelServer.start(
        model, environment=environment, log_path=folder / "log", program="ray-serve"
    )
    try:
        with pytest.raises(ServerNotHealthy, match="ended with status 2") as failed:
            server.wait_until_healthy(60)
        return failed.value.log_lines[-1]
    finally:
        server.stop()


def test_a_model_without_an_application_is_refused(tmp_path: Path) -> None:
    model = tmp_path / "model"
    model.mkdir()
    said = last_line(model, tmp_path)
    assert "no config.yaml at its top, and SM_RAYSERVE_APP is not set" in said


@pytest.mark.parametrize("value", ["0", "300.5", "", "long"])
def test_a_time_out_that_the_adapter_does_not_take_is_refused(tmp_path: Path, value: str) -> None:
    said = last_line(tmp_path, tmp_path, RAYSERVE_BACKEND_TIMEOUT=value)
    assert f"RAYSERVE_BACKEND_TIMEOUT is '{value}'; it must be a whole number of at least 1" in said


@pytest.mark.skipif(not WITHOUT_RAY, reason="ray is here: test_ray runs")
def test_without_ray_it_says_what_to_install(tmp_path: Path) -> None:
    said = last_line(tmp_path, tmp_path, SM_RAYSERVE_APP="deployment:app")
    assert said.endswith("not installed here; pip install 'sagemaker-serving[ray]'")

"""A container version reaches every process: image 2.19, with TensorFlow and gunicorn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import log_of, running

pytestmark = [pytest.mark.slow, pytest.mark.long]

SCRIPT = """
try:
    import numpy
except ModuleNotFoundError as error:
    print("inference.py:", error)


def input_handler(data, context):
    return data.read()


def output_handler(response, context):
    return f"{len(context)} fields, status {response.status_code}", "text/plain"
"""


@pytest.fixture(scope="module")
def server(saved_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    folder = tmp_path_factory.mktemp("older")
    code = folder / "model" / "code"
    code.mkdir(parents=True)
    (code / "inference.py").write_text(SCRIPT)
    (folder / "model" / "half_plus_three").symlink_to(saved_models / "half_plus_three")
    with running(folder / "model", folder, container_version="2.19") as server:
        yield server


def test_the_output_handler_is_given_tf_serving_s_error_and_a_context_of_ten(
    server: ModelServer,
) -> None:
    response = requests.post(f"{server.place.url}/invocations", data=b"", timeout=120)
    assert (response.status_code, response.text) == (200, "10 fields, status 400")


def test_the_image_has_no_numpy_and_the_log_names_the_generation(server: ModelServer) -> None:
    log = log_of(server)
    assert "inference.py: No module named 'numpy'\n" in log
    assert "put into code/requirements.txt numpy" in log
    assert "container version 2.19: contract of generation B2" in log

"""Sentences of the container's README, and what holds each here.

README.md of aws/sagemaker-tensorflow-serving-container, da19256: variables, handlers, requests
and content types. Where the code beside it does something else, the code counts, and it is said.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import requests

from sagemaker_serving.catalog.variables import container_variable
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.handler.answering import Context, ContextTo219
from sagemaker_serving.model_server.handler.user_code import HandlerPair, load_handlers
from sagemaker_serving.model_server.plan import make_plan
from sagemaker_serving.model_server.settings import read_settings
from tests.model_server.contract.light import Light

TFS = "SAGEMAKER_TFS_"
BATCHING = {f"{TFS}ENABLE_BATCHING": "true"}
CPUS = os.cpu_count()


def read(name: str, text: str | None, beside: Mapping[str, str]) -> Any:
    """What the container makes of a variable, by the path to its setting."""
    settings: Any = read_settings({**beside, **({} if text is None else {name: text})})
    for part in SETTINGS[name].split("."):
        settings = getattr(settings, part)
    return settings


SETTINGS = {
    f"{TFS}ENABLE_BATCHING": "batching",
    f"{TFS}MAX_BATCH_SIZE": "batching.max_batch_size",
    f"{TFS}BATCH_TIMEOUT_MICROS": "batching.batch_timeout_micros",
    f"{TFS}NUM_BATCH_THREADS": "batching.num_batch_threads",
    f"{TFS}MAX_ENQUEUED_BATCHES": "batching.max_enqueued_batches",
    "SAGEMAKER_GUNICORN_LOGLEVEL": "gunicorn.loglevel",
    "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": "gunicorn.timeout_seconds",
    "SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS": "proxy_read_timeout_seconds",
}


@pytest.mark.parametrize(
    ("sentence", "name", "example", "default"),
    [
        ("Defaults to 8.", f"{TFS}MAX_BATCH_SIZE", "32", 8),
        ("Defaults to 1000 (1ms).", f"{TFS}BATCH_TIMEOUT_MICROS", "100000", 1000),
        ("Defaults to number of CPUs.", f"{TFS}NUM_BATCH_THREADS", "16", CPUS),
        ("number of CPUs for real-time inference", f"{TFS}MAX_ENQUEUED_BATCHES", "10000", CPUS),
        ('Defaults to "info"', "SAGEMAKER_GUNICORN_LOGLEVEL", "debug", "info"),
        ("Defaults to 30.", "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS", "60", 30),
        ("Defaults to 60.", "SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS", "120", 60),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("SAGE") else "",
)
def test_a_variable_has_the_readme_s_example_and_default(
    sentence: str, name: str, example: str, default: object
) -> None:
    assert read(name, None, BATCHING) == default, sentence
    assert str(read(name, example, BATCHING)) == example
    known = container_variable(name)
    assert known is not None
    assert known.takes(example)
    assert known.default == (None if default == CPUS else str(default))


def test_batching_defaults_to_false() -> None:
    """ "Configures whether to enable record batching. Defaults to false." """
    assert read_settings({}).batching is None
    assert read_settings(BATCHING).batching is not None


def test_batch_transform_enqueues_arbitrarily_many() -> None:
    """ "or arbitrarily large for batch transform" """
    name = f"{TFS}MAX_ENQUEUED_BATCHES"
    assert read(name, None, {**BATCHING, "SAGEMAKER_BATCH": "1"}) >= 10**6


def test_nginx_waits_no_shorter_than_gunicorn() -> None:
    """ "If SAGEMAKER_GUNICORN_TIMEOUT_SECONDS is greater, ... will be set to the value of" """
    name = "SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS"
    assert read(name, "120", {"SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": "200"}) == 200


@pytest.mark.parametrize("text", ["True", "true", "TRUE"])
def test_multi_model_mode_is_a_variable(text: str) -> None:
    """ "please start the container with environment variable SAGEMAKER_MULTI_MODEL=True" """
    environ = {"SAGEMAKER_MULTI_MODEL": text, "SAGEMAKER_SAFE_PORT_RANGE": "9000-9999"}
    assert read_settings(environ).multi_model


def test_ninety_percent_of_the_ports_are_two_for_each_model() -> None:
    """ "the maximum number of models ... would be 499 ((9999 - 9000) * 0.9 / 2)", which is 449."""
    environ = {"SAGEMAKER_MULTI_MODEL": "true", "SAGEMAKER_SAFE_PORT_RANGE": "9000-9999"}
    ports = read_settings(environ).model_ports
    assert min(len(ports.rest), len(ports.grpc)) == 449


@pytest.mark.parametrize(
    ("content_type", "body", "rows"),
    [
        ("application/json", '{"instances": [1.0, 2.0]}', [3.5, 4.0]),
        ("text/csv", "1.0\n2.0", [3.5, 4.0]),
        ("application/jsonlines", "[1.0]\n[2.0]", [[3.5], [4.0]]),
    ],
)
def test_a_request_is_of_one_of_three_types(
    container: Light, content_type: str, body: str, rows: list[object]
) -> None:
    """ "The container will convert data in these formats to TensorFlow Serving REST API" """
    for generation in Generation:
        answer = asked(container, generation, body, content_type, "application/json")
        assert (answer.status_code, answer.json()) == (200, {"predictions": rows}), generation


def test_a_request_without_a_type_is_refused_though_json_is_the_default(container: Light) -> None:
    """ "application/json (default)": of a handler's context. tensorflowServing.js answers 415."""
    for generation in Generation:
        answer = asked(container, generation, "[1.0]", None, None)
        assert answer.status_code == 415, generation
        assert answer.json() == {"error": "Unsupported Media Type: Unknown"}


@pytest.mark.parametrize("accept", ["application/json", "application/jsonlines"])
def test_an_answer_is_of_one_of_two_types(container: Light, accept: str) -> None:
    """ "And the following content types for responses"; images from 2.20 say JSON for both."""
    for generation in Generation:
        answer = asked(container, generation, "[1.0]", "application/json", accept)
        wanted = "application/json" if generation is Generation.C else accept
        assert answer.headers["Content-Type"] == wanted, generation


def asked(
    container: Light,
    generation: Generation,
    body: str,
    content_type: str | None,
    accept: str | None,
) -> requests.Response:
    return requests.post(
        f"http://127.0.0.1:{container.fronts[generation]}/invocations",
        data=body,
        headers={"Content-Type": content_type, "Accept": accept},
        timeout=120,
    )


def test_one_handler_makes_the_pair_ignored(tmp_path: Path) -> None:
    """ "if handler function is implemented, input_handler and output_handler will be ignored" """
    script = tmp_path / "inference.py"
    pair = "def input_handler(data, context): ...\ndef output_handler(data, context): ...\n"
    script.write_text(pair)
    assert isinstance(load_handlers(script), HandlerPair)
    script.write_text(f"{pair}def handler(data, context): ...")
    assert not isinstance(load_handlers(script), HandlerPair)


@pytest.mark.parametrize("context", [Context, ContextTo219])
def test_the_context_has_the_readme_s_attributes(context: Any) -> None:
    """ "The Context is a namedtuple with following attributes"; ``grpc_uri`` is none of them.

    The README named that up to 08980a3 (#168), and the service's has been ``grpc_port``.
    """
    documented = (
        *("model_name", "model_version", "method", "rest_uri", "grpc_port"),
        *("custom_attributes", "request_content_type", "accept_header", "content_length"),
    )
    assert set(documented) < set(context._fields)
    assert "grpc_uri" not in context._fields


def test_requirements_are_installed_unless_there_is_a_lib_folder(tmp_path: Path) -> None:
    """ "If your model archive contains code/requirements.txt, the container will install ..." and
    "pre-downloaded dependencies under code/lib"."""
    code = tmp_path / "code"
    (tmp_path / "model1" / "1").mkdir(parents=True)
    (tmp_path / "model1" / "1" / "saved_model.pb").touch()
    code.mkdir()
    (code / "requirements.txt").touch()
    (code / "inference.py").touch()
    plan = make_plan(tmp_path, tmp_path, {}, None)
    assert plan.requirements() == code / "requirements.txt"
    assert plan.worker_paths() == [code]
    (code / "lib").mkdir()
    assert plan.requirements() is None
    assert plan.worker_paths() == [code, code / "lib"]

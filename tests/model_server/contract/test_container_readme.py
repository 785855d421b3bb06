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

from sagemaker_serving.catalog.variables import container_variable
from sagemaker_serving.model_server.handler.user_code import HandlerPair, load_handlers
from sagemaker_serving.model_server.plan import make_plan
from sagemaker_serving.model_server.settings import read_settings

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


@pytest.mark.parametrize("text", ["True", "true", "TRUE"])
def test_multi_model_mode_is_a_variable(text: str) -> None:
    """ "please start the container with environment variable SAGEMAKER_MULTI_MODEL=True" """
    environ = {"SAGEMAKER_MULTI_MODEL": text, "SAGEMAKER_SAFE_PORT_RANGE": "9000-9999"}
    assert read_settings(environ).multi_model


def test_one_handler_makes_the_pair_ignored(tmp_path: Path) -> None:
    """ "if handler function is implemented, input_handler and output_handler will be ignored" """
    script = tmp_path / "inference.py"
    pair = "def input_handler(data, context): ...\ndef output_handler(data, context): ...\n"
    script.write_text(pair)
    assert isinstance(load_handlers(script), HandlerPair)
    script.write_text(f"{pair}def handler(data, context): ...")
    assert not isinstance(load_handlers(script), HandlerPair)


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

"""How the container's variables show in its log."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping

import pytest

from sagemaker_serving.model_server.commands import (
    gunicorn_command,
    log_settings,
    nginx_config,
    service_environment,
    tfs_command,
)
from sagemaker_serving.model_server.settings import read_settings

TFS = "tensorflow_model_server"
REST = "--model_config_file=/sagemaker/model-config.cfg --max_num_load_retries=0"
BATCHING = "--enable_batching=true --batching_parameters_file=/sagemaker/batching-config.cfg"


def said(caplog: pytest.LogCaptureFixture, environ: Mapping[str, str]) -> list[str]:
    with caplog.at_level(logging.INFO):
        log_settings(read_settings(environ), environ)
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    ("environ", "instance", "command"),
    [
        ({}, 0, f"{TFS} --port=9000 --rest_api_port=8501 {REST}"),
        ({"SAGEMAKER_SAFE_PORT_RANGE": "9100-9199", "SAGEMAKER_TFS_INSTANCE_COUNT": "2"}, 1,
         f"{TFS} --port=9102 --rest_api_port=9103 {REST}"),
        ({"SAGEMAKER_TFS_ENABLE_BATCHING": "true"}, 0,
         f"{TFS} --port=9000 --rest_api_port=8501 {REST} {BATCHING}"),
        ({"SAGEMAKER_TFS_INTER_OP_PARALLELISM": "2", "SAGEMAKER_TFS_INTRA_OP_PARALLELISM": "3"}, 0,
         f"{TFS} --port=9000 --rest_api_port=8501 {REST} "
         "--tensorflow_intra_op_parallelism=3 --tensorflow_inter_op_parallelism=2"),
    ],
)  # fmt: skip
def test_tensorflow_serving_s_command_shows_what_is_set(
    environ: dict[str, str], instance: int, command: str
) -> None:
    assert tfs_command(read_settings(environ), instance) == command


def test_gunicorn_s_command_shows_what_is_set() -> None:
    settings = read_settings(
        {
            "SAGEMAKER_GUNICORN_WORKERS": "2",
            "SAGEMAKER_GUNICORN_THREADS": "3",
            "SAGEMAKER_GUNICORN_LOGLEVEL": "debug",
            "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": "40",
            "SAGEMAKER_GUNICORN_WORKER_CLASS": "gthread",
        }
    )
    assert gunicorn_command(settings) == (
        "python3 /sagemaker/python_service.py -b unix:/tmp/gunicorn.sock -k gthread "
        "--chdir /sagemaker --workers 2 --threads 3 --log-level debug --timeout 40"
    )


def test_batching_s_defaults_are_named_with_what_sets_them(
    caplog: pytest.LogCaptureFixture,
) -> None:
    environ = {
        "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
        "SAGEMAKER_TFS_MAX_BATCH_SIZE": "16",
        "SAGEMAKER_TFS_NUM_BATCH_THREADS": "3",
        "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "7",
    }
    assert said(caplog, environ) == [
        "batching is enabled",
        "batch_timeout_micros defaulted to 1000. Set SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS to "
        "override default. Tuning this parameter may yield better performance.\n",
        "batching config: \nmax_batch_size { value: 16 }\nbatch_timeout_micros { value: 1000 }\n"
        "num_batch_threads { value: 3 }\nmax_enqueued_batches { value: 7 }\n\n",
    ]


def test_defaults_are_one_warning_with_a_line_each(caplog: pytest.LogCaptureFixture) -> None:
    lines = said(caplog, {"SAGEMAKER_TFS_ENABLE_BATCHING": "true"})[1].splitlines()
    processors = os.cpu_count()
    assert [line.partition(" Set ")[0] for line in lines] == [
        "max_batch_size defaulted to 8.",
        "batch_timeout_micros defaulted to 1000.",
        f"num_batch_threads defaulted to {processors},the number of CPUs.",
        f"max_enqueued_batches defaulted to {processors}.",
    ]


@pytest.mark.parametrize(
    ("gunicorn", "nginx", "read_timeout", "raised"),
    [("30", "60", 60, False), ("90", "60", 90, True), ("60", "60", 60, False)],
)
def test_nginx_waits_at_least_as_long_as_gunicorn(
    caplog: pytest.LogCaptureFixture, gunicorn: str, nginx: str, read_timeout: int, raised: bool
) -> None:
    environ = {
        "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": gunicorn,
        "SAGEMAKER_NGINX_PROXY_READ_TIMEOUT_SECONDS": nginx,
        "SAGEMAKER_TFS_NGINX_LOGLEVEL": "warn",
        "SAGEMAKER_BIND_TO_PORT": "8081",
    }
    setting = f"Setting Nginx proxy read timeout from {nginx} seconds to {gunicorn} seconds"
    assert any(setting in line for line in said(caplog, environ)) is raised
    config = nginx_config(read_settings(environ), "m", has_worker=False, quotes_model=True)
    for line in ("error_log  /dev/stderr warn;", f"proxy_read_timeout {read_timeout};"):
        assert config.splitlines().count(line) == 1
    assert "listen 8081 deferred;" in config


def test_nginx_s_configuration_shows_where_requests_go_and_which_model_answers() -> None:
    settings = read_settings(
        {"SAGEMAKER_SAFE_PORT_RANGE": "9100-9199", "SAGEMAKER_TFS_INSTANCE_COUNT": "2"}
    )
    today = nginx_config(settings, "m", has_worker=True, quotes_model=True).splitlines()
    assert "upstream tfs_upstream { server localhost:9101; server localhost:9103; }" in today
    assert "location /ping { proxy_pass http://gunicorn_upstream/ping; }" in today
    assert 'set $default_tfs_model "m";' in today
    before = nginx_config(read_settings({}), "m", has_worker=False, quotes_model=False).splitlines()
    assert "upstream tfs_upstream { server localhost:8501; }" in before
    assert "location /invocations { js_content tensorflowServing.invocations; }" in before
    assert "set $default_tfs_model m;" in before


def test_the_service_is_told_the_engines_ports() -> None:
    assert service_environment([9101, 9103], [9100, 9102], "m") == {
        "TFS_REST_PORTS": "9101,9103",
        "TFS_GRPC_PORTS": "9100,9102",
        "TFS_DEFAULT_MODEL_NAME": "m",
    }

"""How the container's variables show in its log."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping

import pytest

from sagemaker_serving.errors import Mistake
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


ON = {"SAGEMAKER_TFS_ENABLE_BATCHING": "true"}


def test_an_empty_environment_has_the_defaults_of_the_image() -> None:
    settings = read_settings({})
    assert settings.default_model_name is None
    assert settings.batching is None
    assert settings.instance_count == 1
    assert settings.wait_time_seconds is None
    assert settings.proxy_read_timeout_seconds == 60
    assert settings.rest_port(0) is None
    assert settings.grpc_port(0) == 9000
    assert vars(settings.gunicorn) == {
        "worker_class": "gevent",
        "workers": 1,
        "threads": 1,
        "timeout_seconds": 30,
        "loglevel": "info",
    }


def test_the_batching_file_has_the_lines_of_the_container() -> None:
    batching = read_settings(ON | {"SAGEMAKER_TFS_MAX_BATCH_SIZE": "16"}).batching
    assert batching is not None
    assert batching.config() == (
        "max_batch_size { value: 16 }\n"
        "batch_timeout_micros { value: 1000 }\n"
        f"num_batch_threads {{ value: {os.cpu_count()} }}\n"
        f"max_enqueued_batches {{ value: {os.cpu_count()} }}\n"
    )


def test_batch_transform_lifts_the_queue_limit() -> None:
    batching = read_settings(ON | {"SAGEMAKER_BATCH": ""}).batching
    assert batching is not None
    assert batching.max_enqueued_batches == 100_000_000


def test_a_timeout_of_zero_is_kept() -> None:
    batching = read_settings(ON | {"SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "0"}).batching
    assert batching is not None
    assert batching.batch_timeout_micros == 0


@pytest.mark.parametrize(
    ("port_range", "rest", "grpc"),
    [
        ("9000-9999", range(9000, 9449), range(9449, 9899)),
        ("9000-9023", range(9000, 9010), range(9010, 9020)),
        ("9000-9002", range(9000, 9000), range(9000, 9001)),
    ],
)
def test_models_share_nine_tenths_of_a_port_range_half_for_rest_and_half_for_grpc(
    port_range: str, rest: range, grpc: range
) -> None:
    settings = read_settings({"SAGEMAKER_SAFE_PORT_RANGE": port_range})
    assert (settings.model_ports.rest, settings.model_ports.grpc) == (rest, grpc)


def test_one_of_bucket_and_prefix_alone_is_ignored() -> None:
    bucket = {"SAGEMAKER_MULTI_MODEL_UNIVERSAL_BUCKET": "b"}
    prefix = {"SAGEMAKER_MULTI_MODEL_UNIVERSAL_PREFIX": "p"}
    assert not read_settings(bucket).universal_code.is_in_s3
    assert not read_settings(prefix).universal_code.is_in_s3
    assert read_settings(bucket | prefix).universal_code.is_in_s3


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"SAGEMAKER_TFS_ENABLE_BATCHING": "yes"},
         "SAGEMAKER_TFS_ENABLE_BATCHING must be 'true' or 'false'; it is 'yes'"),
        ({"SAGEMAKER_MULTI_MODEL": "1"},
         "SAGEMAKER_MULTI_MODEL must be 'true' or 'false'; it is '1'"),
        ({"SAGEMAKER_MULTI_MODEL": "True"},
         "SAGEMAKER_SAFE_PORT_RANGE must be set when SAGEMAKER_MULTI_MODEL is 'true', as "
         "SageMaker does; set two ports like '9000-9999'"),
        ({"SAGEMAKER_BIND_TO_PORT": "70000"},
         "SAGEMAKER_BIND_TO_PORT must be at most 65535; it is '70000'"),
        ({"SAGEMAKER_TFS_NGINX_LOGLEVEL": "verbose"},
         "SAGEMAKER_TFS_NGINX_LOGLEVEL must be one of debug, info, notice, warn, error, crit, "
         "alert, emerg; it is 'verbose'"),
        ({"SAGEMAKER_SERVING_MEMORY_LIMIT_MB": "4 GB"},
         "SAGEMAKER_SERVING_MEMORY_LIMIT_MB must be a whole number of at least 1; it is '4 GB'"),
        ({"SAGEMAKER_SERVING_UNIVERSAL_CODE": "/no/such/folder"},
         "SAGEMAKER_SERVING_UNIVERSAL_CODE is '/no/such/folder', which is no folder"),
        ({"SAGEMAKER_MULTI_MODEL_UNIVERSAL_BUCKET": "b",
          "SAGEMAKER_MULTI_MODEL_UNIVERSAL_PREFIX": "p", "AWS_REGION": "us-gov-west-1"},
         "SAGEMAKER_MULTI_MODEL_UNIVERSAL_BUCKET: universal scripts are not supported in "
         "us-iso-east-1 or us-gov-west-1"),
        (ON | {"SAGEMAKER_TFS_MAX_BATCH_SIZE": "0"},
         "SAGEMAKER_TFS_MAX_BATCH_SIZE must be a whole number of at least 1; it is '0'"),
        ({"SAGEMAKER_GUNICORN_WORKERS": "two"},
         "SAGEMAKER_GUNICORN_WORKERS must be a whole number of at least 1; it is 'two'"),
        ({"SAGEMAKER_TFS_INTER_OP_PARALLELISM": "-1"},
         "SAGEMAKER_TFS_INTER_OP_PARALLELISM must be a whole number of at least 0; it is '-1'"),
        ({"SAGEMAKER_TFS_FRACTIONAL_GPU_MEM_MARGIN": "20%"},
         "SAGEMAKER_TFS_FRACTIONAL_GPU_MEM_MARGIN must be a number from 0 to 1; it is '20%'"),
        ({"SAGEMAKER_SAFE_PORT_RANGE": "9000"},
         "SAGEMAKER_SAFE_PORT_RANGE is '9000'; it must be two ports like '9000-9999'"),
        ({"SAGEMAKER_SAFE_PORT_RANGE": "9000-9001"},
         "not enough ports available in SAGEMAKER_SAFE_PORT_RANGE (9000-9001): "
         "SAGEMAKER_TFS_INSTANCE_COUNT=1 takes 2"),
    ],
)  # fmt: skip
def test_a_value_the_container_refuses_is_named(environ: dict[str, str], message: str) -> None:
    with pytest.raises(Mistake) as refused:
        read_settings(environ)
    assert str(refused.value) == message

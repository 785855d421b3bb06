from __future__ import annotations

import os

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.settings import read_settings

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

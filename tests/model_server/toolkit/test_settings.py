"""The variables of TorchServe's and Multi Model Server's containers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.toolkit.contract import (
    CONTRACTS,
    loads_models,
    toolkit_contract,
)
from sagemaker_serving.model_server.toolkit.settings import Settings, read_settings

NEWEST, OLDER = toolkit_contract("2.6"), toolkit_contract("2.3")

DEFAULTS = Settings(
    module="inference",
    default_accept="application/json",
    workers=1,
    response_timeout_seconds=60,
    largest_request_bytes=6_553_500,
    largest_response_bytes=6_553_500,
    queue_size=100,
    multi_model=False,
    memory_limit_mb=None,
)


def test_the_defaults() -> None:
    assert read_settings({}) == DEFAULTS
    assert read_settings({}, OLDER) == DEFAULTS
    assert read_settings({}, NEWEST) == replace(DEFAULTS, response_timeout_seconds=120)


@pytest.mark.parametrize(
    ("environ", "name", "value"),
    [
        ({"SAGEMAKER_PROGRAM": "entry.py"}, "module", "entry"),
        ({"SAGEMAKER_PROGRAM": "entry"}, "module", "entry"),
        ({"SAGEMAKER_PROGRAM": ""}, "module", "inference"),
        ({"SAGEMAKER_DEFAULT_INVOCATIONS_ACCEPT": "text/csv"}, "default_accept", "text/csv"),
        ({"SAGEMAKER_MODEL_SERVER_WORKERS": "3"}, "workers", 3),
        (
            {"TS_DEFAULT_WORKERS_PER_MODEL": "2", "SAGEMAKER_MODEL_SERVER_WORKERS": "3"},
            "workers",
            2,
        ),
        # Any variable of its own makes TorchServe's toolkit forget the general ones, and it starts
        # the fewest.
        ({"SAGEMAKER_TS_MIN_WORKERS": "4", "SAGEMAKER_TS_MAX_WORKERS": "5"}, "workers", 4),
        ({"SAGEMAKER_MODEL_SERVER_WORKERS": "3", "SAGEMAKER_TS_OTHER": "2"}, "workers", 3),
        ({"SAGEMAKER_MODEL_SERVER_WORKERS": "3", "SAGEMAKER_TS_BATCH_SIZE": "2"}, "workers", 1),
        ({"SAGEMAKER_MODEL_SERVER_TIMEOUT": "5"}, "response_timeout_seconds", 5),
        ({"MMS_DEFAULT_RESPONSE_TIMEOUT": "500"}, "response_timeout_seconds", 500),
        ({"TS_MAX_REQUEST_SIZE": "10"}, "largest_request_bytes", 10),
        ({"MMS_MAX_RESPONSE_SIZE": "11"}, "largest_response_bytes", 11),
        ({"TS_JOB_QUEUE_SIZE": "7"}, "queue_size", 7),
        ({"SAGEMAKER_SERVING_MEMORY_LIMIT_MB": "8"}, "memory_limit_mb", 8),
    ],
)
def test_each_variable(environ: dict[str, str], name: str, value: object) -> None:
    assert getattr(read_settings(environ), name) == value


@pytest.mark.parametrize("value", ["", "0", "-1", "1.5", "many"])
def test_a_number_that_is_none_is_named(value: str) -> None:
    with pytest.raises(Mistake) as refused:
        read_settings({"SAGEMAKER_MODEL_SERVER_TIMEOUT": value})
    assert str(refused.value) == (
        f"SAGEMAKER_MODEL_SERVER_TIMEOUT must be a whole number of at least 1; it is {value!r}"
    )


@pytest.mark.parametrize(
    ("environ", "seconds_2_3", "seconds_2_6"),
    [
        ({"SAGEMAKER_MODEL_SERVER_TIMEOUT": "7"}, 7, 120),
        ({"TS_DEFAULT_RESPONSE_TIMEOUT": "9", "SAGEMAKER_MODEL_SERVER_TIMEOUT": "7"}, 9, 9),
        ({"SAGEMAKER_TS_BATCH_SIZE": "2", "SAGEMAKER_MODEL_SERVER_TIMEOUT": "7"}, 60, 60),
        ({"SAGEMAKER_TS_RESPONSE_TIMEOUT": "8", "TS_DEFAULT_RESPONSE_TIMEOUT": "9"}, 8, 8),
        ({"MMS_DEFAULT_RESPONSE_TIMEOUT": "5"}, 60, 120),
        (
            {"SAGEMAKER_MULTI_MODEL": "true", "SAGEMAKER_TS_RESPONSE_TIMEOUT": "8"},
            60,
            120,
        ),
    ],
)
def test_what_sets_the_time_of_one_request(
    environ: dict[str, str], seconds_2_3: int, seconds_2_6: int
) -> None:
    """As GET /models/model of TorchServe 0.11.0 and 0.12.0 told it on 2026-11-23."""
    assert read_settings(environ, OLDER).response_timeout_seconds == seconds_2_3
    assert read_settings(environ, NEWEST).response_timeout_seconds == seconds_2_6


def test_the_newest_image_s_toolkit_still_reads_the_time_that_it_loses() -> None:
    with pytest.raises(Mistake, match="SAGEMAKER_MODEL_SERVER_TIMEOUT must be a whole number"):
        read_settings({"SAGEMAKER_MODEL_SERVER_TIMEOUT": "long"}, NEWEST)


def test_neo_s_containers_serve_one_model() -> None:
    with pytest.raises(Mistake, match=r"this image's container serves one model"):
        read_settings({"SAGEMAKER_MULTI_MODEL": "true"})
    assert read_settings({"SAGEMAKER_MULTI_MODEL": "true"}, NEWEST).multi_model


@pytest.mark.parametrize(
    ("version", "server"),
    [
        *(("1.4", "1.0"), ("1.12.1", "0.6.1"), ("1.13", "0.11.0"), ("2.0", "0.8.2")),
        *(("2.1", "0.11.0"), ("2.3.0", "0.11.0"), ("2.4", "0.12.0"), ("2.99", "0.12.0")),
    ],
)
def test_each_version_has_its_server(version: str, server: str) -> None:
    assert toolkit_contract(version).server == server


def test_a_version_that_is_none_is_named() -> None:
    with pytest.raises(Mistake, match=r"container version is 'new'; it must be a framework vers"):
        toolkit_contract("new")


def test_the_newest_image_loads_no_model_unless_a_variable_says_so() -> None:
    assert [each.images for each in CONTRACTS if not loads_models(each, {})] == ["from 2.4"]
    assert loads_models(NEWEST, {"TS_ENABLE_MODEL_API": "True"})
    assert not loads_models(NEWEST, {"TS_ENABLE_MODEL_API": "1"})

"""The variables of TorchServe's and Multi Model Server's containers."""

from __future__ import annotations

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.toolkit.settings import Settings, read_settings

DEFAULTS = Settings(
    program="inference.py",
    default_accept="application/json",
    workers=1,
    response_timeout_seconds=60,
    largest_request_bytes=6_553_500,
    largest_response_bytes=6_553_500,
    queue_size=100,
)


def test_the_defaults() -> None:
    assert read_settings({}) == DEFAULTS


@pytest.mark.parametrize(
    ("environ", "name", "value"),
    [
        ({"SAGEMAKER_PROGRAM": "entry.py"}, "module", "entry"),
        ({"SAGEMAKER_PROGRAM": "entry"}, "module", "entry"),
        ({"SAGEMAKER_PROGRAM": ""}, "module", "inference"),
        ({"SAGEMAKER_DEFAULT_INVOCATIONS_ACCEPT": "text/csv"}, "default_accept", "text/csv"),
        ({"SAGEMAKER_MODEL_SERVER_WORKERS": "3"}, "workers", 3),
        ({"SAGEMAKER_TS_MAX_WORKERS": "4"}, "workers", 4),
        # Any variable of its own makes TorchServe's toolkit forget the general ones.
        ({"SAGEMAKER_MODEL_SERVER_WORKERS": "3", "SAGEMAKER_TS_BATCH_SIZE": "2"}, "workers", 1),
        ({"SAGEMAKER_MODEL_SERVER_TIMEOUT": "5"}, "response_timeout_seconds", 5),
        ({"SAGEMAKER_TS_RESPONSE_TIMEOUT": "6"}, "response_timeout_seconds", 6),
        ({"MMS_DEFAULT_RESPONSE_TIMEOUT": "500"}, "response_timeout_seconds", 500),
        ({"TS_MAX_REQUEST_SIZE": "10"}, "largest_request_bytes", 10),
        ({"MMS_MAX_RESPONSE_SIZE": "11"}, "largest_response_bytes", 11),
        ({"TS_JOB_QUEUE_SIZE": "7"}, "queue_size", 7),
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


def test_several_models_in_one_container_are_refused() -> None:
    with pytest.raises(Mistake, match="several models in one container for TensorFlow only"):
        read_settings({"SAGEMAKER_MULTI_MODEL": "true"})

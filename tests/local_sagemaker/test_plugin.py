"""SageMaker is plugged into a local AWS where what it needs is installed, and only there."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from sagemaker_serving import extras
from tests.local_aws.aws import REGION


@contextmanager
def running(folder: Path) -> Iterator[Gateway]:
    gateway = Gateway(folder)
    gateway.start()
    try:
        yield gateway
    finally:
        gateway.stop()


def test_without_its_extra_it_is_left_out_and_no_endpoint_is_pretended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(extras._BRINGS, "local", "a_module_that_nobody_has")
    with caplog.at_level(logging.WARNING), running(tmp_path) as gateway:
        client = gateway.context.client
        with pytest.raises(ClientError, match="does not offer CreateModel of sagemaker"):
            client("sagemaker", REGION).create_model(ModelName="m")
        assert client("sqs", REGION).create_queue(QueueName="q")["QueueUrl"]
    assert "SageMaker is left out" in caplog.text
    assert "pip install 'sagemaker-serving[local]'" in caplog.text


def test_with_it_the_service_is_there(tmp_path: Path) -> None:
    with running(tmp_path) as gateway:
        assert gateway.context.client("sagemaker", REGION).list_models()["Models"] == []

"""A local AWS whose jobs are quick, and the functions' clients pointed at it."""

from __future__ import annotations

from collections.abc import Iterator

import boto3
import pytest

from local_aws.faults import Fault, Kind
from sagemaker_serving.functions.custom_resource import clients
from sagemaker_serving.local_sagemaker.compilation_jobs import run as compilation_run
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import REGION, Aws, archive, gateway_of, shell_of
from tests.local_aws.stand_in import StandIn


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    gateway = gateway_of(tmp_path_factory.mktemp("aws"), launch=StandIn.start)
    gateway.start()
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(compilation_run, "STARTING_SECONDS", 0.02)
        patches.setattr(compilation_run, "COMPILING_SECONDS", 0.02)
        for name, value in {**shell_of(gateway), "AWS_DEFAULT_REGION": REGION}.items():
            patches.setenv(name, value)
        patches.setattr(boto3, "DEFAULT_SESSION", None)  # it would know another test's keys
        clients.client.cache_clear()
        try:
            here = Aws(gateway)
            here.s3.put_object(
                Bucket="models", Key="keras.tar.gz", Body=archive({"model.h5": b"weights"})
            )
            yield here
        finally:
            clients.client.cache_clear()
            gateway.stop()


@pytest.fixture(autouse=True)
def _no_faults_are_left(aws: Aws) -> Iterator[None]:
    yield
    aws.gateway.context.faults.clear()


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    listener = Listener()
    try:
        yield listener
    finally:
        listener.close()


@pytest.fixture
def slowly(aws: Aws) -> None:
    """Jobs take a minute, unless somebody stops them."""
    aws.gateway.context.faults.put(Fault(id="slow", kind=Kind.SLOW, latency_ms=60_000))

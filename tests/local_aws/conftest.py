"""A gateway for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, StandIn, gateway_of


@pytest.fixture(scope="module")
def settings() -> Settings:
    """What a test module sets of the local SageMaker: nothing, unless it has its own."""
    return Settings()


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Aws]:
    """A gateway of its own per test module, with stand-in model servers."""
    gateway = gateway_of(tmp_path_factory.mktemp("aws"), launch=StandIn.start, settings=settings)
    gateway.start()
    try:
        yield Aws(gateway)
    finally:
        gateway.stop()

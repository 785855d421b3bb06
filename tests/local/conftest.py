"""A gateway for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sagemaker_serving.local.gateway import Gateway
from sagemaker_serving.local_sagemaker.settings import Settings
from tests.local.aws import REGION, Aws, StandIn


@pytest.fixture(scope="module")
def settings() -> Settings:
    """What a test module sets of the local SageMaker: nothing, unless it has its own."""
    return Settings()


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Aws]:
    """A gateway of its own per test module, with stand-in model servers."""
    gateway = Gateway(
        tmp_path_factory.mktemp("aws"), region=REGION, launch=StandIn.start, settings=settings
    )
    gateway.start()
    try:
        yield Aws(gateway)
    finally:
        gateway.stop()

"""A gateway for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sagemaker_serving.local.gateway import Gateway
from tests.local.aws import REGION, Aws, StandIn


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    """A gateway of its own per test module, with stand-in model servers."""
    gateway = Gateway(tmp_path_factory.mktemp("aws"), region=REGION, launch=StandIn.start)
    gateway.start()
    try:
        yield Aws(gateway)
    finally:
        gateway.stop()

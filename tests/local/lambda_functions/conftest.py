"""A gateway with functions for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sagemaker_serving.local.gateway import Gateway
from tests.local.aws import REGION
from tests.local.functions import Functions


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    started = Gateway(tmp_path_factory.mktemp("functions"), region=REGION)
    started.start()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def functions(gateway: Gateway) -> Functions:
    return Functions(gateway)

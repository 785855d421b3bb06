"""A gateway with functions for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.aws import gateway_of
from tests.local_aws.functions import Functions


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    started = gateway_of(tmp_path_factory.mktemp("functions"))
    started.start()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def functions(gateway: Gateway) -> Functions:
    return Functions(gateway)

"""A gateway with functions for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.aws import running
from tests.local_aws.functions import Functions


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running(tmp_path_factory.mktemp("functions")) as started:
        yield started


@pytest.fixture(scope="module")
def functions(gateway: Gateway) -> Functions:
    return Functions(gateway)

"""A gateway for each module's pipelines, and S3 in memory for what needs none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.functions.batch_transform.memory import MemoryS3
from tests.local_aws.aws import Aws, StandIn, gateway_of


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    gateway = gateway_of(tmp_path_factory.mktemp("aws"), launch=StandIn.start)
    gateway.start()
    try:
        aws = Aws(gateway)
        aws.model("echo")
        yield aws
    finally:
        gateway.stop()


@pytest.fixture
def s3() -> MemoryS3:
    return MemoryS3()

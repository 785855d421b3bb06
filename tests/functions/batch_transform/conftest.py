"""A gateway for each module's pipelines, and S3 in memory for what needs none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.functions.batch_transform.memory import MemoryS3
from tests.local_aws.aws import Aws, stand_in_aws


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with stand_in_aws(tmp_path_factory.mktemp("aws")) as aws:
        aws.model("echo")
        yield aws


@pytest.fixture
def s3() -> MemoryS3:
    return MemoryS3()

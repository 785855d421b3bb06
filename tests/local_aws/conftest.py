"""A gateway for each test module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local_aws.emulator import later
from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.local_aws.aws import Aws, stand_in_aws

# Before a test imports what of the emulator imports all of EC2, which a gateway has it load later.
later.apply()


@pytest.fixture(scope="module")
def settings() -> Settings:
    """What a test module sets of the local SageMaker: nothing, unless it has its own."""
    return Settings()


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[Aws]:
    """A gateway of its own per test module, with stand-in model servers."""
    with stand_in_aws(tmp_path_factory.mktemp("aws"), settings) as local:
        yield local

"""A role that may nothing, for each test module."""

from __future__ import annotations

import pytest

from tests.local_aws.aws import Aws
from tests.local_aws.permissions.callers import Caller


@pytest.fixture(scope="module")
def nobody(aws: Aws) -> Caller:
    return Caller(aws)

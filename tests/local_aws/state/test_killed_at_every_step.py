"""The deployment engine is killed at every moment that may be saved, and goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import steps
from tests.local_aws.state import dying

pytestmark = pytest.mark.slow


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("operation", dying.OPERATIONS)
def test_wherever_an_operation_is_killed_nothing_is_lost_or_left(
    operation: str, tmp_path: Path
) -> None:
    assert not steps.run(dying.at_every_moment, tmp_path, operation)

"""What a local AWS says of itself, in a terminal."""

from __future__ import annotations

import pytest

from local_aws.cli.showing import in_short


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (None, None),
        ("no capacity", "no capacity"),
        ("no ping. Last log lines: Traceback\n  File\nno model", "no ping. … no model"),
    ],
)
def test_of_a_log_in_a_reason_the_last_line_is_told(reason: str | None, told: str | None) -> None:
    assert in_short(reason) == told

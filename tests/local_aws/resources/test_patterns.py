"""Texts that are made to a pattern."""

from __future__ import annotations

import warnings

import pytest

from local_aws.resources.patterns import text_like
from local_aws.schemas import fits_text


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z||||||||0-9||]+$",
        "^[a-z&&[^|:/]]+$",
        r"^\[[x~~]\]$",
        r"^(a||b)\|[\\||]$",
    ],
)
def test_no_warning_is_given_of_what_another_python_may_read_otherwise(pattern: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = text_like({"pattern": pattern})
    assert text is not None
    assert fits_text({"pattern": pattern}, text)

"""Texts that are made to a pattern, and those that a custom resource is given of scalars."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from local_aws.resources.custom_resource import as_texts
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


scalars = st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)


@settings(max_examples=50)
@given(values)
def test_every_scalar_is_text_and_nothing_else_changes(value: Any) -> None:
    def check(before: Any, after: Any) -> None:
        if isinstance(before, dict):
            assert before.keys() == after.keys()
            for key in before:
                check(before[key], after[key])
        elif isinstance(before, list):
            assert len(before) == len(after)
            for left, right in zip(before, after, strict=True):
                check(left, right)
        elif isinstance(before, bool):
            assert after == ("true" if before else "false")
        else:
            assert after == str(before)

    check(value, as_texts(value))

"""Wildcards and variables of policies, against a matcher that is slow and plainly right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_aws.policies.patterns import (
    UnknownVariable,
    filled_in,
    matches,
    matches_action,
    matches_arn,
    matches_value,
)

PATTERNS = st.text("ab*?.[\n", max_size=8)
TEXTS = st.text("ab.[\n", max_size=8)
CONTEXT = {"aws:principaltag/team": ("a*c",), "aws:username": ("ann",), "several": ("a", "b")}


def plainly_matches(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return any(plainly_matches(pattern[1:], text[cut:]) for cut in range(len(text) + 1))
    return bool(text) and pattern[0] in ("?", text[0]) and plainly_matches(pattern[1:], text[1:])


@given(PATTERNS, TEXTS)
def test_a_star_is_any_text_and_a_question_mark_any_character(pattern: str, text: str) -> None:
    assert matches(pattern, text) == plainly_matches(pattern, text)


@given(PATTERNS, TEXTS)
def test_text_that_came_by_a_variable_is_no_pattern(pattern: str, text: str) -> None:
    context = {"given": (pattern,)}
    assert matches_value("${given}", text, context) == (pattern == text)


@pytest.mark.parametrize(
    ("pattern", "action", "expected"),
    [
        ("s3:GetObject", "s3:GetObject", True),
        ("s3:getobject", "S3:GetObject", True),
        ("s3:Get*", "s3:GetObjectVersion", True),
        ("s3:Get?bject", "s3:GetObject", True),
        ("*", "sagemaker:CreateModel", True),
        ("s3:*", "sns:Publish", False),
        ("s3:GetObject", "s3:GetObjectVersion", False),
    ],
)
def test_actions_are_alike_in_any_case(pattern: str, action: str, expected: bool) -> None:
    assert matches_action(pattern, action) is expected


@pytest.mark.parametrize(
    ("pattern", "arn", "expected"),
    [
        ("*", "arn:aws:s3:::b/k", True),
        ("arn:aws:s3:::b/*", "arn:aws:s3:::b/deep/key", True),
        ("arn:aws:s3:::b/*", "arn:aws:s3:::b", False),
        ("arn:aws:s3:::b", "arn:aws:s3:::B", False),
        ("arn:*:s3:::b/k", "arn:aws:s3:::b/k", True),
        ("arn:aws:sns:*:1:t", "arn:aws:sns:eu-west-1:1:t", True),
        ("arn:aws:*:t", "arn:aws:sns:eu-west-1:1:t", True),
        ("arn:aws:sns:*:t", "arn:aws:sns:eu-west-1:1:t", True),
        ("arn:aws:sns:*:*:t", "arn:aws:sns:eu-west-1:1:t:sub", False),
        ("arn:aws:logs:r:1:log-group:/a*", "arn:aws:logs:r:1:log-group:/a/b:log-stream:s", True),
        ("arn:aws:s3:::b/${aws:username}/*", "arn:aws:s3:::b/ann/key", True),
        ("arn:aws:s3:::b/${aws:username}/*", "arn:aws:s3:::b/eve/key", False),
        ("arn:aws:s3:::b/${aws:PrincipalTag/team}", "arn:aws:s3:::b/a*c", True),
        ("arn:aws:s3:::b/${aws:PrincipalTag/team}", "arn:aws:s3:::b/abc", False),
        ("arn:aws:s3:::b/${none, 'all'}", "arn:aws:s3:::b/all", True),
        ("arn:aws:s3:::b/${*}", "arn:aws:s3:::b/*", True),
        ("arn:aws:s3:::b/${*}", "arn:aws:s3:::b/x", False),
        ("arn:aws:s3:::b/${?}${$}", "arn:aws:s3:::b/?$", True),
    ],
)
def test_each_part_of_an_arn_is_compared_by_itself(pattern: str, arn: str, expected: bool) -> None:
    assert matches_arn(pattern, arn, CONTEXT) is expected


def test_no_star_reaches_over_a_colon_before_the_last_part() -> None:
    assert not matches_arn("arn:aws:s*:::b", "arn:aws:sns:eu:1:b", {})


@pytest.mark.parametrize("text", ["${none}", "${several}"])
def test_a_variable_without_one_value_is_said(text: str) -> None:
    with pytest.raises(UnknownVariable):
        filled_in(text, CONTEXT)

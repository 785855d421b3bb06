"""docs/rules.md is the rules, and every rule says what, why and where that is written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sagemaker_serving.rules import Rule, all_rules
from tools.docs.rules import page

ROOT = Path(__file__).parents[2]


def test_the_committed_page_is_the_rules() -> None:
    committed = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert committed == page(), "run `make docs`"


def test_no_two_rules_share_an_id() -> None:
    names = [rule.id for rule in all_rules()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.id)
def test_the_rule_says_what_and_why_and_where_that_is_written(rule: Rule) -> None:
    assert rule.what.endswith(".")
    assert rule.why
    assert rule.example
    assert re.search(r"2026-11-2[12]|this project|Python's own", rule.source)

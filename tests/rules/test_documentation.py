"""docs/rules.md is the rules, and every rule says what, why and where that is written."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

from sagemaker_serving import rules
from sagemaker_serving.rules import RULES, Rule

ROOT = Path(__file__).parents[2]


def test_no_rule_is_left_out_of_the_registry() -> None:
    found = [
        rule
        for module in pkgutil.walk_packages(rules.__path__, f"{rules.__name__}.")
        for value in vars(importlib.import_module(module.name)).values()
        for rule in (value if isinstance(value, tuple) else [value])
        if isinstance(rule, Rule)
    ]
    assert {rule.id for rule in found} == {rule.id for rule in RULES}


def test_no_two_rules_share_an_id() -> None:
    names = [rule.id for rule in RULES]
    assert len(set(names)) == len(names)


def test_each_rule_says_what_and_why_and_where_that_is_written() -> None:
    told = [
        (rule.id, (rule.what.endswith("."), rule.why, rule.example, rule.source)) for rule in RULES
    ]
    assert [name for name, each in told if not all(each)] == []

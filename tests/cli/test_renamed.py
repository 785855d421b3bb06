"""What was typed or imported with version 0.1.0, and what CHANGELOG.md says to write instead."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.cli.commands import INSTEAD
from sagemaker_serving.spec.schema import environment_schema

ROOT = Path(__file__).parents[2]
FIELDS = Path(__file__).with_name("fields_of_0_1.json")
"""The fields of each type of 0.1.0's environment files, from its schema (commit 25b05c6)."""

Run = Callable[..., Any]


@pytest.mark.parametrize(("old", "new"), INSTEAD.items())
def test_an_old_command_or_option_names_the_new_one(run: Run, old: str, new: str) -> None:
    ended = run(*old.split(), "model")
    assert ended.returncode == 2
    assert f"{old!r} is of version 0.1.0; write {new!r}" in ended.stderr
    command, *options = new.split()
    text = run(command, "--help").stdout
    assert all(option in text for option in options if option.startswith("--"))


def test_any_other_misspelt_option_is_told_as_ever(run: Run) -> None:
    assert "No such option '--refres'" in run("prices", "--refres").stderr


def test_every_field_of_the_earlier_files_is_still_a_field() -> None:
    """A field that goes has to be named by `check`, with what to write instead."""
    schema = json.loads(environment_schema())
    types = {"Environment": schema, **schema["$defs"]}
    for name, fields in json.loads(FIELDS.read_text()).items():
        assert set(fields) <= types[name]["properties"].keys(), name

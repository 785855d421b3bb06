"""What was typed or imported with version 0.1.0, and what CHANGELOG.md says to write instead."""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.cli.renamed import INSTEAD
from sagemaker_serving.spec.schema import environment_schema

ROOT = Path(__file__).parents[2]
FIELDS = Path(__file__).with_name("fields_of_0_1.json")
"""The fields of each type of 0.1.0's environment files, from its schema (commit 25b05c6)."""

PLACES = ("client", "infra", "operations")

Run = Callable[..., Any]


def rows(heading: str) -> list[tuple[str, str]]:
    """The table below a heading of CHANGELOG.md, without its first two lines."""
    text = (ROOT / "CHANGELOG.md").read_text()
    section = text.partition(f"| {heading} |")[2].partition("\n\n")[0]
    table = re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    return [(old, new) for old, new in table if not old.startswith("---")]


def spans(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


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


def test_the_changelog_lists_the_same_commands() -> None:
    listed = dict(rows("command of 0.1.0"))
    assert listed == {f"`{old}`": f"`{new}`" for old, new in INSTEAD.items()}


def test_the_changelog_lists_names_that_are_gone_and_names_that_are_there() -> None:
    table = rows("name of 0.1.0")
    assert len(table) > 8
    for old, new in table:
        assert [each for each in spans(old) if list(owners(each))] == []
        assert [each for each in spans(new) if not list(owners(each))] == []


def owners(name: str) -> Iterator[Any]:
    """What has ``Class.member``, ``Class(argument=…)`` or ``package.name``."""
    made = re.fullmatch(r"(\w+)(?:\.(\w+)|\((\w+)=.*)", name)
    assert made is not None, name
    owner, member, argument = made.groups()
    if owner in PLACES:
        if hasattr(importlib.import_module(f"sagemaker_serving.{owner}"), member):
            yield owner
        return
    for place in PLACES:
        found = getattr(importlib.import_module(f"sagemaker_serving.{place}"), owner, None)
        if found is None:
            continue
        if member is None:
            if argument in inspect.signature(found.__init__).parameters:
                yield found
        elif hasattr(found, member) or f"self.{member}:" in inspect.getsource(found):
            yield found


def test_every_field_of_the_earlier_files_is_still_a_field() -> None:
    """A field that goes has to be named by `check`, with what to write instead."""
    schema = json.loads(environment_schema())
    types = {"Environment": schema, **schema["$defs"]}
    for name, fields in json.loads(FIELDS.read_text()).items():
        assert set(fields) <= types[name]["properties"].keys(), name

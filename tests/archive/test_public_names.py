"""What the archive offers is loaded when it is asked for, and is what type checkers are told."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

from sagemaker_serving import archive

FOLDER = Path(archive.__file__).parent
TOLD = {
    name.name: str(node.module)
    for node in ast.walk(ast.parse(Path(archive.__file__).read_text(encoding="utf-8")))
    if isinstance(node, ast.ImportFrom)
    if str(node.module).startswith("sagemaker_serving.archive.")
    for name in node.names
}


@pytest.mark.parametrize("name", archive.__all__)
def test_a_name_is_that_of_the_module_which_type_checkers_are_told(name: str) -> None:
    assert getattr(archive, name) is getattr(import_module(TOLD[name]), name)


def test_dir_shows_every_name_and_no_other_is_told() -> None:
    assert dir(archive) == sorted(archive.__all__) == sorted(TOLD)


def test_no_name_is_a_modules_which_would_stand_in_its_place() -> None:
    assert {path.stem for path in FOLDER.iterdir()} & set(archive.__all__) == set()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'unpacked'"):
        archive.unpacked  # noqa: B018

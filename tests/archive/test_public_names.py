"""What a package offers is loaded when it is asked for, and is what type checkers are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving import archive


def test_every_name_that_is_offered_is_there() -> None:
    assert dir(archive) == sorted(archive.__all__)
    assert [name for name in archive.__all__ if not hasattr(archive, name)] == []


def test_no_name_is_a_modules_which_would_stand_in_its_place() -> None:
    names = {path.stem for path in Path(archive.__file__).parent.iterdir()}
    assert names & set(archive.__all__) == set()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'unpacked'"):
        archive.unpacked  # noqa: B018

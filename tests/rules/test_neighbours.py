"""Environments that are built together: a copied file, and names that join to the same."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from tests.models import saved_model
from tests.rules.test_rules import SOUND
from tests.today import TODAY


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = tmp_path / "environments" / "model" / "digits" / "1" / "saved_model.pb"
    model.parent.mkdir(parents=True)
    model.write_bytes(saved_model())
    return tmp_path / "environments"


def written(path: Path, *models: str, **change: Any) -> Path:
    digits = SOUND["models"]["digits"]
    environment = {**SOUND, **change, "models": dict.fromkeys(models or ("digits",), digits)}
    path.write_text(yaml.safe_dump(environment))
    return path


def said(path: Path, rule: str = "environment-name-unique") -> list[str]:
    found = check_environment(read_environment(path), today=TODAY)
    return [problem.message for problem in found if problem.rule == rule]


def test_a_copied_file_is_named_with_the_other(folder: Path) -> None:
    prod = written(folder / "prod.yaml")
    copied = folder / "qa.yaml"
    shutil.copy(prod, copied)
    assert said(copied) == ["name is 'prod', and so it is in prod.yaml; give each file its own"]
    assert said(prod) == ["name is 'prod', and so it is in qa.yaml; give each file its own"]
    written(copied, name="qa")
    assert said(copied) == said(prod) == []


def test_names_that_join_to_one_endpoint_are_named(folder: Path) -> None:
    dev = written(folder / "dev.yaml", "a-b", name="dev")
    other = written(folder / "other.yaml", "b", name="dev-a")
    (message,) = said(dev)
    assert message.startswith("dev-a-b is what other.yaml calls its 'b', in the same region")
    assert len(said(other)) == 1
    written(other, "c", name="dev-a")
    assert said(dev) == said(other) == []


def test_in_another_region_or_account_they_are_two(folder: Path) -> None:
    dev = written(folder / "dev.yaml", "a-b", name="dev", account="111122223333")
    for change in ({"region": "us-east-1"}, {"account": "444455556666"}):
        written(folder / "other.yaml", "b", name="dev-a", **change)
        assert said(dev) == []
    written(folder / "other.yaml", "b", name="DEV-A", account="111122223333")
    assert len(said(dev)) == 1


def test_a_stack_of_storage_is_a_name_too(folder: Path) -> None:
    dev = written(folder / "dev.yaml", "x-Storage", name="dev")
    written(folder / "x.yaml", "other", name="dev-x")
    (message,) = said(dev)
    assert "calls its 'Storage'" in message


def test_a_name_that_a_base_says_is_one(folder: Path) -> None:
    (folder / "_base.yaml").write_text("name: prod\n")
    prod = written(folder / "prod.yaml")
    (folder / "more.yaml").write_text("extends: _base.yaml\nregion: eu-west-1\nmodels: {}\n")
    assert said(prod) == ["name is 'prod', and so it is in more.yaml; give each file its own"]


@pytest.mark.parametrize("text", ["name: [", "name: prod\nextends: gone.yaml\n", "- name: prod\n"])
def test_a_neighbour_that_cannot_be_read_is_told_when_it_is_checked(
    folder: Path, text: str
) -> None:
    prod = written(folder / "prod.yaml")
    (folder / "broken.yaml").write_text(text)
    assert said(prod) == []


def test_files_of_no_app_are_each_alone(tmp_path: Path, folder: Path) -> None:
    elsewhere = tmp_path / "kept"
    folder.rename(elsewhere)
    for name in ("one", "two"):
        assert said(written(elsewhere / f"{name}.yaml")) == []


@pytest.mark.parametrize("theirs", [{}, {"endpoint": {"existing": "live-digits"}}])
def test_an_endpoint_that_another_file_deploys_to_is_not_moved(
    folder: Path, theirs: dict[str, Any]
) -> None:
    """Whether that file makes it or moves it, too."""
    moving = {**SOUND["models"]["digits"], "endpoint": {"existing": "live-digits"}}
    mine = written(folder / "mine.yaml", name="mine")
    mine.write_text(yaml.safe_dump({**SOUND, "name": "mine", "models": {"digits": moving}}))
    assert said(mine, "existing-not-own") == []
    other = {**SOUND["models"]["digits"], **theirs}
    name = "other" if theirs else "live"
    (folder / "live.yaml").write_text(
        yaml.safe_dump({**SOUND, "name": name, "models": {"digits": other}})
    )
    assert said(mine, "existing-not-own") == [
        "existing is 'live-digits', which live.yaml deploys to in the same region; leave it to "
        "one of the files"
    ]

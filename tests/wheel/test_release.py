"""What is released: both distributions of one version, the same bytes wherever they are built."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import sagemaker_serving
from tests.wheel.conftest import PIP
from tools.own_environments.environments import ROOT

FOLDERS = (".", "local-aws")
NAMES = ("sagemaker-serving", "local-aws")


def project_of(folder: str) -> dict[str, Any]:
    text = (ROOT / folder / "pyproject.toml").read_text()
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def test_one_version_is_said_everywhere() -> None:
    own = project_of(".")
    version = own["version"]
    assert sagemaker_serving.__version__ == version
    assert project_of("local-aws")["version"] == version
    asked = [*own["dependencies"], *own["optional-dependencies"]["local"]]
    wanted = {each.partition("==")[2] for each in asked if each.startswith("local-aws")}
    assert wanted == {version}
    (newest, *_) = re.findall(r"^## (\S+) — \d{4}-\d\d-\d\d$", _text("CHANGELOG.md"), re.MULTILINE)
    assert newest == version


def test_each_distribution_brings_the_licence() -> None:
    assert _text("local-aws/LICENSE") == _text("LICENSE")
    for folder in FOLDERS:
        assert project_of(folder)["license-files"] == ["LICENSE"]


def test_the_notes_of_a_release_are_its_section_of_the_changelog(tmp_path: Path) -> None:
    workflow = yaml.safe_load(_text(".github/workflows/release.yml"))
    (tmp_path / "CHANGELOG.md").symlink_to(ROOT / "CHANGELOG.md")
    steps = {each.get("name"): each.get("run") for each in workflow["jobs"]["build"]["steps"]}
    subprocess.run(
        ["bash", "-euc", steps["What changed since the last version"]],
        cwd=tmp_path,
        env={**os.environ, "GITHUB_REF_NAME": "v0.1.0"},
        check=True,
    )
    notes = (tmp_path / "notes.md").read_text(encoding="utf-8").strip()
    assert notes
    assert notes == _text("CHANGELOG.md").partition("\n## 0.1.0 ")[2].partition("\n")[2].strip()


@pytest.mark.slow
def test_pip_finds_the_release_by_its_name_in_an_index_that_has_nothing_else(
    wheels: list[Path], tmp_path: Path
) -> None:
    for wheel in wheels:
        folder = tmp_path / "simple" / wheel.name.partition("-")[0].replace("_", "-")
        folder.mkdir(parents=True)
        shutil.copy(wheel, folder)
        (folder / "index.html").write_text(f'<a href="{wheel.name}">{wheel.name}</a>')
    asked = ["install", "--dry-run", "--no-deps", "--ignore-installed", "--report", "-"]
    ended = subprocess.run(
        [*PIP, *asked, f"--index-url={(tmp_path / 'simple').as_uri()}", *NAMES],
        env={**os.environ, "PIP_CONFIG_FILE": os.devnull, "PIP_EXTRA_INDEX_URL": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    found = {
        each["metadata"]["name"]: each["metadata"] for each in json.loads(ended.stdout)["install"]
    }
    assert {name: each["version"] for name, each in found.items()} == dict.fromkeys(
        NAMES, sagemaker_serving.__version__
    )
    described = found["sagemaker-serving"]["description_content_type"]
    assert described == "text/markdown"


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_same_bytes_come_of_another_folder_on_another_day(
    wheels: list[Path], tmp_path: Path
) -> None:
    """The wheels there are made of the source archives, and those here of the folder itself."""
    files = _git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    files = [name for name in files if (ROOT / name).exists()]
    there, listed = tmp_path / "another folder", tmp_path / "listed"
    there.mkdir()
    listed.write_text("\n".join(files))
    copy = f"umask 077; tar cf - -T {listed} | tar xf - -m --no-same-permissions -C '{there}'"
    subprocess.run(["bash", "-c", copy], cwd=ROOT, check=True)
    for path in there.rglob("*"):
        os.utime(path, (1_900_000_000, 1_900_000_000))
    here = tmp_path / "here"
    for folder in FOLDERS:
        _build(ROOT / folder, here, "--sdist")
        _build(there / folder, tmp_path / "there", TZ="Asia/Tokyo")
    built = {path.name: path.read_bytes() for path in [*here.iterdir(), *wheels]}
    again = {path.name: path.read_bytes() for path in (tmp_path / "there").iterdir()}
    assert sorted(built) == sorted(again)
    assert [name for name in built if built[name] != again[name]] == []

    inside = {path.name.partition("-")[0]: _names(path) for path in here.iterdir()}
    assert inside["sagemaker_serving"] == {*files, "PKG-INFO"}
    assert {"LICENSE", "src/local_aws/py.typed"} <= inside["local_aws"]
    for wheel in wheels:
        assert any(name.endswith("licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())


def _build(folder: Path, into: Path, *options: str, **variables: str) -> None:
    command = [sys.executable, "-m", "build", "--outdir", str(into), *options, str(folder)]
    environment = {**os.environ, **variables}
    environment.pop("SOURCE_DATE_EPOCH", None)
    ended = subprocess.run(
        command, env=environment, cwd=into.parent, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def _names(archive: Path) -> set[str]:
    with tarfile.open(archive) as tar:
        return {member.name.partition("/")[2] for member in tar if member.isfile()}


def _git(*arguments: str) -> str:
    ended = subprocess.run(["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    return ended.stdout.decode()


def _text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")

"""What the documents show is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import read_environment
from tests.models import saved_model

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_readmes_environment_is_sound(tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    model = tmp_path / "mymodel" / "1" / "saved_model.pb"
    model.parent.mkdir(parents=True)
    model.write_bytes(saved_model())
    path = tmp_path / "environments" / "dev.yaml"
    path.parent.mkdir()
    path.write_text("\n".join(line.removeprefix("   ") for line in block.splitlines()))
    assert [str(problem) for problem in check_environment(read_environment(path))] == []


def test_the_readmes_first_screen_is_what_check_says(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^error: (environments/.*) \[(.*)\]$", README, re.MULTILINE)
    text = (ROOT / "environments" / "dev.yaml").read_text(encoding="utf-8")
    path = tmp_path / "environments" / "dev.yaml"
    path.parent.mkdir()
    path.write_text(text.replace("ml.c5.large", "ml.t3.medium"))
    problems = check_environment(read_environment(path))
    said = [(str(problem).removeprefix(f"{tmp_path}/"), problem.rule) for problem in problems]
    assert shown in said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_every_make_target_that_the_readme_names_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)`", README):
        assert f"\n{target}:" in makefile, target


def test_every_test_that_the_threats_name_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert named
    for path, test in named:
        assert f"\ndef {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{test}"


def test_every_direct_dependency_says_why_it_is_there() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    beside = tomllib.loads((ROOT / "local-aws" / "pyproject.toml").read_text(encoding="utf-8"))
    extras = [
        *project["optional-dependencies"].values(),
        *beside["project"]["optional-dependencies"].values(),
    ]
    for requirement in [*project["dependencies"], *(r for extra in extras for r in extra)]:
        name = re.split(r"[=\[]", requirement)[0]
        assert name in reasons or (name.startswith("types-") and "types-*" in reasons), name


def test_requirements_pin_what_the_project_asks_for() -> None:
    import tomllib

    from tools.lock import EXTRAS

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    beside = tomllib.loads((ROOT / "local-aws" / "pyproject.toml").read_text(encoding="utf-8"))
    pinned = (ROOT / "requirements.txt").read_text(encoding="utf-8").lower().splitlines()
    extras = [project["optional-dependencies"][name] for name in EXTRAS]
    extras += beside["project"]["optional-dependencies"].values()
    assert "-e ./local-aws" in pinned
    for requirement in [*project["dependencies"], *(r for extra in extras for r in extra)]:
        plain = re.sub(r"\[.*?\]", "", requirement).lower()
        if not plain.startswith("local-aws=="):
            assert plain in pinned, f"{plain}: run `make lock`"


def test_the_page_of_the_local_aws_is_current() -> None:
    from tools.docs.local_aws import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run `make docs`"

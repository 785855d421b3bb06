"""What the documents show is so."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from sagemaker_serving.catalog.images import container_image
from sagemaker_serving.catalog.published import published_image
from sagemaker_serving.catalog.support import image_support
from sagemaker_serving.rules import check_environment
from sagemaker_serving.spec import AlarmThresholds, Environment, Monitoring, read_environment
from tests.models import saved_model
from tests.requirements import asked_for, lowest_of, name_of, pins_of, version_of
from tests.today import TODAY
from tools.transcripts.blocks import blocks

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MACHINES = [
    {"sys_platform": system, "platform_machine": machine}
    for system in ("linux", "darwin")
    for machine in ("x86_64", "arm64")
]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def test_the_readmes_environment_is_sound(tmp_path: Path) -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    model = tmp_path / "mymodel" / "1" / "saved_model.pb"
    model.parent.mkdir(parents=True)
    model.write_bytes(saved_model())
    path = tmp_path / "environments" / "mine.yaml"
    assert not (ROOT / "environments" / path.name).exists(), "`init` does not replace a file"
    path.parent.mkdir()
    path.write_text("\n".join(line.removeprefix("   ") for line in block.splitlines()))
    found = check_environment(read_environment(path), today=TODAY)
    assert [str(problem) for problem in found] == []


def test_every_documented_example_uses_an_image_that_aws_patches(tmp_path: Path) -> None:
    found, judged = [], 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in re.findall(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            if "framework_version" in block and isinstance(data := yaml.safe_load(block), dict):
                path = tmp_path / "example.yaml"
                path.write_text(yaml.safe_dump(_whole(data)))
                judged += 1
                found += [
                    f"{page.name}: {problem}"
                    for problem in check_environment(read_environment(path), today=TODAY)
                    if problem.rule == "image-support"
                ]
    assert (found, judged > 10) == ([], True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_image_in_a_document_is_one_that_aws_patches(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    versions = re.findall(r"from_catalog\(\"(\w+)\", \"([\d.]+)\"\)", text)
    images = [
        container_image(framework=framework, version=version, region="eu-west-1")
        for framework, version in versions
    ]
    named = re.findall(r"\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com/[\w./-]+:[\w.-]+", text)
    images += [published.image for uri in named if (published := published_image(uri)) is not None]
    ended = [image.uri for image in images if image_support(image).state(TODAY) == "ended"]
    assert ended == []


def test_the_readmes_first_screen_is_what_check_says(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^error: (environments/.*) \[(.*)\]$", README, re.MULTILINE)
    text = (ROOT / "environments" / "dev.yaml").read_text(encoding="utf-8")
    path = tmp_path / "environments" / "dev.yaml"
    path.parent.mkdir()
    path.write_text(text.replace("ml.c5.large", "ml.t3.medium"))
    problems = check_environment(read_environment(path), today=TODAY)
    said = [(str(problem).removeprefix(f"{tmp_path}/"), problem.rule) for problem in problems]
    assert shown in said


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    code = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
    text = code.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", ["README.md", "AGENTS.md"])
def test_every_make_target_that_a_page_names_exists(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"`make ([a-z-]+)`", (ROOT / page).read_text(encoding="utf-8"))
    assert named
    for target in named:
        assert f"\n{target}:" in makefile, target


@pytest.mark.slow
def test_the_commands_for_agents_run_as_they_stand() -> None:
    (block,) = blocks(ROOT / "AGENTS.md", "sh")
    ended = subprocess.run(
        ["bash", "-e"], input=block.text, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_no_command_s_help_is_cut_off_at_80_columns() -> None:
    shown = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in shown if line.endswith("...") and "Usage:" not in line] == []


def test_every_test_that_the_threats_name_exists() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert named
    for path, test in named:
        assert f"\ndef {test}(" in (ROOT / path).read_text(encoding="utf-8"), f"{path}::{test}"


def test_every_direct_dependency_says_why_it_is_there_and_in_which_versions() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    rows = [row.removeprefix("| ").split(" | ") for row in page.splitlines()]
    by_name = {row[0]: row for row in rows if len(row) == 5}
    wanted = asked_for()
    for requirement in wanted.pop("dev"):
        name = "types-*" if requirement.name.startswith("types-") else requirement.name
        assert name in page, name
    for requirement in chain(*wanted.values()):
        _, _, _, lowest, upper = by_name[requirement.name]
        assert lowest_of(requirement) in re.split("[ ;]+", lowest), requirement
        assert upper.startswith("none") == (len(requirement.specifier) == 1), requirement


def test_requirements_pin_what_the_project_asks_for() -> None:
    from tools.lock import EXTRAS

    pins, wanted = pins_of(ROOT / "requirements.txt"), asked_for()
    for requirement in chain(*(wanted[extra] for extra in ("", "run", *EXTRAS))):
        pin = pins[name_of(requirement)]
        assert version_of(pin) in requirement.specifier, f"{requirement}: run `make lock`"
        for machine in MACHINES:
            needed = requirement.marker is None or requirement.marker.evaluate(machine)
            pinned = pin.marker is None or pin.marker.evaluate(machine)
            assert pinned == needed, f"{requirement}: run `make lock`"


def test_the_lock_has_the_hashes_of_each_pin_of_the_requirements() -> None:
    _, *locked = re.split(r"(?m)^(?=\w)", (ROOT / "requirements.lock").read_text(encoding="utf-8"))
    pins = [re.match(r"(.*?)(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n$", each) for each in locked]
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert "-e ./local-aws" in requirements
    assert [pin and pin[1] for pin in pins] == [
        line for line in requirements if re.match(r"\w", line)
    ], "run `make lock`"


STALE = """
from importlib import import_module
from tools.docs.__main__ import PAGES

modules = [import_module(f"tools.docs.{name}") for name in PAGES if "acknowledge" not in name]
print(*(each.PAGE for each in modules if each.PAGE.read_text(encoding="utf-8") != each.page()))
"""
"""Names pages that would change; in a process of its own, since click keeps the help option that
another test asked for. Acknowledgements have a test beside the scanners."""


def test_every_page_that_is_made_of_the_source_is_current() -> None:
    stale = subprocess.run(
        [sys.executable, "-c", STALE], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    assert stale.stdout == "\n", "run `make docs`"


def _whole(example: dict[str, Any]) -> dict[str, Any]:
    """An environment file of what a document shows: all of it, its models, or one model."""
    if "models" in example:
        return {"name": "example", "region": "eu-west-1", **example}
    one = "framework_version" in example
    return _whole({"models": {"example": example} if one else example})


PAGE = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_defaults_shown_are_the_defaults() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    written = yaml.safe_load(block)
    assert written["monitoring"].keys() == Monitoring.model_fields.keys()
    assert written["monitoring"]["thresholds"].keys() == AlarmThresholds.model_fields.keys()
    shown = Environment.model_validate(written)
    assert shown.monitoring is not None
    limits = shown.monitoring.thresholds
    assert limits.datapoints == AlarmThresholds().datapoints
    assert limits.model_copy(update={"datapoints_to_alarm": None}) == AlarmThresholds()
    assert shown.monitoring.model_copy(update={"thresholds": AlarmThresholds()}) == Monitoring()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.splitlines()[0])
def test_the_programs_run(program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "docs/operations.md", "exec"), {})


def test_the_permissions_named_are_those_that_are_used() -> None:
    used = {
        word.title().replace("_", "")
        for path in ("rollback.py", "watch.py", "rollout/state.py", "rollout/logs.py")
        for word in re.findall(
            r"\b(?:sagemaker|logs|_sagemaker|_logs)\.(describe_\w+|update_\w+|list_\w+)\(",
            (ROOT / "constructs/sagemaker_serving/operations" / path).read_text(encoding="utf-8"),
        )
    }
    assert used
    assert [action for action in used if action not in PAGE] == []

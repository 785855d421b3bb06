"""Which contract a version has, and what of it is no request."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.generations import Generation, generation_of, is_uncertain
from sagemaker_serving.model_server.plan import make_plan
from sagemaker_serving.model_server.settings import read_settings
from sagemaker_serving.rules.artifact import handler_imports

A, B1, B2, C = Generation


@pytest.mark.parametrize(
    ("version", "generation"),
    [
        ("1.11", A),
        ("1.15", A),
        ("1.15.2", A),
        ("2.0", A),
        ("2.0.4", A),
        ("2.1", B1),
        ("2.8", B1),
        ("2.8.4", B1),
        ("2.9", B2),
        ("2.12", B2),
        ("2.19", B2),
        ("2.19.0", B2),
        ("2.20", C),
        ("2.20.1", C),
        ("3.0", C),
        (None, C),
    ],
)
def test_a_framework_version_has_a_generation(version: str | None, generation: Generation) -> None:
    assert generation_of(version) is generation


@pytest.mark.parametrize("version", ["latest", "2", "2.19-cpu", "", "\uff12.19"])
def test_a_container_version_that_is_none_is_a_mistake(version: str) -> None:
    with pytest.raises(Mistake, match=f"^container version is '{version}'; it must be a "):
        generation_of(version)


@pytest.mark.parametrize(
    ("version", "uncertain"),
    [(None, False), ("2.8", False), ("2.9", True), ("2.11.1", True), ("2.12", False)],
)
def test_images_alive_while_the_contract_changed_are_uncertain(
    version: str | None, uncertain: bool
) -> None:
    assert is_uncertain(version) is uncertain


@pytest.mark.parametrize(
    ("generation", "instances", "seconds"),
    [(A, 1, 300), (A, 4, 300), (B1, 1, 300), (B2, 1, 55), (B2, 2, 27), (C, 1, 60), (C, 2, 60)],
)
def test_how_long_a_model_may_take_to_load(
    generation: Generation, instances: int, seconds: int
) -> None:
    environ = {"SAGEMAKER_TFS_INSTANCE_COUNT": str(instances)}
    contract = CONTRACTS[generation]
    assert contract.wait_time(read_settings(environ)) == seconds
    environ["SAGEMAKER_TFS_WAIT_TIME_SECONDS"] = "7"
    assert contract.wait_time(read_settings(environ)) == 7


def test_the_page_on_the_contract_has_the_figures_of_the_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "container-contract.md").read_text("utf-8")
    (row,) = re.findall(r"^\| seconds a model may take to load \| (.*) \|$", page, re.MULTILINE)
    seconds = [int(cell.split(",")[0]) for cell in row.split(" | ")]
    assert seconds == [CONTRACTS[generation].wait_seconds(1) for generation in Generation]
    assert re.findall(r"^\| .* \| (A|B1|B2|C) \|", page, re.MULTILINE) == list(Generation)


def model(folder: Path, *code: str) -> Path:
    (folder / "m" / "1").mkdir(parents=True)
    (folder / "m" / "1" / "saved_model.pb").touch()
    for name in code:
        path = folder / "code" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return folder


@pytest.mark.parametrize(
    ("code", "always", "since_b2"),
    [
        ((), False, False),
        (("helper.py",), False, False),
        (("inference.py",), True, True),
        (("inference.py", "lib/x.py"), True, True),
        (("requirements.txt",), False, True),
        (("lib/x.py",), False, True),
    ],
)
def test_what_in_code_starts_the_python_service(
    tmp_path: Path, code: tuple[str, ...], always: bool, since_b2: bool
) -> None:
    folder = model(tmp_path, *code)
    wants = {
        version: make_plan(folder, tmp_path, {}, version).wants_worker
        for version in ("2.0", "2.8", "2.19", "2.20")
    }
    assert wants == {"2.0": always, "2.8": always, "2.19": since_b2, "2.20": since_b2}


@pytest.mark.parametrize(
    ("version", "lines"),
    [
        (None, []),
        ("2.20", []),
        ("2.19", ["container version 2.19: contract of generation B2"]),
        (
            "2.10",
            [
                "container version 2.10: contract of generation B2",
                "images of version 2.10 may have been built before generation B2",
            ],
        ),
    ],
)
def test_the_log_names_a_generation_that_is_not_today_s(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, version: str | None, lines: list[str]
) -> None:
    with caplog.at_level(logging.INFO):
        make_plan(model(tmp_path), tmp_path, {}, version)
    said = [record.getMessage() for record in caplog.records]
    about = [line for line in said if "generation" in line]
    assert len(about) == len(lines)
    assert all(line.startswith(start) for line, start in zip(about, lines, strict=True))


def test_code_that_an_old_image_ignores_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make_plan(model(tmp_path, "requirements.txt"), tmp_path, {}, "2.8")
    assert "has no inference.py, and so this version's image ignores it" in caplog.text


@pytest.mark.parametrize("generation", [A, B1, B2])
def test_the_server_hides_what_the_rule_on_imports_knows_to_be_absent(
    generation: Generation,
) -> None:
    absent = CONTRACTS[generation].absent_packages
    assert absent == CONTRACTS[C].absent_packages | handler_imports._SINCE_2_20


IMPORT = """
import sys
from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.handler.user_code import hide_absent_packages
hide_absent_packages(CONTRACTS[sys.argv[1]].absent_packages, sys.argv[3:])
try:
    __import__(sys.argv[2])
except ModuleNotFoundError as error:
    print(error)
"""
NO_NUMPY = (
    "No module named 'numpy': the SageMaker TensorFlow Serving image has no numpy package; "
    "bring the package in code/requirements.txt"
)


def imported(*arguments: str) -> str:
    command = [sys.executable, "-c", IMPORT, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_numpy_is_in_the_image_since_2_20_alone() -> None:
    assert imported("C", "numpy") == ""
    assert imported("B2", "numpy") == NO_NUMPY


def test_a_package_that_the_user_brings_is_there(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text("")
    assert imported("A", "numpy", str(tmp_path)) == ""

"""`images` and `instances`: plain columns in a pipe, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import on_a_terminal

Run = Callable[..., Any]
URI = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.19-gpu"


def test_one_image_is_one_line(run: Run) -> None:
    ended = run("images", "tensorflow", "2.19", "--region", "eu-west-1", "--processor", "gpu")
    assert (ended.returncode, ended.stdout.count("\n")) == (0, 1)
    assert ended.stdout.startswith(f"eu-west-1\tgpu\t{URI}\t")


@pytest.mark.parametrize(
    ("version", "today", "said"),
    [
        ("2.20", "2026-11-23", ["2027-08-20", "patched", "12.9", "3.12"]),
        ("2.20", "2027-05-22", ["2027-08-20", "ends soon", "12.9", "3.12"]),
        ("2.20", "2027-08-21", ["2027-08-20", "ended", "12.9", "3.12"]),
        ("2.19", "2026-11-23", ["2026-03-11", "ended", "12.2", "3.12"]),
        ("2.9", "2026-11-23", ["", "ended", "", ""]),
    ],
)
def test_an_image_says_until_when_it_is_patched(
    run: Run, version: str, today: str, said: list[str]
) -> None:
    one = ("--region", "eu-west-1", "--processor", "gpu", "--today", today)
    line = run("images", "tensorflow", version, *one).stdout.rstrip("\n")
    assert line.split("\t")[3:] == said
    lines = run("images", "tensorflow", "--today", today).stdout.splitlines()
    (row,) = [each.split("\t") for each in lines if each.startswith(f"{version}\tinference\t")]
    assert row[4:] == said


def test_images_of_the_shells_region_as_json(run: Run) -> None:
    ended = run("images", "tensorflow", "2.19", "--json", AWS_REGION="eu-west-1")
    assert [row["processor"] for row in json.loads(ended.stdout)] == ["cpu", "gpu"]
    assert json.loads(ended.stdout)[1]["uri"] == URI


def test_without_a_region_every_region_has_its_line(run: Run) -> None:
    lines = run("images", "tensorflow", "2.19", "--processor", "cpu").stdout.splitlines()
    assert len(lines) == 38
    assert any(".amazonaws.com.cn/" in line for line in lines)


def test_frameworks_and_versions_are_listed(run: Run) -> None:
    frameworks = {line.split("\t")[0] for line in run("images").stdout.splitlines()}
    assert {"tensorflow", "pytorch", "huggingface", "neo-mxnet", "djl-lmi"} <= frameworks
    rows = {row["framework"]: row for row in json.loads(run("images", "--json").stdout)}
    assert rows["sagemaker-tritonserver"]["server"] == "Triton"
    assert rows["pytorch"]["payload"] == "JSON, CSV, npy, or inference.py's"
    versions = run("images", "tensorflow").stdout.splitlines()
    assert versions[0].split("\t")[:2] == ["1.4", "inference"]
    assert {line.split("\t")[1] for line in versions} == {"inference", "inference_graviton", "eia"}


@pytest.mark.parametrize(
    ("options", "tag"),
    [
        (("--arm64",), "tensorflow-inference-graviton:2.16-cpu"),
        ((), "tensorflow-inference:2.16-cpu"),
    ],
)
def test_arm64_has_its_own_images(run: Run, options: tuple[str, ...], tag: str) -> None:
    ended = run("images", "tensorflow", "2.16", "--region", "eu-west-1", *options)
    assert tag in ended.stdout


def test_gpu_types_of_a_region(run: Run) -> None:
    rows = json.loads(run("instances", "--gpu", "--region", "eu-west-1", "--json").stdout)
    by_type = {row["type"]: row for row in rows}
    assert by_type["ml.g4dn.xlarge"]["accelerators"] == "1 GPU, 16 GiB"
    assert "ml.p3.2xlarge" not in by_type
    assert "ml.c5.large" not in by_type


@pytest.mark.parametrize(
    ("options", "there", "absent"),
    [
        (("--neuron",), "ml.inf2.xlarge", "ml.g4dn.xlarge"),
        (("--arm64",), "ml.c7g.large", "ml.c5.large"),
        (("--transform",), "ml.c5.xlarge", "ml.t2.medium"),
        (("g4dn",), "ml.g4dn.xlarge", "ml.g5.xlarge"),
    ],
)
def test_types_are_filtered(run: Run, options: tuple[str, ...], there: str, absent: str) -> None:
    types = [line.split("\t")[0] for line in run("instances", *options).stdout.splitlines()]
    assert there in types
    assert absent not in types


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("images", "tensorflw"), "did you mean 'tensorflow'"),
        (("images", "tensorflow", "2.17"), "use 2.18"),
        (("images", "tensorflow", "2.19", "--region", "eu-west-9"), "did you mean eu-west-3"),
        (("images", "tensorflow", "2.19", "--processor", "tpu"), "--processor is 'tpu'"),
        (("instances", "--region", "eu-west-11"), "did you mean eu-west-1"),
    ],
)
def test_a_mistake_is_named_with_what_there_is(
    run: Run, command: tuple[str, ...], said: str
) -> None:
    ended = run(*command)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert "Traceback" not in ended.stderr


def test_on_a_narrow_terminal_no_name_is_broken_in_two(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = ("instances", "c5d", "--region", "us-east-1")
    names = [row["type"] for row in json.loads(run(*asked, "--json").stdout)]
    lines = [line.rstrip() for line in on_a_terminal(tmp_path, *asked).splitlines()]
    assert [line.split()[0] for line in lines if line.startswith("ml.")] == names
    names = [row["type"] for row in json.loads(run("instances", "g6", "--json").stdout)]
    shown = on_a_terminal(tmp_path, "instances", "g6")
    assert [name for name in names if name not in shown.split()] == []


def test_no_match_is_said_and_no_error(run: Run) -> None:
    ended = run("instances", "ml.nothing")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert ended.stderr == "no instance type is of this kind there\n"

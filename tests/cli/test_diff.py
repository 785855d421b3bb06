"""`diff`: what two environments say differently."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import on_a_terminal

Run = Callable[..., Any]

LEFT = """\
name: left
region: eu-west-1
models:
  digits:
    artifact: model
    framework: tensorflow
    framework_version: "2.19"
    variants:
      - {name: cpu, instance_type: ml.c5.large}
      - {name: gpu, instance_type: ml.g4dn.xlarge, weight: 0}
"""
RIGHT = """\
extends: left.yaml
name: right
storage: {kms: false}
models:
  digits:
    server: {gunicorn_timeout_seconds: 60}
    variants:
      - {name: gpu, instance_type: ml.g4dn.xlarge, weight: 1}
      - {name: cpu, instance_type: ml.c5.large, initial_instance_count: 1}
"""


@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_terminal_nothing_is_wider_and_a_pipe_has_a_row_for_each_value(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    _written(tmp_path)
    (tmp_path / "right.yaml").write_text(RIGHT + f"    environment: {{LONG: {'word ' * 40}}}\n")
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = on_a_terminal(tmp_path, "diff", "left.yaml", "right.yaml")
    assert max(map(len, shown.splitlines())) <= columns
    piped = run("diff", "left.yaml", "right.yaml", COLUMNS=str(columns)).stdout
    assert piped == run("diff", "left.yaml", "right.yaml").stdout
    assert {line.count("\t") for line in piped.splitlines()} == {2}


def test_on_a_terminal_no_value_is_cut(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _written(tmp_path)
    values = {"left": "l" * 34, "right": "r" * 34}
    for name, value in values.items():
        with (tmp_path / f"{name}.yaml").open("a") as file:
            file.write(f"    environment: {{LONG: {value}}}\n")
    monkeypatch.setenv("COLUMNS", "80")
    shown = on_a_terminal(tmp_path, "diff", "left.yaml", "right.yaml")
    assert all(f"{name} {value}" in shown for name, value in values.items())


def test_values_that_both_have_come_first(run: Run, tmp_path: Path) -> None:
    _written(tmp_path)
    rows = json.loads(run("diff", "left.yaml", "right.yaml", "--json").stdout)
    only_one = [None in (row["left"], row["right"]) for row in rows]
    assert only_one == sorted(only_one)


def _written(folder: Path) -> None:
    (folder / "left.yaml").write_text(LEFT)
    (folder / "right.yaml").write_text(RIGHT)


def test_only_what_differs_is_printed_and_defaults_count_as_written(
    run: Run, tmp_path: Path
) -> None:
    _written(tmp_path)
    ended = run("diff", "left.yaml", "right.yaml", "--json")
    assert [(row["path"], row["left"], row["right"]) for row in json.loads(ended.stdout)] == [
        ("name", "left", "right"),
        ("models.digits.variants.gpu.weight", 0.0, 1.0),
        ("models.digits.server", None, {"gunicorn_timeout_seconds": 60}),
    ]


def test_the_exit_status_tells_of_differences_when_asked(run: Run, tmp_path: Path) -> None:
    _written(tmp_path)
    assert run("diff", "left.yaml", "right.yaml").returncode == 0
    assert run("diff", "left.yaml", "right.yaml", "--exit-code").returncode == 1
    assert run("diff", "left.yaml", "left.yaml", "--exit-code").returncode == 0


def test_a_file_of_a_wrong_shape_is_told_and_ends_with_2(run: Run, tmp_path: Path) -> None:
    _written(tmp_path)
    (tmp_path / "right.yaml").write_text("extends: left.yaml\nregoin: eu-west-1\n")
    ended = run("diff", "left.yaml", "right.yaml")
    assert ended.returncode == 2
    assert "right.yaml:2: unknown field 'regoin'; did you mean 'region'" in ended.stderr


def test_what_compares_two_files_writes_into_none(run: Run, tmp_path: Path) -> None:
    _written(tmp_path)
    ended = run("diff", "left.yaml", "right.yaml", "--write")
    assert ended.returncode == 2
    assert "--write compares one file with what is deployed; leave RIGHT out" in ended.stderr
    assert (tmp_path / "left.yaml").read_text() == LEFT


def test_a_name_is_that_file_in_environments_and_what_one_side_has_is_as_its_file_says_it(
    run: Run, tmp_path: Path
) -> None:
    folder = tmp_path / "environments"
    folder.mkdir()
    (folder / "left.yaml").write_text(LEFT)
    (folder / "right.yaml").write_text(
        RIGHT.replace("models:\n", "models:\n  other:\n", 1).replace(
            "  other:\n",
            "  other: {artifact: model, framework: tensorflow, framework_version: '2.19',\n"
            "    variants: [{name: cpu, instance_type: ml.c5.large}]}\n",
        )
    )
    rows = json.loads(run("diff", "left", "right", "--json").stdout)
    (other,) = (row["right"] for row in rows if row["path"] == "models.other")
    assert other == {
        "artifact": "model",
        "framework": "tensorflow",
        "framework_version": "2.19",
        "variants": {"cpu": {"instance_type": "ml.c5.large"}},
    }
    missing = run("diff", "left", "middle")
    assert missing.returncode == 2
    assert "environments/ has left, right" in missing.stderr


def test_check_takes_a_name_for_an_environment_alone(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "environments"
    folder.mkdir()
    (folder / "left.yaml").write_text("name: [\n")
    assert "environments/left.yaml" in run("check", "left").stderr + run("check", "left").stdout
    missing = run("check", "--assembly", "left", "--region", "eu-west-1")
    assert missing.returncode == 2
    assert "environments/left.yaml" not in missing.stderr + missing.stdout

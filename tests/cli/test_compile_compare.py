"""``sagemaker-serving compile --compare``: both side by side, and the gate."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.models import torchscript

Run = Callable[..., Any]
DIGITS = Path(__file__).parents[2] / "model_assets" / "digits" / "model"
ENVIRONMENT = """\
name: prod
region: eu-west-1
models:
  digits:
    artifact: ../model
    framework: tensorflow
    framework_version: "2.9"
    compile: {target_device: ml_c5, batch_size: 1, accept: {max_error: 0.0001, agreement: 1}}
    variants: [{name: neo, instance_type: ml.c5.large}]
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--max-error", "0.1"), "--max-error goes with --compare; give both"),
        (("--compare", "g", "--watch"), "--watch is about a job, and --compare makes none"),
        (("--compare", "g", "--precisions", "f16"), "'f16' is none of f32, bf16, int8"),
    ],
)
def test_options_that_do_not_go_together_are_named(
    run: Run, arguments: tuple[str, ...], said: str
) -> None:
    ended = run("compile", str(DIGITS), "--batch-size", "1", *arguments)
    assert ended.returncode == 2
    assert said in ended.stderr


@pytest.mark.skipif(find_spec("openvino") is not None, reason="openvino is here")
def test_without_openvino_it_says_what_to_install(run: Run, tmp_path: Path) -> None:
    (tmp_path / "golden.jsonl").write_text('{"body": "{}"}')
    arguments = ("--batch-size", "1", "--compare", str(tmp_path / "golden.jsonl"))
    ended = run("compile", str(DIGITS), *arguments, AWS_REGION="eu-west-1")
    assert ended.returncode == 2
    assert "pip install 'sagemaker-serving[openvino]'" in ended.stderr


@pytest.mark.skipif(find_spec("openvino") is None, reason="see test_with_openvino.py")
def test_a_gate_that_is_missed_ends_it_with_1_after_the_figures(run: Run, tmp_path: Path) -> None:
    """The gate is the environment file's, where no option says otherwise.

    OpenVINO and nncf by themselves tell Google Analytics, as a user whom a file in the home names.
    """
    shutil.copytree(DIGITS / "digits", tmp_path / "model" / "digits")
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments" / "prod.yaml").write_text(ENVIRONMENT)
    arguments = ("prod/digits", "--requests", "5", "--json", "--compare")
    gate = ("--precisions", "f32,int8", "--agreement", "0.5")
    ended = run("compile", *arguments, *gate, within=500)
    assert ended.returncode == 1, ended.stderr
    f32, int8 = (report := json.loads(ended.stdout))["variants"]
    assert f32["max_error"] < 1e-4 < int8["max_error"]
    assert f32["outputs"].keys() == {"predictions.classes", "predictions.probabilities"}
    assert report["missed"]["f32"] == []
    assert "int8: max_error is" in ended.stderr
    assert not (tmp_path / "intel").exists(), "nobody is told what is compiled here"


@pytest.mark.skipif(find_spec("openvino") is None, reason="see test_with_openvino.py")
@pytest.mark.skipif(find_spec("torch") is None, reason="see test_with_openvino.py")
def test_a_torchscript_is_held_against_what_was_compiled_of_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "model.pth").write_bytes(torchscript(tmp_path, "torch.tanh(x)"))
    golden = {"body_json": [[0.5, -1.0]], "expected_body_json": [[0.0, 0.0]]}
    (tmp_path / "golden.jsonl").write_text(json.dumps(golden))
    arguments = ("model", "--input-config", '{"x": [1, 2]}', "--requests", "5", "--json")
    ended = run(
        "compile", *arguments, "--compare", "golden.jsonl", within=500, AWS_REGION="eu-west-1"
    )
    assert ended.returncode == 0, ended.stderr
    (f32,) = json.loads(ended.stdout)["variants"]
    assert f32["max_error"] < 1e-5

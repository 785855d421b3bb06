"""A PyTorch model compiled with OpenVINO in Neo's place, and served by PyTorch's functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.local_aws.aws import Aws
from tests.local_sagemaker.compiling import compiled, served, unpacked
from tests.models import torchscript

torch: Any = pytest.importorskip("torch", reason="torch is here in test_with_openvino.py only")
pytest.importorskip("openvino", reason="openvino is here in test_with_openvino.py only")
pytestmark = pytest.mark.slow


def test_a_torchscript_is_compiled_and_its_server_answers_with_the_result(
    aws: Aws, tmp_path: Path
) -> None:
    job = compiled(
        aws,
        "sums",
        {"model.pth": torchscript(tmp_path, "(x.sum(1), x * 2)")},
        "PYTORCH",
        {"input0": [2, 2]},
    )
    assert job["CompilationJobStatus"] == "COMPLETED", job["FailureReason"]
    assert job["FailureReason"].startswith("local AWS: compiled by OpenVINO 20")
    model = unpacked(aws, job, tmp_path / "model")
    assert (model / "openvino" / "model.xml").is_file()
    code = model / "code" / "inference.py"
    code.parent.mkdir()
    code.write_text(
        "def output_fn(prediction, accept):\n"
        "    import json\n"
        "    return json.dumps([each.tolist() for each in prediction])\n"
    )
    with served(model, tmp_path / "log", "neo-pytorch") as send:
        assert send([[1, 2], [3, 4]]) == (200, [[3, 7], [[2, 4], [6, 8]]])


def test_the_script_s_own_model_fn_loads_what_it_says(aws: Aws, tmp_path: Path) -> None:
    code = b"def model_fn(folder):\n    return lambda data: data + 1\n" + (
        b"def predict_fn(data, model):\n    return model(data)\n"
    )
    files = {"model.pth": torchscript(tmp_path, "(x.sum(1), x * 2)"), "code/inference.py": code}
    job = compiled(aws, "own", files, "PYTORCH", {"input0": [2, 2]})
    model = unpacked(aws, job, tmp_path / "model")
    with served(model, tmp_path / "log", "neo-pytorch") as send:
        assert send([[1, 2], [3, 4]]) == (200, [[2, 3], [4, 5]])


def test_weights_without_code_fail_the_job_in_torch_s_words(aws: Aws, tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "model.pth")
    files = {"model.pth": (tmp_path / "model.pth").read_bytes()}
    job = compiled(aws, "weights", files, "PYTORCH", {"input0": [2, 2]})
    assert job["CompilationJobStatus"] == "FAILED"
    assert "OpenVINO cannot compile model.pth: RuntimeError: " in job["FailureReason"]


def test_without_sizes_it_is_packed_as_it_is_and_the_log_says_why(aws: Aws, tmp_path: Path) -> None:
    """Neo takes them from the file, where PyTorch 2.0 wrote it: such a job must not fail here."""
    job = compiled(aws, "sizeless", {"model.pth": torchscript(tmp_path, "x * 2")}, "PYTORCH", None)
    assert job["CompilationJobStatus"] == "COMPLETED", job["FailureReason"]
    assert "repacked, not compiled" in job["FailureReason"]

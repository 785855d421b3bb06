"""The image's own functions, with torch. What is expected is what sagemaker-pytorch-inference
2.0.25 in TorchServe 0.12.0 answered of the same model on 2026-11-21, with torch 2.13.0."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from sagemaker_serving.archive import Tensor, TorchScript, read_contents
from sagemaker_serving.model_server.pytorch.defaults import ModelLoadError
from sagemaker_serving.model_server.pytorch.service import PyTorchModel
from tests.model_server.pytorch.scripts import CSV, JSON, NPY, ask, loaded

torch = pytest.importorskip(
    "torch", reason="torch is not installed: pip install 'sagemaker-serving[torch]'"
)


@pytest.fixture(scope="module")
def traced() -> bytes:
    """TorchScript of x * 2 + 1."""

    class TwiceAndOne(torch.nn.Module):  # type: ignore[misc,name-defined]
        def forward(self, x: object) -> object:
            return x * 2 + 1  # type: ignore[operator]

    content = io.BytesIO()
    torch.jit.save(torch.jit.trace(TwiceAndOne(), torch.ones(3)), content)
    return content.getvalue()


@pytest.fixture
def model(tmp_path: Path, traced: bytes) -> PyTorchModel:
    (tmp_path / "weights.pth").write_bytes(traced)
    return loaded(tmp_path, "")


def npy(values: np.ndarray) -> bytes:
    content = io.BytesIO()
    np.save(content, values)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content_type", "body", "accept", "answered"),
    [
        (JSON, b"[1, 2]", JSON, b"[3.0, 5.0]"),
        (JSON, b"[[1.5], [2]]", JSON, b"[[4.0], [5.0]]"),
        (JSON, b"[1, 2]", CSV, b"3.0\n5.0\n"),
        (JSON, b"[1, 2]", NPY, npy(np.array([3.0, 5.0]))),
        (JSON, b"[NaN]", JSON, b"[NaN]"),
        (JSON, b"[]", JSON, b"[]"),
        (CSV, b"1,2\n3,4", JSON, b"[[3.0, 5.0], [7.0, 9.0]]"),
        (CSV, b"1,2\n3,4", "x/y, text/csv", b"3.0,5.0\n7.0,9.0\n"),
        (NPY, npy(np.arange(3)), JSON, b"[1, 3, 5]"),
        (NPY, npy(np.arange(3, dtype="f4")), JSON, b"[1.0, 3.0, 5.0]"),
    ],
)
def test_the_defaults_answer_as_the_image_does(
    model: PyTorchModel, content_type: str, body: bytes, accept: str, answered: bytes
) -> None:
    answer = ask(model, body, content_type, accept)
    assert (answer.status, answer.body) == (200, answered)


@pytest.mark.parametrize(
    ("content_type", "body", "said"),
    [
        (JSON, b'"a"', "can't convert np.ndarray of type numpy.str_"),
        (JSON, b"null", "can't convert np.ndarray of type numpy.object_"),
        (CSV, b"1.5,2", "can't convert np.ndarray of type numpy.void"),
        ("x/y", b"1", "Content type x/y is not supported by this framework."),
    ],
)
def test_what_makes_no_tensor_is_an_error(
    model: PyTorchModel, content_type: str, body: bytes, said: str
) -> None:
    answer = ask(model, body, content_type)
    assert answer.status == 500
    assert answer.body.decode().startswith(said)


def test_model_pt_wins_and_otherwise_there_must_be_one(tmp_path: Path, traced: bytes) -> None:
    (tmp_path / "a.pth").write_bytes(traced)
    (tmp_path / "b.pt").write_bytes(traced)
    with pytest.raises(ValueError, match=r"Exactly one \.pth or \.pt file is required"):
        loaded(tmp_path, "")
    (tmp_path / "model.pt").write_bytes(traced)
    assert ask(loaded(tmp_path, ""), b"[1]").body == b"[3.0]"


def test_a_file_that_is_no_torchscript_is_told(tmp_path: Path) -> None:
    torch.save({"weights": torch.ones(2)}, tmp_path / "model.pth")
    with pytest.raises(ModelLoadError, match="Please ensure model is saved using torchscript"):
        loaded(tmp_path, "")


def test_what_a_model_takes_is_read_as_torch_wrote_it(tmp_path: Path, traced: bytes) -> None:
    class Scaled(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(2000, 2000)

        def forward(self, x, scale: float = 1.0):  # type: ignore[no-untyped-def]
            return self.linear(x) * scale

    (tmp_path / "traced.pt").write_bytes(traced)
    torch.jit.save(torch.jit.script(Scaled()), tmp_path / "scripted.pt")
    torch.save(Scaled().state_dict(), tmp_path / "weights.pth")
    ids = torch.zeros(2, 3, dtype=torch.int64)
    torch.jit.save(torch.jit.trace(torch.nn.Embedding(9, 4), ids), tmp_path / "words.pt")
    assert read_contents(tmp_path).traced == {
        "traced.pt": TorchScript(
            arguments={"x": "Tensor"},
            returns="Tensor",
            example=(Tensor(dtype="float32", shape=(3,)),),
        ),
        "scripted.pt": TorchScript(arguments={"x": "Tensor", "scale": "float"}, returns="Tensor"),
        "weights.pth": None,
        "words.pt": TorchScript(
            arguments={"input": "Tensor"},
            returns="Tensor",
            example=(Tensor(dtype="int64", shape=(2, 3)),),
        ),
    }

"""Which program serves an archive, when nobody has said it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sagemaker_serving.archive import read_contents
from sagemaker_serving.model_server.programs import program_of

MODEL_FN = "def model_fn(model_dir): pass\n"
HANDLER = "def handler(data, context): pass\n"
PREPROCESS = "def neo_preprocess(payload, content_type): pass\n"


@pytest.mark.parametrize(
    ("files", "program"),
    [
        ({"m/1/saved_model.pb": ""}, "tensorflow"),
        ({"m/1/saved_model.pb": "", "code/inference.py": HANDLER}, "tensorflow"),
        (
            {"m/1/saved_model.pb": "", "weights.pth": "", "code/inference.py": MODEL_FN},
            "tensorflow",
        ),
        ({"model.pth": ""}, "pytorch"),
        ({"model.pt": "", "code/inference.py": HANDLER}, "pytorch"),
        ({"weights.bin": "", "code/inference.py": MODEL_FN}, "pytorch"),
        ({"code/inference.py": "def transform_fn(m, d, c, a): pass\n"}, "pytorch"),
        ({"model.onnx": "", "code/inference.py": PREPROCESS}, "neo-onnx"),
        ({"model.onnx": ""}, "tensorflow"),
        ({"m/1/model.onnx": ""}, "triton"),
        ({"m/config.pbtxt": "", "m/1/model.py": ""}, "triton"),
        ({"README": "nothing"}, "tensorflow"),
    ],
)
def test_files_and_functions_tell_the_program(
    tmp_path: Path, files: dict[str, str], program: str
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert program_of(read_contents(tmp_path)) == program


def test_the_script_that_a_variable_names_tells_the_program(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "entry.py").write_text(MODEL_FN)
    contents = read_contents(tmp_path)
    assert program_of(contents) == "tensorflow"
    assert program_of(contents, {"SAGEMAKER_PROGRAM": "entry.py"}) == "pytorch"

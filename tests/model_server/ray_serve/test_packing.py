"""A PyTorch model made ready for Ray Serve's image, or why not."""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sagemaker_serving.archive import Source
from sagemaker_serving.cli.package import package as command
from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.ray_serve.packing import add_application

SCRIPT = """
def model_fn(model_dir):
    with open("factor.pth") as file:
        return float(file.read())

def input_fn(data, content_type):
    return [float(text) for text in data.split(",")]

def predict_fn(data, model):
    return [value * model for value in data]
"""

ASKED = """
import json
from pathlib import Path
from sagemaker_serving.model_server.pytorch.service import load
from sagemaker_serving.model_server.toolkit.service import Request
from sagemaker_serving.model_server.toolkit.settings import read_settings

model = load(Path.cwd(), read_settings({}))
answer = model.answer(Request(headers={"content-type": "text/csv"}, body=b"1,2.5"))
print(json.dumps([answer.status, answer.body.decode(), answer.content_type]))
"""


def a_folder(folder: Path, files: dict[str, str] | None = None) -> Path:
    for name, text in (
        {"inference.py": SCRIPT, "factor.pth": "2"} if files is None else files
    ).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def package(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments), "--for", "ray-serve"])


def test_the_archive_serves_by_itself_where_this_project_is_not_installed(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "model")
    target, unpacked = tmp_path / "model.tar.gz", tmp_path / "unpacked"
    result = package(folder, "-o", target)
    assert result.exit_code == 0, result.output
    assert result.output.endswith("in the environment file: framework: ray-serve\n")
    with tarfile.open(target) as archive:
        archive.extractall(unpacked, filter="data")
    assert {"config.yaml", "deployment.py", "factor.pth", "code"} <= {
        each.name for each in unpacked.iterdir()
    }
    alone = f"import sys; sys.path[:0] = ['.', 'code']\n{ASKED}"
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "-c", alone],
        cwd=unpacked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [200, "[2.0, 5.0]", "application/json"]


def test_sources_that_stand_apart_are_packed_as_ever(tmp_path: Path) -> None:
    files = {"factor.pth": "2", "code/inference.py": SCRIPT, "code/requirements.txt": "six\n"}
    folder = a_folder(tmp_path, files)
    packed = add_application([Source(path=folder / "factor.pth"), Source(path=folder / "code")])
    assert [each.path.name for each in packed[:3]] == ["factor.pth", "code", "config.yaml"]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"inference.py": SCRIPT, "deployment.py": ""}, "has its own deployment.py, which --for"),
        ({"1/saved_model.pb": ""}, "has no code/inference.py, and no .pt or .pth file"),
        (
            {"inference.py": f"import ts\nimport sagemaker_inference\n{SCRIPT}"},
            r"code/inference.py:1 imports ts, which is in the PyTorch image and not in Ray "
            r"Serve's; do without it(.|\n)*:2 imports sagemaker_inference.*; list "
            "sagemaker-inference in code/requirements.txt",
        ),
    ],
)
def test_what_the_image_could_not_serve_is_not_packed(
    tmp_path: Path, files: dict[str, str], said: str
) -> None:
    with pytest.raises(Mistake, match=said):
        add_application([Source(path=a_folder(tmp_path, files))])


def test_what_requirements_bring_may_be_imported(tmp_path: Path) -> None:
    files = {
        "inference.py": f"import sagemaker_inference\n{SCRIPT}",
        "requirements.txt": "sagemaker-inference==1.10.1\n",
    }
    assert add_application([Source(path=a_folder(tmp_path, files))])


def test_the_pytorch_image_s_own_demands_are_judged(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "m", {"inference.py": "def handler(data, context): ...\n"})
    result = package(folder, "-o", tmp_path / "model.tar.gz")
    assert "defines none of what the container calls: model_fn" in str(result.exception)
    assert not (tmp_path / "model.tar.gz").exists()


def test_finished_archives_and_other_frameworks_are_refused(tmp_path: Path) -> None:
    folder = a_folder(tmp_path / "model")
    target = tmp_path / "model.tar.gz"
    assert package(folder, "-o", target).exit_code == 0
    assert "is a finished archive" in str(package(target, "-o", tmp_path / "x").exception)
    for other in ("--neo", "--framework=onnx"):
        refused = str(package(folder, "-o", tmp_path / "x", other).exception)
        assert "--for ray-serve packs PyTorch models; it cannot stand beside --" in refused

"""inspect, package and cache, as a shell sees them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws.gateway import Gateway
from tests.cli.conftest import on_a_terminal
from tests.local_aws.aws import REGION, client_of, running, shell_of
from tests.local_aws.stand_in import StandIn
from tests.models import archive, onnx_model, saved_model

Run = Callable[..., Any]
FILES = {
    "digits/1/saved_model.pb": saved_model({"images": ("float32", (None, 8, 8))}),
    "code/inference.py": b"def handler(data, context): ...\n",
}
INSPECTED = """\
model.tar.gz: tensorflow, 2 files, {size} bytes unpacked, {packed} bytes packed
  models
    digits/1/saved_model.pb: tags serve by TensorFlow 2.21.0
      serving_default (predict)
        in  images: float32 (?, 8, 8)
        out y: float32 (?)
  code/inference.py
    handler takes 2 (line 1)
  files
    code/
      inference.py  32 bytes
    digits/
      1/
        saved_model.pb  {model} bytes
"""


@pytest.fixture
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with running(tmp_path_factory.mktemp("aws"), launch=StandIn.start) as gateway:
        yield gateway


def plant(folder: Path) -> Path:
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def test_inspect_shows_the_tree_plainly_in_a_pipe(run: Run, tmp_path: Path) -> None:
    raw = archive(FILES)
    (tmp_path / "model.tar.gz").write_bytes(raw)
    ended = run("inspect", "model.tar.gz")
    sizes = {"size": sum(map(len, FILES.values())), "packed": len(raw)}
    assert ended.stdout == INSPECTED.format(**sizes, model=len(FILES["digits/1/saved_model.pb"]))
    assert (ended.returncode, ended.stderr) == (0, "")


def test_inspect_draws_a_tree_on_a_terminal(tmp_path: Path) -> None:
    plant(tmp_path / "model")
    for number in range(15):
        (tmp_path / "model" / f"note-{number:02}.txt").touch()
    shown = on_a_terminal(tmp_path, "inspect", "model")
    assert "└── " in shown
    assert "images: float32 (?, 8, 8)" in shown
    assert "more, which a pipe has, and --json" in shown
    assert "note-14.txt" not in shown


def test_inspect_answers_programs_in_json(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    facts = json.loads(run("inspect", "model", "--json").stdout)
    assert facts["models"] == [{"name": "digits", "version": 1}]
    model = facts["saved_models"]["digits/1/saved_model.pb"]
    assert model["signatures"]["serving_default"]["inputs"]["images"] == {
        "dtype": "float32",
        "shape": [None, 8, 8],
    }
    assert facts["script"]["functions"]["handler"]["line"] == 1
    assert facts["problems"] == []


def test_inspect_ends_with_2_and_names_what_is_wrong(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    (tmp_path / "model" / "code" / "inference.py").write_text("import numpy\n")
    ended = run("inspect", "model")
    assert ended.returncode == 2
    assert "error: artifact is 'model'; code/inference.py defines none of what" in ended.stdout
    assert "[handler-imports]" in ended.stdout


def test_inspect_streams_from_s3(run: Run, gateway: Gateway) -> None:
    s3 = client_of(gateway).client("s3")
    s3.create_bucket(Bucket="models", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_object(Bucket="models", Key="a b.tar.gz", Body=archive(FILES))
    aws = {**shell_of(gateway), "AWS_REGION": REGION}
    ended = run("inspect", "s3://models/a b.tar.gz", **aws)
    assert ended.returncode == 0, ended.stderr
    assert "images: float32 (?, 8, 8)" in ended.stdout
    missing = run("inspect", "s3://models/none.tar.gz", **aws)
    assert missing.returncode == 2
    assert "there is nothing at s3://models/none.tar.gz" in missing.stderr


def test_package_says_what_it_made_and_repeats_it_byte_for_byte(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    ended = run("package", "model", "-o", "a.tar.gz")
    assert ended.returncode == 0, ended.stderr
    facts = json.loads(run("package", "model", "-o", "out/b.tar.gz", "--json").stdout)
    assert ended.stdout.endswith(f"sha256 {facts['sha256']}\n")
    first, second = tmp_path / "a.tar.gz", tmp_path / "out" / "b.tar.gz"
    assert first.read_bytes() == second.read_bytes()
    assert facts["bytes"] == second.stat().st_size
    assert facts["models"] == [{"name": "digits", "version": 1}]
    assert ended.stderr == "", "a progress bar in a pipe"


def test_package_writes_nothing_when_there_is_an_error(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    (tmp_path / "model" / "code" / "inference.py").write_text("def handler(data): ...")
    ended = run("package", "model")
    assert ended.returncode == 2
    assert "handler cannot be called with 2 arguments" in ended.stderr
    assert not (tmp_path / "model.tar.gz").exists()


def test_package_refuses_to_write_into_what_it_packs(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    ended = run("package", "model", "-o", "model/model.tar.gz")
    assert ended.returncode == 2
    assert "would be packed into itself; write it elsewhere with -o" in ended.stderr


def test_package_names_the_default_model_of_several(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    digits = str(tmp_path / "model" / "digits" / "1")
    two = (f"a={digits}", f"b={digits}")
    assert "none is the default" in run("package", *two).stderr
    ended = run("package", *two, "--default-model", "b")
    assert ended.stdout.endswith("environment: {SAGEMAKER_TFS_DEFAULT_MODEL_NAME: b}\n")
    wrong = run("package", *two, "--default-model", "c")
    assert wrong.returncode == 2
    assert ": --default-model is 'c'; the archive holds a, b; use" in wrong.stderr


def test_package_makes_one_archive_of_several(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    for name in ("a", "b"):
        run("package", f"{name}=model/digits/1", "-o", f"{name}.tar.gz")
    run("package", "cats=a.tar.gz", "b.tar.gz", "--default-model", "b", "-o", "both.tar.gz")
    run("package", "cats=model/digits/1", "b=model/digits/1", "-o", "same.tar.gz")
    assert (tmp_path / "both.tar.gz").read_bytes() == (tmp_path / "same.tar.gz").read_bytes()
    ended = run("package", "a=both.tar.gz", "b.tar.gz")
    assert ended.returncode == 2
    assert "both.tar.gz holds 2 SavedModels with a version folder: b, cats; of" in ended.stderr


def test_package_keeps_nothing_when_it_is_told_not_to(run: Run, tmp_path: Path) -> None:
    plant(tmp_path / "model")
    place = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    first = run("package", "model", "--no-cache", **place)
    assert first.returncode == 0
    assert not (tmp_path / "cache").exists()
    run("package", "model", **place)
    assert "unchanged" not in run("package", "model", "--no-cache", **place).stdout
    assert (tmp_path / "model.tar.gz").exists()


NEGATIVE = onnx_model([("Neg", ("x",), "y")], {"x": (1, (None, 2))}, {"y": (1, (None, 2))})


def test_an_onnx_file_is_packed_for_triton_and_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "net.onnx").write_bytes(NEGATIVE)
    ended = run(
        "package", "cats=net.onnx", "net.onnx", "--for", "triton", "--default-model", "cats"
    )
    assert ended.returncode == 0, ended.stderr
    assert "environment: {SAGEMAKER_TRITON_DEFAULT_MODEL_NAME: cats}" in ended.stdout
    assert run("package", "net.onnx", "--for", "triton").returncode == 0
    shown = run("inspect", "model.tar.gz").stdout
    assert shown.startswith("model.tar.gz: sagemaker-tritonserver, 2 files")
    assert "    net/1/model.onnx\n      in  x: FP32 (?, 2)\n      out y: FP32 (?, 2)\n" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["net.onnx", "--max-batch-size", "4"], "--max-batch-size is for --for triton; add it"),
        (
            ["notes.txt", "--for", "triton"],
            "notes.txt is no .onnx file, which is what --for triton",
        ),
        (["net.onnx", "notes.onnx", "--for", "triton"], "notes.onnx is no ONNX model"),
    ],
)
def test_what_is_not_packed_for_triton_is_said(
    run: Run, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "net.onnx").write_bytes(NEGATIVE)
    for name in ("notes.txt", "notes.onnx"):
        (tmp_path / name).write_text("none")
    ended = run("package", *arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert said in ended.stderr

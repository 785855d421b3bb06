"""ONNX files as a model repository, and what is read of one without onnx."""

from __future__ import annotations

import tarfile
from pathlib import Path

import onnxruntime
import pytest

from sagemaker_serving.archive import build_archive, contents_of, triton_plan
from sagemaker_serving.archive.pbtxt import BadConfig, read_config
from sagemaker_serving.archive.sources import Source
from sagemaker_serving.errors import Mistake
from sagemaker_serving.rules.artifact_check import check_contents
from tests.models import onnx_model

FLOAT, TEXT = 1, 8
MODEL = onnx_model(
    [("Neg", ("x",), "y"), ("Identity", ("t",), "u")],
    {"x": (FLOAT, (None, 4)), "t": (TEXT, (None,))},
    {"y": (FLOAT, (None, 4)), "u": (TEXT, (None,))},
)
WHOLE = """\
name: "digits"
backend: "onnxruntime"
max_batch_size: 0
input { name: "x" data_type: TYPE_FP32 dims: [-1, 4] }
input { name: "t" data_type: TYPE_STRING dims: [-1] }
output { name: "y" data_type: TYPE_FP32 dims: [-1, 4] }
output { name: "u" data_type: TYPE_STRING dims: [-1] }
"""
BATCHES = """\
name: "digits"
backend: "onnxruntime"
max_batch_size: 8
dynamic_batching { }
input { name: "x" data_type: TYPE_FP32 dims: [4] }
input { name: "t" data_type: TYPE_STRING dims: [1] reshape { shape: [] } }
output { name: "y" data_type: TYPE_FP32 dims: [4] }
output { name: "u" data_type: TYPE_STRING dims: [1] reshape { shape: [] } }
"""


def packed(tmp_path: Path, model: bytes, most: int = 0, **source: int | str) -> tarfile.TarFile:
    file = tmp_path / "digits.onnx"
    file.write_bytes(model)
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    plan = triton_plan([Source(path=file, **source)], scratch, max_batch_size=most)  # type: ignore[arg-type]
    assert check_contents(contents_of(plan), "digits.onnx") == []
    built = build_archive(plan, lambda _: tmp_path / "model.tar.gz", replace=True)
    return tarfile.open(built.path)


@pytest.mark.parametrize(("most", "text"), [(0, WHOLE), (8, BATCHES)])
def test_a_config_says_what_the_model_says_of_itself(tmp_path: Path, most: int, text: str) -> None:
    with packed(tmp_path, MODEL, most) as tar:
        assert tar.getnames() == ["digits/1/model.onnx", "digits/config.pbtxt"]
        config = tar.extractfile("digits/config.pbtxt")
        assert config is not None
        assert config.read().decode() == text


def test_name_and_version_are_the_source_s(tmp_path: Path) -> None:
    with packed(tmp_path, MODEL, name="cats", version=7) as tar:
        assert tar.getnames() == ["cats/7/model.onnx", "cats/config.pbtxt"]


def test_versions_of_a_model_share_its_config(tmp_path: Path) -> None:
    other = onnx_model([("Neg", ("x",), "y")], {"x": (1, (4,))}, {"y": (1, (4,))})
    for name, model in (("a", MODEL), ("b", MODEL), ("c", other)):
        (tmp_path / f"{name}.onnx").write_bytes(model)
    first, second, third = (
        Source(path=tmp_path / f"{name}.onnx", name="m", version=version)
        for name, version in (("a", 1), ("b", 2), ("c", 3))
    )
    plan = triton_plan([first, second], tmp_path)
    assert [each.name for each in plan.entries] == [
        *("m/1/model.onnx", "m/2/model.onnx"),
        "m/config.pbtxt",
    ]
    for clash in (third, Source(path=third.path, name="m")):
        with pytest.raises(Mistake, match="the archive has another m/"):
            triton_plan([first, clash], tmp_path)


def test_weights_in_other_files_go_beside_the_model(tmp_path: Path) -> None:
    model = onnx_model(
        [("Add", ("x", "w"), "y")], {"x": (1, (4,))}, {"y": (1, (4,))}, weights_in="w.bin"
    )
    with pytest.raises(Mistake, match=r"digits\.onnx has weights in .*w\.bin, which is not there"):
        packed(tmp_path, model)
    (tmp_path / "w.bin").write_bytes(b"1234")
    with packed(tmp_path, model) as tar:
        assert "digits/1/w.bin" in tar.getnames()


@pytest.mark.parametrize(
    ("model", "most", "said"),
    [
        (b"no model", 0, "is no ONNX model"),
        (onnx_model([], {}, {"y": (14, (1,))}), 0, "'y' is no tensor that Triton serves"),
        (onnx_model([], {}, {"y": (FLOAT, None)}), 0, "'y' has no shape"),
        (
            onnx_model([], {}, {"y": (FLOAT, (1, 4))}),
            8,
            r"'y' has the shape \[1, 4\]; batches need",
        ),
    ],
)
def test_what_triton_would_not_serve_is_not_packed(
    tmp_path: Path, model: bytes, most: int, said: str
) -> None:
    with pytest.raises(Mistake, match=said):
        packed(tmp_path, model, most)


def test_a_model_is_read_as_onnxruntime_reads_it(tmp_path: Path) -> None:
    (tmp_path / "digits.onnx").write_bytes(MODEL)
    model = contents_of([tmp_path / "digits.onnx"]).onnx["digits.onnx"]
    assert model is not None
    session = onnxruntime.InferenceSession(MODEL, providers=["CPUExecutionProvider"])
    names = {"tensor(float)": "FP32", "tensor(string)": "BYTES"}
    for own, theirs in (
        (model.inputs, session.get_inputs()),
        (model.outputs, session.get_outputs()),
    ):
        assert {name: (each.dtype, each.shape) for name, each in own.items()} == {
            each.name: (
                names[each.type],
                tuple(size if isinstance(size, int) else None for size in each.shape),
            )
            for each in theirs
        }


def test_a_model_that_is_cut_anywhere_is_no_model_and_no_traceback(tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    for end in range(1, len(MODEL)):
        file.write_bytes(MODEL[:end])
        contents_of([file])


def test_text_format_is_read_with_all_that_it_allows() -> None:
    config = read_config(
        """# a comment
        name: "a" 'b\\n\\x41\\101'; max_batch_size: 0x10,
        input < name: "x" dims: [ -1, 010 ] dims: 3 optional: true reshape { } >
        input [ { name: "y" }, { data_type: TYPE_FP32 } ]
        parameters { key: "k" value { string_value: "v" } }
        optimization { gather_kernel_buffer_threshold: 5 } instance_group [ ]
        model_warmup { inputs { key: "x" value: { dims: 1 zero_data: true } } }
        """
    )
    assert config["name"] == "ab\nAA"
    assert config["max_batch_size"] == 16
    assert config["input"][0]["dims"] == [-1, 8, 3]
    assert [each.line for each in config["input"]] == [3, 4, 4]
    assert config["parameters"] == [{"key": "k", "value": {"string_value": "v"}}]
    assert config["instance_group"] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nmae: 'm'", "line 1: Triton has no field 'nmae' in ModelConfig; did you mean name"),
        ("\ninput {\n dtype: TYPE_FP32 }", "line 3: Triton has no field 'dtype' in ModelInput"),
        ("max_batch_size: '4'", "line 1: max_batch_size is '4'; it must be a whole number"),
        (
            "input { data_type: FP32 }",
            "line 1: data_type is FP32; it must be TYPE_INVALID, TYPE_BOOL",
        ),
        ("input { optional: yes }", "line 1: optional is yes; it must be a bool"),
        ("name: m", "line 1: name is m; it must be a string"),
        ("name 'm'", "line 1: expected ':' after name and found 'm'"),
        ("name: 'm' name: 'm'", "line 1: name has one value, and is given more"),
        ("input { dims: [ 1 2 ] }", "line 1: expected ',' or ']' in dims and found 2"),
        ("input: 5", "line 1: input holds fields in { }, and not 5"),
        ("input {\n", "line 2: expected a field's name and found the end of the file"),
        ("}", "line 1: expected a field's name and found }"),
        ("name: 'm", 'line 1: unexpected "\'"'),
    ],
)
def test_what_triton_would_not_read_is_named_with_its_line(text: str, said: str) -> None:
    with pytest.raises(BadConfig) as bad:
        read_config(text)
    assert str(bad.value).startswith(said)

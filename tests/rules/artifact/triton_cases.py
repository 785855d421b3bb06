"""Triton's model repositories with one thing wrong, what is said, the nearest that is right."""

from __future__ import annotations

from typing import Any

from tests.models import onnx_model
from tests.rules.artifact.artifacts import Model

IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/sagemaker-tritonserver:26.05-py3-cpu"
DEFAULT = "SAGEMAKER_TRITON_DEFAULT_MODEL_NAME"
ONNX = "digits/1/model.onnx"
FLOAT = 1
NEGATIVE = onnx_model([("Neg", ("x",), "y")], {"x": (FLOAT, (None, 4))}, {"y": (FLOAT, (None, 4))})
FIXED = onnx_model([("Neg", ("x",), "y")], {"x": (FLOAT, (1, 4))}, {"y": (FLOAT, (1, 4))})
SINGLE = onnx_model([("Neg", ("x",), "y")], {"x": (FLOAT, ())}, {"y": (FLOAT, ())})
PAIR = onnx_model(
    [("Add", ("x", "z"), "y")],
    {"x": (FLOAT, (None, 4)), "z": (FLOAT, (None, 4))},
    {"y": (FLOAT, (None, 4))},
)
HEAVY = onnx_model(
    [("Add", ("x", "w"), "y")],
    {"x": (FLOAT, (None, 4))},
    {"y": (FLOAT, (None, 4))},
    weights_in="weights.bin",
)


def triton(files: dict[str, bytes], **more: Any) -> Model:
    fields = {"framework": "sagemaker-tritonserver", "framework_version": "26.05", **more}
    return Model(files, fields)


def configured(config: str, model: bytes = NEGATIVE) -> Model:
    return triton({ONNX: model, "digits/config.pbtxt": config.encode()})


def tensors(x: str = "data_type: TYPE_FP32 dims: [ -1, 4 ]", y: str = "dims: [ -1, 4 ]") -> str:
    return f'\ninput {{ name: "x" {x} }}\noutput {{ name: "y" data_type: TYPE_FP32 {y} }}'


CASES: list[tuple[str, Model, str, Model]] = [
    ("triton-repository", triton({"digits.onnx": NEGATIVE}),
     "it has no model's folder, such as NAME/1/model.onnx; pack an .onnx file with "
     "`sagemaker-serving package FILE --for triton`", triton({ONNX: NEGATIVE})),
    ("triton-repository", Model({"1.onnx": NEGATIVE}, {"framework": None, "image_uri": IMAGE}),
     "it has no model's folder", Model({ONNX: NEGATIVE}, {"framework": None, "image_uri": IMAGE})),
    ("triton-repository", triton({ONNX: NEGATIVE, "config.pbtxt": b""}),
     "config.pbtxt is at its top; put it into the model's folder, NAME/config.pbtxt",
     triton({ONNX: NEGATIVE, "digits/config.pbtxt": b""})),
    ("triton-repository", triton({ONNX: NEGATIVE, "code/notes.txt": b""}),
     "it has 2 folders, which Triton's image takes for models (code, digits); set environment: "
     f"{{{DEFAULT}: code}}",
     triton({ONNX: NEGATIVE, "code/notes.txt": b""}, environment={DEFAULT: "digits"})),
    ("triton-repository", triton({ONNX: NEGATIVE}, environment={DEFAULT: "digts"}),
     f"{DEFAULT} is 'digts'; it has digits",
     triton({ONNX: NEGATIVE}, environment={DEFAULT: "digits"})),
    ("triton-repository",
     triton({"digits/v1/model.onnx": NEGATIVE, "digits/config.pbtxt": b'backend: "onnxruntime"'}),
     "the model has no version's folder that Triton loads",
     triton({ONNX: NEGATIVE, "digits/config.pbtxt": b'backend: "onnxruntime"'})),
    (
        "triton-repository",
        triton(
            {"digits/1/digits.onnx": NEGATIVE, "digits/config.pbtxt": b'backend: "onnxruntime"'}
        ),
        "the model's version 1 has no model.onnx, which Triton loads",
        triton(
            {
                "digits/1/digits.onnx": NEGATIVE,
                "digits/config.pbtxt": b'platform: "onnxruntime_onnx" '
                b'default_model_filename: "digits.onnx"',
            }
        ),
    ),
    ("triton-config", configured("max_batchsize: 8"),
     "digits/config.pbtxt line 1: Triton has no field 'max_batchsize' in ModelConfig; did you "
     "mean max_batch_size", configured("max_batch_size: 8")),
    ("triton-config", configured(tensors("data_type: TYPE_FP64 dims: [ -1, 4 ]")),
     "digits/config.pbtxt line 2: input 'x': data_type is TYPE_FP64; the model has TYPE_FP32",
     configured(tensors())),
    ("triton-config", configured(tensors(y="dims: [ 8, 4 ]")),
     "line 3: output 'y': its shape is [8, 4] and the model's is [-1, 4]",
     configured(tensors("data_type: TYPE_FP32 dims: [ 8, 4 ]"))),
    ("triton-config", configured(tensors("data_type: TYPE_FP32")),
     "line 2: input 'x': dims is missing; give the shape, -1 for an open size",
     configured(tensors())),
    ("triton-config", configured("max_batch_size: 8", FIXED),
     "input 'x': max_batch_size is 8; the model's shape is [1, 4], whose first size is fixed",
     configured("max_batch_size: 0", FIXED)),
    ("triton-config", configured("max_batch_size: -1"),
     "max_batch_size is -1; it must be 0 or more", configured("max_batch_size: 1")),
    ("triton-config", configured(tensors("data_type: TYPE_FP32 dims: 2", "dims: 1"), SINGLE),
     "input 'x': dims is [2]; the model takes a single value: dims: [ 1 ]",
     configured(tensors("data_type: TYPE_FP32 dims: 1", "dims: 1"), SINGLE)),
    ("triton-config", configured(tensors(), PAIR), "the model's input 'z' is not in it; add it",
     configured(tensors() + '\ninput { name: "z" data_type: TYPE_FP32 dims: [ -1, 4 ] }', PAIR)),
    ("triton-config", configured(tensors() + '\noutput { name: "z" data_type: TYPE_FP32 dims: 4 }'),
     "line 4: the model has no output 'z'; it has y", configured(tensors())),
    ("triton-config", configured('name: "cats"'),
     "name is 'cats' and its folder is 'digits'; they must be the same",
     configured('name: "digits"')),
    ("triton-config", triton({ONNX: b"weights"}),
     f"{ONNX} is no ONNX model; export the model again",
     triton({"digits/1/model.py": b"", "digits/config.pbtxt": b'backend: "python"'})),
    ("triton-config", triton({ONNX: HEAVY}),
     f"{ONNX} has weights in weights.bin, which is not beside it; add it",
     triton({ONNX: HEAVY, "digits/1/weights.bin": b"1234"})),
]  # fmt: skip

"""Triton's v2 protocol over onnxruntime. Texts are those of triton-inference-server/server e1db8a6
and core 73aad7c; none of NVIDIA's software was run."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.model_server.triton.models import OnnxRuntimeModel, TritonError, load_model
from sagemaker_serving.model_server.triton.protocol import BINARY, infer
from tests.models import onnx_model

FLOAT, INT8, INT64, TEXT, HALF, DOUBLE = 1, 3, 7, 8, 10, 11
PAIR = onnx_model(
    [("Add", ("a", "b"), "sum"), ("Mul", ("a", "b"), "product")],
    {"a": (FLOAT, (None, 2)), "b": (FLOAT, (None, 2))},
    {"sum": (FLOAT, (None, 2)), "product": (FLOAT, (None, 2))},
)
BATCHED = """
max_batch_size: 4
input [ { name: "a" data_type: TYPE_FP32 dims: [ 2 ] }, { name: "b" data_type: TYPE_FP32 dims: 2 } ]
output { name: "sum" data_type: TYPE_FP32 dims: 2 }
"""


def load(tmp_path: Path, model: bytes, config: str | None = None) -> OnnxRuntimeModel:
    (tmp_path / "m" / "1").mkdir(parents=True)
    (tmp_path / "m" / "1" / "model.onnx").write_bytes(model)
    if config is not None:
        (tmp_path / "m" / "config.pbtxt").write_text(config)
    return load_model(tmp_path / "m", "m")


def one(operation: str, dtype: int, shape: Sequence[int | None]) -> bytes:
    tensor = {"x": (dtype, shape)}, {"y": (dtype, shape)}
    return onnx_model([(operation, ("x",), "y")], *tensor)


def tensor(name: str, data: Any, shape: Sequence[int], datatype: str = "FP32") -> dict[str, Any]:
    return {"name": name, "shape": shape, "datatype": datatype, "data": data}


def ask(model: OnnxRuntimeModel, *inputs: Any, **more: Any) -> Any:
    body, kind = infer(model, "application/json", json.dumps({"inputs": inputs} | more).encode())
    assert kind == "application/json"
    return json.loads(body)


A, B = tensor("a", [1, 2], [1, 2]), tensor("b", [[3, 4.5]], [1, 2])


def test_an_answer_in_json_is_the_model_s(tmp_path: Path) -> None:
    assert ask(load(tmp_path, PAIR), A, B, id="7") == {
        "id": "7",
        "model_name": "m",
        "model_version": "1",
        "outputs": [tensor("sum", [4.0, 6.5], [1, 2]), tensor("product", [3.0, 9.0], [1, 2])],
    }


def test_binary_goes_in_and_out_beside_json_for_each_tensor(tmp_path: Path) -> None:
    a = np.arange(6, dtype="float32").reshape(3, 2)
    model = load(tmp_path, PAIR)
    sent = {
        "name": "a",
        "shape": [3, 2],
        "datatype": "FP32",
        "parameters": {"binary_data_size": 24},
    }
    wanted = [{"name": "product", "parameters": {"binary_data": True}}, {"name": "sum"}]
    head = json.dumps({"inputs": [sent, tensor("b", [2] * 6, [3, 2])], "outputs": wanted}).encode()
    body, kind = infer(model, f"{BINARY}{len(head)}", head + a.tobytes())
    size = int(kind.removeprefix(BINARY))
    product, total = json.loads(body[:size])["outputs"]
    assert product["parameters"] == {"binary_data_size": 24}
    session = onnxruntime.InferenceSession(PAIR, providers=["CPUExecutionProvider"])
    own_sum, own_product = session.run(None, {"a": a, "b": np.full((3, 2), 2, "float32")})
    assert np.array_equal(np.frombuffer(body[size:], "float32").reshape(3, 2), own_product)
    assert total["data"] == own_sum.reshape(-1).tolist()


@pytest.mark.parametrize(
    ("dtype", "name", "given", "answer"),
    [
        (INT64, "INT64", [1, -(1 << 53)], [-1, 1 << 53]),
        (INT8, "INT8", [100, 300], [-100, -44]),  # cut to eight bits, as C++ does
        (DOUBLE, "FP64", [0.1, 2], [-0.1, -2.0]),
        (FLOAT, "FP32", [0.1, 0], [-float(np.float32(0.1)), 0.0]),
    ],
)
def test_every_type_is_the_protocol_s(
    tmp_path: Path, dtype: int, name: str, given: list[Any], answer: list[Any]
) -> None:
    model = load(tmp_path, one("Neg", dtype, (None,)))
    assert ask(model, tensor("x", given, [2, 1], name))["outputs"][0] == tensor(
        "y", answer, [2, 1], name
    )


def test_texts_are_strings_in_json_and_sizes_with_bytes_in_binary(tmp_path: Path) -> None:
    model = load(tmp_path, one("Identity", TEXT, (None, 2)))
    given = tensor("x", ["é", ""], [1, 2], "BYTES")
    assert ask(model, given)["outputs"][0]["data"] == ["é", ""]
    wanted = {"inputs": [given], "parameters": {"binary_data_output": True}}
    body, kind = infer(model, None, json.dumps(wanted).encode())
    assert body[int(kind.removeprefix(BINARY)) :] == b"\2\0\0\0\xc3\xa9\0\0\0\0"


def test_a_config_that_is_left_out_is_completed_with_a_batch_of_four(tmp_path: Path) -> None:
    model = load(tmp_path, PAIR)
    assert model.config.max_batch_size == 4
    nine = [tensor(name, [0] * 10, [5, 2]) for name in "ab"]
    with pytest.raises(TritonError, match="inference request batch-size must be <= 4 for 'm'"):
        ask(model, *nine)


def test_a_single_value_is_a_shape_of_one(tmp_path: Path) -> None:
    model = load(tmp_path, one("Neg", FLOAT, ()))
    assert ask(model, tensor("x", [2], [1]))["outputs"][0] == tensor("y", [-2.0], [1])


def test_a_reshape_leads_to_the_model_s_shape_and_back(tmp_path: Path) -> None:
    config = """
    input { name: "x" data_type: TYPE_FP32 dims: [ -1, 1, 2 ] reshape { shape: [ -1, 2 ] } }
    output { name: "y" data_type: TYPE_FP32 dims: [ 2, -1 ] reshape { shape: [ -1, 2 ] } }
    """
    model = load(tmp_path, one("Neg", FLOAT, (None, 2)), config)
    answer = ask(model, tensor("x", [1, 2, 3, 4, 5, 6], [3, 1, 2]))
    assert answer["outputs"][0] == tensor("y", [-1.0, -2, -3, -4, -5, -6], [2, 3])


SAYS = "[request id: <id_unknown>] "
REFUSED: list[tuple[Any, int, str]] = [
    (b"{", 500, "failed to parse the request JSON buffer: "),
    ({}, 500, "Unable to parse 'inputs': attempt to access non-existing object member 'inputs'"),
    ({"inputs": 5}, 500, "Unable to parse 'inputs': attempt to access JSON non-array as array"),
    ({"inputs": [A]}, 400, f"{SAYS}expected 2 inputs but got 1 inputs for model 'm'. Got input(s) "
     "['a'], but missing required input(s) ['b']. Please provide all required input(s)."),
    ({"inputs": [A, A]}, 400, "input 'a' already exists in request"),
    ({"inputs": [A, A | {"name": "c"}]}, 400, "unexpected inference input 'c' for model 'm'"),
    ({"inputs": [A, B], "outputs": [{"name": "z"}]}, 400,
     "unexpected inference output 'z' for model 'm'"),
    ({"inputs": [A | {"datatype": "INT32"}, B]}, 400, f"{SAYS}inference input 'a' data-type is "
     "'INT32', but model 'm' expects 'FP32'"),
    ({"inputs": [A | {"datatype": "FP99"}, B]}, 400, "invalid datatype for input a"),
    ({"inputs": [A | {"datatype": "FP16"}, B]}, 400, "receiving FP16 data via JSON is not "),
    ({"inputs": [A | {"data": [1, 2, 3]}, B]}, 500,
     "Unable to parse 'data': Shape does not match true shape of 'data' field"),
    ({"inputs": [A | {"data": [1]}, B]}, 500,
     "Failed to parse 'data' field: shape does not match true shape"),
    ({"inputs": [A | {"data": [1, "x"]}, B]}, 500,
     "Unable to parse 'data': attempt to access JSON non-number as double"),
    ({"inputs": [A | {"data": [1, 2, 3], "shape": [1, 3]}, B]}, 400,
     f"{SAYS}unexpected shape for input 'a' for model 'm'. Expected [-1,2], got [1,3]. NOTE: "),
    ({"inputs": [A | {"data": [1, 2], "shape": []}, B]}, 500,
     "Unable to parse 'data': Shape does not match"),
    ({"inputs": [A | {"shape": [-1]}, B]}, 500, "Unable to parse 'shape': attempt to access JSON "
     "non-unsigned-integer as unsigned-integer"),
    ({"inputs": [A, tensor("b", [1] * 4, [2, 2])], "id": "7"}, 400,
     "[request id: 7] input 'b' batch size does not match other inputs for 'm'"),
    ({"inputs": [{"name": "a"}]}, 400, "Input must set only one of the following fields: 'data', "
     "'binary_data_size' in 'parameters', 'shared_memory_region' in 'parameters'. But no field"),
    ({"inputs": [], "parameters": {"triton_x": 1}}, 400, "parameter keys starting with 'triton_'"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "status", "text"), REFUSED, ids=[each[2] for each in REFUSED])
def test_a_request_is_refused_in_triton_s_words(
    tmp_path: Path, body: Any, status: int, text: str
) -> None:
    model = load(tmp_path, PAIR)
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    with pytest.raises(TritonError) as refused:
        infer(model, "application/json", sent)
    assert str(refused.value).startswith(text)
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("kind", "tail", "text"),
    [
        (f"{BINARY}0", b"", "the local AWS takes no request without a JSON header"),
        (f"{BINARY}x", b"", "Unable to parse inference header size, got: x"),
        (f"{BINARY}-5", b"", "inference header size should be in range (0, "),
        (f"{BINARY}12345", b"", "inference header size should be in range (0, "),
        (
            f"{BINARY}99999999999",
            b"",
            "Unable to parse inference header size, value is out of rang",
        ),
        (f"more/{BINARY}1", b"", "expect MIME type for binary data starts with 'application/vnd."),
        (None, bytes(4), "unexpected size for input 'x', expecting 4 additional bytes for model"),
        (None, bytes(9), "unexpected additional input data for model 'm'"),
    ],
)
def test_a_binary_body_is_refused_in_triton_s_words(
    tmp_path: Path, kind: str | None, tail: bytes, text: str
) -> None:
    model = load(tmp_path, one("Neg", FLOAT, (None, 2)))
    sent = {"name": "x", "shape": [1, 2], "datatype": "FP32", "parameters": {"binary_data_size": 8}}
    head = json.dumps({"inputs": [sent]}).encode()
    with pytest.raises(TritonError) as refused:
        infer(model, f"{BINARY}{len(head)}" if kind is None else kind, head + tail)
    assert str(refused.value).startswith(text)


def test_sixteen_bit_floats_are_answered_as_bytes_alone(tmp_path: Path) -> None:
    model = load(tmp_path, one("Neg", HALF, (None, 2)))
    data = np.array([1, 0.5], "float16").tobytes()
    sent = {"name": "x", "shape": [1, 2], "datatype": "FP16", "parameters": {"binary_data_size": 4}}
    head = json.dumps({"inputs": [sent]}).encode()
    with pytest.raises(TritonError, match="sending FP16 data via JSON is not supported"):
        infer(model, f"{BINARY}{len(head)}", head + data)
    head = json.dumps({"inputs": [sent], "parameters": {"binary_data_output": True}}).encode()
    body, kind = infer(model, f"{BINARY}{len(head)}", head + data)
    assert np.frombuffer(body[int(kind.removeprefix(BINARY)) :], "float16").tolist() == [-1, -0.5]


def test_what_the_model_itself_refuses_is_its_caller_s_mistake(tmp_path: Path) -> None:
    reshape = onnx_model(
        [("Add", ("a", "b"), "sum")],
        {"a": (FLOAT, (None, None)), "b": (FLOAT, (None, None))},
        {"sum": (FLOAT, (None, None))},
    )
    with pytest.raises(TritonError, match="onnx runtime error 1: ") as refused:
        ask(load(tmp_path, reshape), tensor("a", [1, 2], [1, 2]), tensor("b", [1, 2, 3], [1, 3]))
    assert refused.value.status == 400


def test_not_a_number_is_answered_as_triton_writes_it(tmp_path: Path) -> None:
    answer = ask(load(tmp_path, one("Sqrt", FLOAT, (None, 1))), tensor("x", [-1], [1, 1]))
    assert math.isnan(answer["outputs"][0]["data"][0])


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ('backend: "python"', "it needs Triton's backend 'python', which this machine does not"),
        ('platform: "tensorrt_plan"', "it needs Triton's backend 'tensorrt_plan'"),
        ("sequence_batching { }", "its config has sequence_batching, which the local AWS does not"),
        ("version_policy { specific { versions: 2 } }", "the model has no version's folder"),
        (
            'default_model_filename: "other.onnx" backend: "onnxruntime"',
            "the model's version 1 has no other.onnx",
        ),
        (f"{BATCHED}\ninput {{ name: 'c' }}", "config.pbtxt line 6: the model has no input 'c'"),
        ('name: "other"', "name is 'other' and its folder is 'm'"),
        ("nmae: 'm'", "m/config.pbtxt line 1: Triton has no field 'nmae' in ModelConfig"),
    ],
)
def test_a_model_that_triton_or_this_machine_does_not_load_says_why(
    tmp_path: Path, config: str, said: str
) -> None:
    with pytest.raises(Mistake) as refused:
        load(tmp_path, PAIR, config)
    assert str(refused.value).startswith("failed to load 'm': ")
    assert said in str(refused.value)


def test_a_config_may_leave_outputs_out(tmp_path: Path) -> None:
    assert [each["name"] for each in ask(load(tmp_path, PAIR, BATCHED), A, B)["outputs"]] == ["sum"]


def test_the_newest_version_answers_from_a_folder_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "m" / "10" / "model.onnx"
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(PAIR)
    answer = ask(load(tmp_path, b"older"), A, B)
    assert answer["model_version"] == "10"

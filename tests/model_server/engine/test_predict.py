from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from sagemaker_serving.model_server.engine.documents import parse_document
from sagemaker_serving.model_server.engine.examples import Feature, request_examples
from sagemaker_serving.model_server.engine.predict import Layout, predict_inputs
from sagemaker_serving.model_server.engine.signatures import TensorInfo
from sagemaker_serving.model_server.engine.status import Code, StatusError

NAN, INF = float("nan"), float("inf")


def inputs(**dtypes: str) -> dict[str, TensorInfo]:
    return {
        name: TensorInfo(tensor=f"{name}:0", dtype=f"DT_{dtype}", shape=None)
        for name, dtype in dtypes.items()
    }


def parsed(document: str, **dtypes: str) -> dict[str, Any]:
    _, tensors = predict_inputs(parse_document(document.encode()), inputs(**dtypes))
    return tensors


@pytest.mark.parametrize(
    ("document", "dtype", "expected"),
    [
        ('{"instances": [1, 2.0, 0.5]}', "FLOAT", np.array([1, 2, 0.5], np.float32)),
        ('{"instances": [1, 2.0, 0.5]}', "DOUBLE", np.array([1, 2, 0.5])),
        ('{"instances": [NaN, Infinity, -Infinity]}', "FLOAT", np.array([NAN, INF, -INF], "f4")),
        ('{"instances": [[1, 2], [3, 4], [5, 6]]}', "INT32",
         np.array([[1, 2], [3, 4], [5, 6]], "i4")),
        ('{"instances": [[], []]}', "FLOAT", np.zeros((2, 0), np.float32)),
        ('{"instances": [[[1]], [[2]]]}', "INT64", np.array([[[1]], [[2]]])),
        ('{"instances": [{"x": [1, 2]}, {"x": [3, 4]}]}', "INT32",
         np.array([[1, 2], [3, 4]], "i4")),
        ('{"instances": [true, false]}', "BOOL", np.array([True, False])),
        ('{"instances": ["a", {"b64": "Yg=="}]}', "STRING", np.array([b"a", b"b"], object)),
        ('{"instances": [["é"], ["ü"]]}', "STRING",
         np.array([["é".encode()], ["ü".encode()]], object)),
        ('{"instances": [300, -1]}', "UINT8", np.array([44, 255], np.uint8)),
        ('{"instances": [40000]}', "INT16", np.array([-25536], np.int16)),
        ('{"instances": [4294967295]}', "UINT32", np.array([2**32 - 1], np.uint32)),
        ('{"instances": [18446744073709551615]}', "UINT64", np.array([2**64 - 1], np.uint64)),
        ('{"instances": [-9223372036854775808]}', "INT64", np.array([-(2**63)])),
        ('{"instances": [16777215]}', "FLOAT", np.array([16777215], np.float32)),
        ('{"instances": [16777217, 16777217.0]}', "FLOAT", np.array([16777216] * 2, np.float32)),
        ('{"instances": [1e39, -1e39, 1e-60]}', "FLOAT", np.array([INF, -INF, 0], np.float32)),
        ('{"instances": [0.1234567890123456789]}', "FLOAT", np.array([0.12345679], np.float32)),
        ('{"instances": [340282366920938463463374607431768211456]}', "DOUBLE",
         np.array([2.0**128])),
        ('{"instances": [Inf, -Inf, -NaN]}', "DOUBLE", np.array([INF, -INF, NAN])),
        ('{"instances": [1], "instances": [2]}', "INT32", np.array([1], np.int32)),
        ('{"inputs": {"x": 1, "x": 2}}', "INT32", np.array(1, np.int32)),
        ('{"instances": [{"x": 1, "x": 2}, {"x": 3}]}', "INT32", np.array([1, 2], np.int32)),
        ('{"inputs": 5}', "FLOAT", np.array(5, np.float32)),
        ('{"inputs": [1.0]}', "FLOAT", np.array([1], np.float32)),
        ('{"inputs": {"x": [[1.0]]}}', "FLOAT", np.array([[1]], np.float32)),
        ('{"inputs": {"x": [1.0], "ignored": 1}}', "FLOAT", np.array([1], np.float32)),
        ('{"inputs": {"b64": "aGk="}}', "STRING", np.array(b"hi", object)),
        ('{"inputs": {"b64": "a G\\nk"}}', "STRING", np.array(b"hi", object)),
        ('{"inputs": [{"b64": "aA.."}, {"b64": "aA"}]}', "STRING", np.array([b"h"] * 2, object)),
        ('{"inputs": {"x": {"b64": "aGk="}}}', "STRING", np.array(b"hi", object)),
    ],
)  # fmt: skip
def test_json_becomes_a_tensor(document: str, dtype: str, expected: Any) -> None:
    tensor = parsed(document, x=dtype)["x"]
    np.testing.assert_array_equal(tensor, expected)
    assert (tensor.dtype, tensor.shape) == (expected.dtype, expected.shape)


def test_rows_of_named_inputs_become_columns() -> None:
    tensors = parsed(
        '{"instances": [{"a": 1, "b": "x"}, {"b": "y", "a": 2}]}', a="INT32", b="STRING"
    )
    assert tensors["a"].tolist() == [1, 2]
    assert tensors["b"].tolist() == [b"x", b"y"]


def test_the_layout_of_the_answer_is_the_request_s() -> None:
    assert predict_inputs({"instances": [1.0]}, inputs(x="FLOAT"))[0] is Layout.ROW
    assert predict_inputs({"inputs": [1.0]}, inputs(x="FLOAT"))[0] is Layout.COLUMN


ELEMENT = "Failed to process element: {} of 'instances' list. Error: INVALID_ARGUMENT: {}"


@pytest.mark.parametrize(
    ("document", "dtypes", "message"),
    [
        ("{}", {"x": "FLOAT"}, "Missing 'inputs' or 'instances' key"),
        ('{"instances": [1], "inputs": [1]}', {"x": "FLOAT"},
         'JSON Value: {\n    "instances": [1],\n    "inputs": [1]\n'
         "} Not formatted correctly expecting only one of 'inputs' or 'instances' keys to exist "),
        ('{"instances": 1}', {"x": "FLOAT"},
         "JSON Value: {\n    \"instances\": 1\n} Expecting 'instances' to be an list/array"),
        ('{"instances": []}', {"x": "FLOAT"},
         "JSON Value: {\n    \"instances\": []\n} No values in 'instances' array"),
        ('{"instances": ["a"]}', {"x": "FLOAT"},
         ELEMENT.format(0, 'JSON Value: "a" Type: String is not of expected type: float')),
        ('{"instances": [1.0, true]}', {"x": "FLOAT"},
         ELEMENT.format(1, "JSON Value: true Type: True is not of expected type: float")),
        ('{"instances": [null]}', {"x": "STRING"},
         ELEMENT.format(0, "JSON Value: null Type: Null is not of expected type: string")),
        ('{"instances": [1.0]}', {"x": "INT32"},
         ELEMENT.format(0, "JSON Value: 1.0 Type: Number is not of expected type: int32")),
        ('{"instances": [2147483648]}', {"x": "INT8"},
         ELEMENT.format(0, "JSON Value: 2147483648 Type: Number is not of expected type: int8")),
        ('{"instances": [1]}', {"x": "BOOL"},
         ELEMENT.format(0, "JSON Value: 1 Type: Number is not of expected type: bool")),
        ('{"instances": [[1, 2], [3]]}', {"x": "FLOAT"},
         ELEMENT.format(1, "Expecting tensor size: 2 but got: 1")),
        ('{"instances": [[1, 2], [[3, 4]]]}', {"x": "FLOAT"},
         ELEMENT.format(1, "Expecting shape [2] but got: [1,2]")),
        ('{"instances": [1, [1]]}', {"x": "FLOAT"},
         ELEMENT.format(1, "Expecting shape [] but got: [1]")),
        ('{"instances": [[1, [2]]]}', {"x": "FLOAT"},
         ELEMENT.format(0, "Encountered list at unexpected level: 1 expected < 1")),
        ('{"instances": [[[1], 2]]}', {"x": "FLOAT"},
         ELEMENT.format(0,
          "JSON Value: 2 found at incorrect level: 2 in the JSON DOM. Expected at level: 2")),
        ('{"instances": [[[1], [2, 3]]]}', {"x": "FLOAT"},
         ELEMENT.format(0, "Encountered list at unexpected size: 2 at level: 1 expected size: 1")),
        ('{"instances": [{"y": 1}]}', {"x": "FLOAT"},
         "Failed to process element: 0 key: y of 'instances' list. Error: INVALID_ARGUMENT: JSON "
         "object: does not have named input: y"),
        ('{"instances": [{"x": "a"}]}', {"x": "FLOAT"},
         "Failed to process element: 0 key: x of 'instances' list. Error: "
         'INVALID_ARGUMENT: JSON Value: "a" Type: String is not of expected type: float'),
        ('{"instances": [{"x": 1}, {}]}', {"x": "FLOAT"},
         "Failed to process element: 1 of 'instances' list. JSON object: {} keys must be equal "
         "to: x"),
        ('{"instances": [{"x": 1}, 2]}', {"x": "FLOAT"},
         "Expecting object but got list at item 1 of input list"),
        ('{"instances": [1, {"x": 2}]}', {"x": "FLOAT"},
         "Expecting value/list but got object at item 1 of input list"),
        ('{"instances": [[{"x": 1}]]}', {"x": "FLOAT"},
         ELEMENT.format(0,
          'JSON Value: {\n    "x": 1\n} Type: Object is not of expected type: float')),
        ('{"instances": [[{"b64": 1}]]}', {"x": "STRING"},
         ELEMENT.format(0,
          'JSON Value: {\n    "b64": 1\n} not formatted correctly for base64 data')),
        *(
            (
                f'{{"instances": [{{"b64": "{text}"}}]}}',
                {"x": "STRING"},
                ELEMENT.format(0, "Unable to base64 decode"),
            )
            for text in ("!", "a", "aA=", "aA=.=", "aGk==", "aGlq=", "a-_A", "aA=A")
        ),
        ('{"inputs": [{"b64": "aGk=", "b64": "aGk="}]}', {"x": "STRING"},
         'JSON Value: {\n    "b64": "aGk=",\n    "b64": "aGk="\n} not formatted correctly for '
         "base64 data"),
        ('{"inputs": ' + "[" * 255 + "]" * 255 + "}", {"x": "FLOAT"}, "tensor parsing error: x"),
        ('{"instances": [1.0]}', {"a": "FLOAT", "b": "FLOAT"},
         "instances is a plain list, but expecting list of objects as multiple input tensors "
         "required as per tensorinfo_map"),
        ('{"instances": [{"b64": "aGk="}]}', {"a": "STRING", "b": "STRING"},
         "input size does not match signature: 1!=2 len({a}) != len({a,b}). Sent extra: {}. "
         "Missing but required: {b}."),
        ('{"inputs": [1.0]}', {"a": "FLOAT", "b": "FLOAT"},
         "inputs is a plain value/list, but expecting an object as multiple input tensors "
         "required as per tensorinfo_map"),
        ('{"inputs": {"a": [1.0]}}', {"a": "FLOAT", "b": "FLOAT"},
         "Missing named input: b in 'inputs' object."),
        ('{"inputs": [[1, 2], [3]]}', {"x": "FLOAT"},
         "Encountered list at unexpected size: 1 at level: 1 expected size: 2"),
        ('{"inputs": ["a"]}', {"x": "FLOAT"},
         'JSON Value: "a" Type: String is not of expected type: float'),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_tf_serving_s_words(
    document: str, dtypes: dict[str, str], message: str
) -> None:
    with pytest.raises(StatusError) as refused:
        parsed(document, **dtypes)
    assert (refused.value.code, refused.value.message) == (Code.INVALID_ARGUMENT, message)


def test_a_type_that_json_cannot_fill_is_unimplemented() -> None:
    with pytest.raises(StatusError) as refused:
        parsed('{"inputs": [1.0]}', x="HALF")
    assert refused.value.code is Code.UNIMPLEMENTED
    assert refused.value.code.http_status == 501
    assert refused.value.message == "Conversion of JSON Value: 1.0 to type: half"


def features(examples: str) -> list[dict[str, Feature]]:
    found = request_examples({"examples": json.loads(examples)})
    return [dict(example) for example in found.examples]


@pytest.mark.parametrize(
    ("value", "kind", "values"),
    [
        ("1.0", "float_list", [1.0]),
        ("[1.5, NaN]", "float_list", [1.5, pytest.approx(float("nan"), nan_ok=True)]),
        ("1", "int64_list", [1]),
        ("[true, 2]", "int64_list", [1, 2]),
        ('"text"', "bytes_list", [b"text"]),
        ('["é", {"b64": "aGk="}]', "bytes_list", ["é".encode(), b"hi"]),
        ("36893488147419103232", "float_list", [2.0**65]),
        ("[]", None, []),
    ],
)
def test_the_json_type_decides_the_feature_s_list(
    value: str, kind: str | None, values: list[object]
) -> None:
    (example,) = features(f'[{{"x": {value}}}]')
    assert (example["x"].kind, example["x"].values) == (kind, values)


def test_the_context_is_an_example_of_its_own() -> None:
    found = request_examples({"context": {"y": 1.0}, "examples": [{}]})
    assert found.context is not None
    assert found.context["y"].values == [1.0]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{}",
         "JSON Value: {} When method is classify, key 'examples' is expected and was not found"),
        ('{"examples": 1}',
         "JSON Value: {\n    \"examples\": 1\n} Expecting 'examples' value to be an list/array"),
        ('{"examples": []}',
         "JSON Value: {\n    \"examples\": []\n} 'examples' value is an empty array"),
        ('{"examples": [1]}', "Example must be JSON object but got JSON Number"),
        ('{"examples": [{}], "context": []}', "Example must be JSON object but got JSON Array"),
        ('{"examples": [{"x": [1.0, 2]}]}',
         "Unexpected element type in feature: x expecting type: float"),
        ('{"examples": [{"x": ["a", true]}]}',
         "Unexpected element type in feature: x expecting type: bytes"),
        ('{"examples": [{"x": [1, "a"]}]}',
         "Unexpected element type in feature: x expecting type: int64"),
        ('{"examples": [{"x": null}]}', "Feature: x has element with unexpected JSON type: Null"),
        ('{"examples": [{"x": [[1]]}]}', "Feature: x has element with unexpected JSON type: Array"),
        ('{"examples": [{"x": {"y": 1}}]}',
         "Feature: x has element with unexpected JSON type: Object"),
        ('{"examples": [{"x": 9223372036854775808}]}',
         "Feature: x has uint64_t element. Only int64_t is supported."),
    ],
)  # fmt: skip
def test_what_is_no_example_is_refused_in_tf_serving_s_words(document: str, message: str) -> None:
    with pytest.raises(StatusError) as refused:
        request_examples(json.loads(document))
    assert refused.value.message == message

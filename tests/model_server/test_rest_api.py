"""TF Serving's REST API, on real models; nginx lets the world reach it under /tfs."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import running

pytestmark = pytest.mark.slow

HALF = "/v1/models/half_plus_three"
KINDS = "/v1/models/kinds"
SHIPPED = Path(__file__).parents[2] / "model_assets"


def post(server: ModelServer, path: str, body: object) -> requests.Response:
    data = body if isinstance(body, bytes) else json.dumps(body)
    return requests.post(f"{server.place.url}/tfs{path}", data=data, timeout=60)


def predict(server: ModelServer, signature: str, **body: object) -> requests.Response:
    return post(server, f"{KINDS}:predict", {"signature_name": signature, **body})


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        (f"{HALF}:predict", {"instances": [1.0, 2.0, 5.0]}, {"predictions": [3.5, 4.0, 5.5]}),
        (f"{HALF}:predict", {"instances": [1, 2, 5]}, {"predictions": [3.5, 4.0, 5.5]}),
        (f"{HALF}:predict", {"instances": [{"x": 1.0}]}, {"predictions": [3.5]}),
        (f"{HALF}:predict", {"inputs": [1.0, 2.0]}, {"outputs": [3.5, 4.0]}),
        (f"{HALF}:predict", {"inputs": {"x": 1.0}}, {"outputs": 3.5}),
        (f"{HALF}:predict", {"instances": [[1.0], [2.0]]}, {"predictions": [[3.5], [4.0]]}),
        (f"{HALF}/versions/122:predict", {"instances": [1.0]}, {"predictions": [2.5]}),
        (f"{HALF}/versions/00123:predict", {"instances": [1.0]}, {"predictions": [3.5]}),
        ("/V1/Models/half_plus_three:Predict", {"instances": [1.0]}, {"predictions": [3.5]}),
        ("/v1/models/half%5Fplus_three:predict", {"instances": [1.0]}, {"predictions": [3.5]}),
        (f"{HALF}:regress",
         {"signature_name": "regress_x_to_y", "examples": [{"x": 80.0}, {"x": 1.0}]},
         {"results": [43.0, 3.5]}),
        (f"{HALF}:regress",
         {"signature_name": "regress_x_to_y", "context": {"x": 2.0}, "examples": [{}]},
         {"results": [4.0]}),
        (f"{HALF}:classify", {"signature_name": "classify_x_to_y", "examples": [{"x": 20.0}]},
         {"results": [[["", 13.0]]]}),
        (f"{HALF}:classify",
         {"signature_name": "classify_with_labels", "examples": [{"x": 1.0}, {"x": 2.0}]},
         {"results": [[["half", 3.5]], [["half", 4.0]]]}),
    ],
)  # fmt: skip
def test_a_model_answers(
    without_code: ModelServer, path: str, body: object, answer: object
) -> None:
    response = post(without_code, path, body)
    assert (response.status_code, response.json()) == (200, answer)
    assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    ("signature", "body", "answer"),
    [
        (
            "two_inputs",
            {"instances": [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}]},
            {"predictions": [{"product": 2.0, "sum": 3.0}, {"product": 12.0, "sum": 7.0}]},
        ),
        (
            "two_inputs",
            {"inputs": {"a": [1.0, 3.0], "b": [2.0, 4.0]}},
            {"outputs": {"product": [2.0, 12.0], "sum": [3.0, 7.0]}},
        ),
        ("matrix", {"instances": [[1, 2], [3, 4]]}, {"predictions": [[5.0], [11.0]]}),
        ("text", {"instances": ["é", {"b64": "aGk="}]}, {"predictions": ["é", "hi"]}),
        ("bytes", {"instances": ["hi"]}, {"predictions": [{"b64": "aGk="}]}),
        ("bytes", {"inputs": {"b64": "aGk="}}, {"outputs": {"b64": "aGk="}}),
        ("whole", {"instances": [1, -2]}, {"predictions": [1, -2]}),
        ("truth", {"instances": [1.0, -1.0]}, {"predictions": [True, False]}),
        ("scalar", {"inputs": [1.0, 2.0]}, {"outputs": 3.0}),
        ("batch_size", {"instances": [0, 0, 0]}, {"predictions": [3, 3, 3]}),
    ],
)
def test_every_kind_of_tensor_goes_in_and_out(
    without_code: ModelServer, signature: str, body: dict[str, Any], answer: object
) -> None:
    response = predict(without_code, signature, **body)
    assert (response.status_code, response.json()) == (200, answer)


@pytest.mark.parametrize(
    ("signature", "value", "text"),
    [
        ("serving_default", 0.1, "0.1"),
        ("serving_default", 1e6, "1e+06"),
        ("serving_default", 1234567, "1234567.0"),
        ("serving_default", 1 / 3, "0.333333343"),
        ("wide", 1 / 3, "0.33333333333333331"),
    ],
)
def test_numbers_are_printed_as_tf_serving_prints_them(
    without_code: ModelServer, signature: str, value: float, text: str
) -> None:
    response = predict(without_code, signature, instances=[value])
    assert response.text == f'{{\n    "predictions": [{text}\n    ]\n}}'


def test_what_is_no_finite_number_is_a_bare_word(without_code: ModelServer) -> None:
    response = predict(without_code, "special", instances=[1.0])
    assert response.text == '{\n    "predictions": [NaN, Infinity, -Infinity\n    ]\n}'
    body = b'{"instances": [NaN, -Infinity]}'
    echoed = post(without_code, f"{KINDS}:predict", body)
    assert echoed.text == '{\n    "predictions": [NaN, -Infinity\n    ]\n}'


SIZES = [0, 1, 3, 4, 8]


@pytest.mark.parametrize("signature", ["residual", "text"])
def test_no_rank_type_or_size_ends_the_engine(without_code: ModelServer, signature: str) -> None:
    """TensorFlow with oneDNN aborts on an image without four dimensions."""
    asked_everything(without_code, "kinds", signature)
    right = predict(without_code, "residual", inputs=np.ones((1, 8, 8, 3)).tolist())
    assert (right.status_code, len(right.json()["outputs"][0])) == (200, 5)


def test_no_rank_type_or_size_ends_the_engine_of_a_shipped_model(tmp_path: Path) -> None:
    with running(SHIPPED / "digits" / "model", tmp_path) as server:
        asked_everything(server, "digits", "serving_default")
        right = {"inputs": np.ones((1, 8, 8, 1)).tolist()}
        assert post(server, "/v1/models/digits:predict", right).status_code == 200


def asked_everything(server: ModelServer, model: str, signature: str) -> None:
    """Tensors of every rank, size and type in place of the signature's: 200 or 400 to each."""
    path = f"/v1/models/{model}"
    metadata = requests.get(f"{server.place.url}/tfs{path}/metadata", timeout=60).json()
    definitions = metadata["metadata"]["signature_def"]["signature_def"]
    names = definitions[signature]["inputs"]
    shapes = [shape for rank in range(4) for shape in product(SIZES[:3], repeat=rank)]
    shapes += [(1, *[size] * rank) for rank in range(2, 7) for size in SIZES]
    shapes += [(1, 8, 8, 1), (1, 8, 8, 3)]
    for shape, value in product(shapes, [1, "a"]):
        tensor = np.full(shape, value, dtype=object).tolist()
        body = {"signature_name": signature, "inputs": dict.fromkeys(names, tensor)}
        response = post(server, f"{path}:predict", body)
        assert response.status_code in (200, 400), (shape, value, response.text)


def test_an_image_of_another_rank_is_answered_as_by_tensorflow(without_code: ModelServer) -> None:
    response = predict(without_code, "residual", instances=[[1.0, 2.0]])
    assert response.status_code == 400
    assert "convolution input must be 4-dimensional: [1,2]" in response.json()["error"]


@pytest.mark.parametrize(
    ("path", "body", "status", "error"),
    [
        (f"{HALF}:predict", b"", 400, "JSON Parse error: The document is empty"),
        (f"{HALF}:predict", b"[1]", 400, "JSON Value: [1] Is not object"),
        (f"{HALF}:predict", b'{"instances": [1 2]}', 400,
         "JSON Parse error: Missing a comma or ] after an array element. at offset: 17"),
        (f"{HALF}:predict", {"signature_name": "zz", "instances": [1.0]}, 400,
         'Serving signature name: "zz" not found in signature def'),
        (f"{HALF}:regress", {"signature_name": "zz", "examples": [{}]}, 400,
         "No signature was found with the name: zz"),
        (f"{HALF}:predict", {"instances": ["a"]}, 400,
         "Failed to process element: 0 of 'instances' list. Error: INVALID_ARGUMENT: "
         'JSON Value: "a" Type: String is not of expected type: float'),
        ("/v1/models/nope:predict", {"instances": [1.0]}, 404,
         "Servable not found for request: Latest(nope)"),
        (f"{HALF}/versions/9:predict", {"instances": [1.0]}, 404,
         "Servable not found for request: Specific(half_plus_three, 9)"),
        (f"{HALF}/labels/stable:predict", {"instances": [1.0]}, 400,
         "Unrecognized servable version label: stable"),
        (f"{HALF}:delete", {}, 400, f"Malformed request: POST {HALF}:delete"),
        (HALF, {}, 400, f"Malformed request: POST {HALF}"),
        (f"{KINDS}:predict", {"signature_name": "half", "instances": [1.0]}, 400,
         "Failed to write JSON value for tensor type: half"),
        (f"{KINDS}:predict", {"signature_name": "scalar", "instances": [1.0]}, 400,
         "Tensor name: y has no shape information "),
        (
            f"{HALF}:classify",
            {"signature_name": "regress_x_to_y", "examples": [{"x": 1.0}]},
            400,
            'Expected classification signature outputs to contain at least one of "classes" or '
            '"scores". Signature was: ',
        ),
        (f"{HALF}:regress", {"examples": [{"x": 1.0}]}, 400,
         "No regression inputs found in SignatureDef: "),
    ],
)  # fmt: skip
def test_an_error_has_tf_serving_s_status_and_text(
    without_code: ModelServer, path: str, body: object, status: int, error: str
) -> None:
    response = post(without_code, path, body)
    assert response.status_code == status
    said = response.json()["error"]
    assert said.startswith(error) if error.endswith(": ") else said == error


@pytest.mark.parametrize(
    ("path", "body", "part"),
    [
        (
            f"{HALF}:regress",
            {"signature_name": "regress_x_to_y", "examples": [{"x": 1}]},
            "Data types don't match. Data type: int64 but expected type: float",
        ),
        (
            f"{KINDS}:predict",
            {"signature_name": "matrix", "instances": [[1, 2, 3]]},
            "Matrix size-incompatible",
        ),
    ],
)
def test_an_error_of_the_graph_is_the_graph_s_own_text(
    without_code: ModelServer, path: str, body: object, part: str
) -> None:
    response = post(without_code, path, body)
    assert response.status_code == 400
    assert part in response.json()["error"]
    assert "Traceback" not in response.text


def test_a_version_past_64_bits_has_no_body(without_code: ModelServer) -> None:
    response = post(without_code, f"{HALF}/versions/{2**63}:predict", {"instances": [1.0]})
    assert (response.status_code, response.text) == (400, "")


def test_the_status_lists_all_versions_the_highest_first(without_code: ModelServer) -> None:
    response = requests.get(f"{without_code.place.url}/tfs{HALF}", timeout=60)
    versions = response.json()["model_version_status"]
    assert [version["version"] for version in versions] == ["123", "122"]
    assert versions[0] == {
        "version": "123",
        "state": "AVAILABLE",
        "status": {"error_code": "OK", "error_message": ""},
    }


@pytest.mark.parametrize(
    ("path", "status", "error"),
    [
        ("/v1/models", 400, "Missing model name in request."),
        ("/v1/models/nope", 404, "Could not find any versions of model nope"),
        (f"{HALF}/versions/9", 404, "Could not find version 9 of model half_plus_three"),
        (f"{HALF}:predict", 400, f"Malformed request: GET {HALF}:predict"),
        ("/v1/whatever", 400, "Malformed request: GET /v1/whatever"),
    ],
)
def test_a_get_that_finds_nothing_says_so(
    without_code: ModelServer, path: str, status: int, error: str
) -> None:
    response = requests.get(f"{without_code.place.url}/tfs{path}", timeout=60)
    assert (response.status_code, response.json()) == (status, {"error": error})


def test_metadata_shows_the_signatures(without_code: ModelServer) -> None:
    response = requests.get(
        f"{without_code.place.url}/tfs{HALF}/versions/122/metadata", timeout=120
    )
    found = response.json()
    assert found["model_spec"] == {
        "name": "half_plus_three",
        "signature_name": "",
        "version": "122",
    }
    definitions = found["metadata"]["signature_def"]["signature_def"]
    assert definitions["serving_default"]["inputs"] == {
        "x": {
            "dtype": "DT_FLOAT",
            "tensor_shape": {"dim": [{"size": "-1", "name": ""}], "unknown_rank": False},
            "name": "x:0",
        }
    }
    assert definitions["classify_x_to_y"]["method_name"] == "tensorflow/serving/classify"


def test_other_paths_of_tf_serving_are_its_404(without_code: ModelServer) -> None:
    response = requests.get(f"{without_code.place.url}/tfs/v2/models", timeout=60)
    assert response.status_code == 404
    assert response.headers["Content-Type"] == "text/html"


def test_a_large_request_and_answer_arrive_whole(without_code: ModelServer) -> None:
    count = 300_000
    response = predict(without_code, "serving_default", inputs=[0.5] * count)
    assert response.json() == {"outputs": [0.5] * count}

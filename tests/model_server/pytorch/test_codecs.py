"""The toolkit's content types. What is expected is what sagemaker-inference 1.10.1 answered when
it was run inside TorchServe 0.12.0 on 2026-11-21, but for pickles, which are refused here."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest

from sagemaker_serving.model_server.pytorch.codecs import UnsupportedFormat, decode, encode


def npy(array: Any) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


@pytest.mark.parametrize(
    ("content_type", "data", "values", "dtype"),
    [
        ("application/json", "[1, 2]", [1, 2], "int64"),
        ("application/json", "[[1.5], [2]]", [[1.5], [2.0]], "float64"),
        ("application/json", "5", 5, "int64"),
        ("application/json", "true", True, "bool"),
        ("application/json", "[]", [], "float64"),
        ("application/json", '["a", "b"]', ["a", "b"], "<U1"),
        ("application/json", '{"a": 1}', {"a": 1}, "object"),
        ("text/csv", "1,2\n3,4", [[1, 2], [3, 4]], "int64"),
        ("text/csv", "1,2\n", [1, 2], "int64"),
        ("text/csv", "1.5,2.0", [1.5, 2.0], "float64"),
        ("text/csv", "1.5,2", (1.5, 2), [("f0", "float64"), ("f1", "int64")]),
        ("text/csv", "5", 5, "int64"),
        ("text/csv", "a,b", ["a", "b"], "<U1"),
        ("application/x-npy", npy(np.arange(3.0)), [0.0, 1.0, 2.0], "float64"),
        ("application/x-npy", npy(np.arange(3, dtype="u1")), [0, 1, 2], "uint8"),
    ],
)
def test_a_body_becomes_an_array(content_type: str, data: Any, values: Any, dtype: Any) -> None:
    array = decode(data, content_type)
    assert array.tolist() == values
    assert array.dtype == np.dtype(dtype)


def test_npz_is_a_sparse_matrix() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    content = io.BytesIO()
    sparse.save_npz(content, sparse.csr_matrix([[0, 1], [2, 0]]))
    assert decode(content.getvalue(), "application/x-npz").toarray().tolist() == [[0, 1], [2, 0]]


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "x/unknown",
        "text/plain",
        "application/JSON",
        "application/json; charset=utf-8",
        "application/jsonlines",
        "application/x-www-form-urlencoded",
    ],
)
def test_another_content_type_is_refused_in_the_toolkit_s_words(content_type: str | None) -> None:
    with pytest.raises(UnsupportedFormat) as refused:
        decode(b"1", content_type)
    assert str(refused.value) == (
        f"Content type {content_type} is not supported by this framework.\n\n"
        "            Please implement input_fn to to deserialize the request data or an "
        "output_fn to\n"
        "            serialize the response. For more information, see the SageMaker Python SDK "
        "README."
    )


@pytest.mark.parametrize(
    ("content_type", "data", "said"),
    [
        ("application/json", "", "Expecting value: line 1 column 1 (char 0)"),
        ("application/json", "{nope", "Expecting property name enclosed in double quotes"),
        ("application/json", "[[1], [1, 2]]", "inhomogeneous shape after 1 dimensions"),
        ("text/csv", "1,2\n3", "Some errors were detected !"),
        ("application/x-npy", b"", "No data left in file"),
    ],
)
def test_a_body_that_is_not_what_its_type_says_is_an_error(
    content_type: str, data: Any, said: str
) -> None:
    with pytest.raises((ValueError, EOFError)) as raised:
        decode(data, content_type)
    assert said in str(raised.value)


def test_a_pickle_is_never_loaded() -> None:
    with pytest.raises(ValueError, match="allow_pickle"):
        decode(npy(np.array([{}], dtype=object)), "application/x-npy")


@pytest.mark.parametrize(
    ("prediction", "accept", "body"),
    [
        ([1, 2.5], "application/json", "[1, 2.5]"),
        (np.array([[2, 4], [6, 8]]), "application/json", "[[2, 4], [6, 8]]"),
        ({"a": np.float32(0.5)}, "application/json", '{"a": 0.5}'),
        (3.0, "application/json", "3.0"),
        ([float("nan")], "application/json", "[NaN]"),
        (None, "application/json", "null"),
        (np.array([[2, 4], [6, 8]]), "text/csv", "2,4\n6,8\n"),
        ([3.0, 5.0], "text/csv", "3.0\n5.0\n"),
        (np.array([2, 4]), "application/x-npy", npy(np.array([2, 4]))),
        ([1.5], "application/x-npy", npy(np.array([1.5]))),
        ([1], "x/y, text/csv", "1\n"),
        ([1], "x/y,application/json , text/csv", "[1]"),
    ],
)
def test_a_prediction_is_encoded_in_the_first_type_that_is_known(
    prediction: Any, accept: str, body: str | bytes
) -> None:
    assert encode(prediction, accept) == body


@pytest.mark.parametrize("accept", ["x/y", "text/*", "text/csv;q=1", "application/x-npz", ""])
def test_no_known_type_in_accept_is_refused(accept: str) -> None:
    with pytest.raises(UnsupportedFormat, match=f"Content type {accept.replace('*', '.')} is not"):
        encode([1], accept)


def test_what_json_has_no_form_for_is_an_error() -> None:
    with pytest.raises(TypeError, match="is not JSON serializable"):
        encode({"a": object()}, "application/json")


def test_arrays_survive_both_ways() -> None:
    array = np.random.default_rng(7).normal(size=(3, 2))
    assert json.loads(encode(array, "application/json")) == array.tolist()
    assert (decode(encode(array, "application/x-npy"), "application/x-npy") == array).all()

"""What callers have becomes the densest body that the model accepts, or a mistake that is named."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

from sagemaker_serving.archive import Signature, Tensor
from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client.payload import Encoding, ModelFacts, Piece, batch_of
from sagemaker_serving.client.payload.images import Accepted, accepted_by
from sagemaker_serving.errors import Mistake

PNG = b"\x89PNG\r\n\x1a\n and more"
UNKNOWN = ModelFacts()
REPOSITORY = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/"
TENSORFLOW = ModelFacts(accepted=accepted_by(f"{REPOSITORY}tensorflow-inference:2.19-cpu"))
PYTORCH = ModelFacts(accepted=accepted_by(f"{REPOSITORY}pytorch-inference:2.6-cpu-py312"))
NEO_TENSORFLOW = ModelFacts(accepted=accepted_by(f"{REPOSITORY}sagemaker-inference-tensorflow:2.9"))
NEO_PYTORCH = ModelFacts(accepted=accepted_by(f"{REPOSITORY}sagemaker-inference-pytorch:2.0"))
XGBOOST = ModelFacts(accepted=accepted_by(f"{REPOSITORY}sagemaker-xgboost:1.7-1"))
ARRAY = numpy.array([[1, 2], [3, 4]], "i2")


def pieces(data: Any, model: ModelFacts = UNKNOWN, **more: Any) -> list[Piece]:
    return list(batch_of(data, model=model, **more).pieces(REAL_TIME))


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    numpy.save(file, array)
    return file.getvalue()


class Tensorlike:
    """As tensors and data frames are: no array, but one can be had of it."""

    def __array__(self) -> Any:
        return ARRAY


@pytest.mark.parametrize(
    ("data", "model", "content_type", "body"),
    [
        (ARRAY, UNKNOWN, "application/json", b'{"instances":[[1,2],[3,4]]}'),
        (ARRAY, TENSORFLOW, "application/json", b'{"instances":[[1,2],[3,4]]}'),
        (ARRAY, NEO_TENSORFLOW, "application/json", b'{"instances":[[1,2],[3,4]]}'),
        (ARRAY, PYTORCH, "application/x-npy", npy(ARRAY)),
        (ARRAY, NEO_PYTORCH, "application/json", b"[[1,2],[3,4]]"),
        (ARRAY, XGBOOST, "text/csv", b"1,2\n3,4"),
        (Tensorlike(), PYTORCH, "application/x-npy", npy(ARRAY)),
        (list(ARRAY), PYTORCH, "application/x-npy", npy(ARRAY)),
        (list(ARRAY), TENSORFLOW, "application/json", b'{"instances":[[1,2],[3,4]]}'),
        ([[1, 2], [3]], PYTORCH, "application/json", b"[[1,2],[3]]"),
        ([[1, "a,b"]], XGBOOST, "text/csv", b'1,"a,b"'),
        ([1.0, 2.5], UNKNOWN, "application/json", b'{"instances":[1.0,2.5]}'),
        ((n for n in (1, 2)), UNKNOWN, "application/json", b'{"instances":[1,2]}'),
        (["a", "b"], UNKNOWN, "application/json", b'{"instances":["a","b"]}'),
        ([{"x": ARRAY}], UNKNOWN, "application/json", b'{"instances":[{"x":[[1,2],[3,4]]}]}'),
        ([{"x": PNG[:3]}], UNKNOWN, "application/json", b'{"instances":[{"x":{"b64":"iVBO"}}]}'),
        ({"x": ARRAY, "y": ARRAY[:, 0]}, UNKNOWN, "application/json",
         b'{"instances":[{"x":[1,2],"y":1},{"x":[3,4],"y":3}]}'),
        ({"inputs": ARRAY}, UNKNOWN, "application/json", b'{"inputs":[[1,2],[3,4]]}'),
        ({"instances": ARRAY}, UNKNOWN, "application/json", b'{"instances":[[1,2],[3,4]]}'),
        ({"examples": [{"x": 1.0}], "signature_name": "r"}, UNKNOWN, "application/json",
         b'{"signature_name":"r","examples":[{"x":1.0}]}'),
        ({"prompt": "hi"}, UNKNOWN, "application/json", b'{"prompt":"hi"}'),
        (5, UNKNOWN, "application/json", b"5"),
        (numpy.float32(1.5), UNKNOWN, "application/json", b"1.5"),
        ('{"a": 1}', UNKNOWN, "application/json", b'{"a": 1}'),
        (PNG, UNKNOWN, "application/x-image", PNG),
        (memoryview(b"what"), TENSORFLOW, "application/octet-stream", b"what"),
        (io.BytesIO(PNG), UNKNOWN, "application/x-image", PNG),
        (io.StringIO("1,2"), UNKNOWN, "application/octet-stream", b"1,2"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)  # fmt: skip
def test_data_is_written_as_the_model_takes_it(
    data: Any, model: ModelFacts, content_type: str, body: bytes
) -> None:
    (piece,) = pieces(data, model)
    assert piece.content_type == content_type
    assert piece.body == body


@pytest.mark.parametrize(
    ("more", "content_type", "body"),
    [
        ({"content_type": "application/x-npy"}, "application/x-npy", npy(ARRAY)),
        ({"content_type": "text/csv; header=none"}, "text/csv; header=none", b"1,2\n3,4"),
        ({"encoding": "jsonlines"}, "application/jsonlines", b"[1,2]\n[3,4]"),
        (
            {"encoding": "json", "content_type": "application/vnd.mine+json"},
            "application/vnd.mine+json",
            b'{"instances":[[1,2],[3,4]]}',
        ),
    ],
)
def test_what_the_caller_says_overrides_the_choice(
    more: Any, content_type: str, body: bytes
) -> None:
    (piece,) = pieces(ARRAY, **more)
    assert (piece.content_type, piece.body) == (content_type, body)


def test_files_say_by_their_suffix_what_they_are(tmp_path: Path) -> None:
    contents = {
        "seven.PNG": (PNG, "application/x-image"),
        "rows.csv": (b"1,2\n3,4", "text/csv"),
        "rows.jsonl": (b"[1]\n[2]", "application/jsonlines"),
        "body.json": (b'{"instances": [1]}', "application/json"),
        "rows.npy": (npy(ARRAY), "application/x-npy"),
        "fortran.npy": (npy(numpy.asfortranarray(ARRAY)), "application/x-npy"),
        "scalar.npy": (npy(numpy.array(1.0)), "application/x-npy"),
        "what": (b"ever", "application/octet-stream"),
    }
    for name, (content, content_type) in contents.items():
        (tmp_path / name).write_bytes(content)
        (piece,) = pieces(tmp_path / name, PYTORCH)
        assert (piece.body, piece.content_type) == (content, content_type), name
    for name in ("rows.npy", "fortran.npy"):
        (piece,) = pieces(tmp_path / name, TENSORFLOW)
        assert piece.body == b'{"instances":[[1,2],[3,4]]}'
    paths = [tmp_path / "seven.PNG", tmp_path / "what"]
    assert [p.content_type for p in pieces(paths)] == ["application/x-image", contents["what"][1]]


def test_a_byte_order_mark_is_no_part_of_the_first_record(tmp_path: Path) -> None:
    path = tmp_path / "from_a_spreadsheet.csv"
    path.write_bytes(b"\xef\xbb\xbf1,2\r\n3,4\r\n")
    assert [piece.body for piece in pieces(path, XGBOOST)] == [b"1,2\n3,4"]


@pytest.mark.parametrize(
    "line",
    ['"a, b"', 'a,"b"', '"say ""hi""",2', '"x,"""', '"",""', '5" wide,6" high', "a,,", '"a"b,"c"'],
)
def test_quotes_that_end_on_their_line_are_sent_as_they_are(tmp_path: Path, line: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"{line}\n{line}")
    assert [piece.body for piece in pieces(path, XGBOOST)] == [f"{line}\n{line}".encode()]


@pytest.mark.parametrize("text", [b'"a\nb",1', b'1,"a\r\nb"', b'"x,""\ny"'])
def test_a_record_of_two_lines_is_not_cut_in_two(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b"first\n" + text)
    with pytest.raises(Mistake, match="line break, which would be read as two"):
        pieces(path, XGBOOST)
    assert [piece.body for piece in pieces(path, XGBOOST, encoding="raw")] == [b"first\n" + text]


def test_lines_in_another_encoding_are_not_taken_apart(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("[1]\n[2]\n", encoding="utf-16")
    with pytest.raises(Mistake, match="is in UTF-16; save it as UTF-8"):
        pieces(path, XGBOOST)


def test_text_that_is_not_utf_8_is_sent_only_where_its_charset_is_said(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("1,Berlin\n2,Köln\n", encoding="latin-1")
    with pytest.raises(Mistake, match="is not UTF-8: byte 0xf6 in '2,Köln'; save it as UTF-8, or"):
        pieces(path, XGBOOST)
    (piece,) = pieces(path, XGBOOST, content_type="text/csv; charset=ISO-8859-1")
    assert piece.body == "1,Berlin\n2,Köln".encode("latin-1")


def test_a_json_file_that_may_be_too_large_is_split_by_its_instances(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    path.write_text(json.dumps({"instances": ["x" * 5000] * 2000}))
    counts = [piece.count for piece in pieces(path)]
    assert sum(counts) == 2000
    assert len(counts) > 1


def signed(dtype: str, shape: Any, **more: Any) -> ModelFacts:
    tensors = {"x": Tensor(dtype=dtype, shape=shape)}
    signature = Signature(inputs=tensors, outputs={}, method="predict")
    return ModelFacts(accepted=TENSORFLOW.accepted, signature=signature, **more)


DIGITS = signed("float32", (None, 28, 28))


def test_float64_becomes_the_models_float32() -> None:
    model = ModelFacts(accepted=PYTORCH.accepted, signature=DIGITS.signature)
    (piece,) = pieces(numpy.zeros((2, 28, 28)), model)
    assert numpy.load(io.BytesIO(piece.body)).dtype == numpy.float32


def test_what_fits_the_signature_passes_in_its_own_dtype() -> None:
    model = ModelFacts(accepted=PYTORCH.accepted, signature=DIGITS.signature)
    (piece,) = pieces(numpy.zeros((2, 28, 28), "u1"), model)
    assert numpy.load(io.BytesIO(piece.body)).dtype == numpy.uint8


def test_a_models_string_input_takes_files_as_base64(tmp_path: Path) -> None:
    path = tmp_path / "seven.png"
    path.write_bytes(PNG[:3])
    model = signed("string", (None,), has_script=False)
    (piece,) = pieces([path, b"ab"], model)
    assert piece.body == b'{"instances":[{"b64":"iVBO"},{"b64":"YWI="}]}'


def test_a_models_script_takes_files_as_they_are() -> None:
    assert [p.body for p in pieces([PNG, PNG], signed("string", (None,), has_script=True))] == [
        PNG,
        PNG,
    ]


def endless() -> Iterator[int]:
    raise ValueError("the source broke")
    yield 1


@pytest.mark.parametrize(
    ("data", "model", "encoding", "told"),
    [
        ([], UNKNOWN, None, "there is nothing to send: the list is empty"),
        ({"instances": []}, UNKNOWN, None, "there is nothing to send: 'instances' is empty"),
        (numpy.zeros((0, 3)), UNKNOWN, None, r"nothing to send: the array has the shape \(0, 3\)"),
        ([object()], UNKNOWN, None, "the data cannot be written: JSON has no object"),
        (endless(), UNKNOWN, None, "the data cannot be written: the source broke"),
        (ARRAY, NEO_PYTORCH, "raw", "an array cannot be sent as"),
        ([[1, [2]]], XGBOOST, None, "there is a list within a row"),
        ([["a\nb"]], XGBOOST, None, "a record has a line break"),
        (numpy.zeros((1, 2, 3)), XGBOOST, None, r"CSV holds rows .* the shape \(1, 2, 3\)"),
        ([[1]], PYTORCH, "npy", "a list of values cannot be sent as application/x-npy"),
        (ARRAY, ModelFacts(accepted=Accepted(content_types=("application/x-image",), by="a test")),
         None,
         r"the model takes application/x-image \(a test\), which an array cannot be written as"),
        (numpy.zeros((28, 28)), DIGITS, None,
         r"input 'x' is \(\?, 28, 28\), the first axis is the batch; send one .* array\[None\]"),
        (numpy.zeros((2, 28, 27)), DIGITS, None, r"shape \(2, 28, 27\); the model's input 'x' is"),
        (numpy.zeros(2), signed("int64", (None,)), None,
         r"convert it with array.astype\('int64'\)"),
        ({"y": numpy.zeros(2)}, DIGITS, None, "the arrays are called y; the model's inputs x"),
        ({"x": numpy.zeros(2), "y": numpy.zeros(3)}, UNKNOWN, None,
         r"the same first axis, the batch, and not 0: x \(2,\), y \(3,\)"),
        ([PNG], signed("float32", (None, 28, 28), has_script=False), None,
         r"the model has no inference.py, and its input x \(float32\) takes no files"),
        (Path("/nowhere/at/all.png"), UNKNOWN, None, "/nowhere/at/all.png cannot be read: No such"),
        (Path("/nowhere/at/all.csv"), UNKNOWN, None, "/nowhere/at/all.csv cannot be read: No such"),
    ],
)  # fmt: skip
def test_what_would_fail_is_named_before_it_is_sent(
    data: Any, model: ModelFacts, encoding: Encoding | None, told: str
) -> None:
    with pytest.raises(Mistake, match=told):
        pieces(data, model, encoding=encoding)


def test_a_npy_that_was_cut_off_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.npy"
    path.write_bytes(npy(ARRAY)[:-1])
    with pytest.raises(Mistake, match="ends before the last of its 2 rows"):
        pieces(path, PYTORCH)
    with pytest.raises(Mistake, match="the data cannot be written"):
        pieces(path, TENSORFLOW)


def test_an_image_of_nobodys_takes_json() -> None:
    assert accepted_by("123456789012.dkr.ecr.eu-west-1.amazonaws.com/mine:1").content_types == (
        "application/json",
    )

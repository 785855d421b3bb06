"""Whatever is cut into requests arrives whole, in order, and no request is too large."""

from __future__ import annotations

import csv
import io
import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sagemaker_serving.catalog.request_sizes import REAL_TIME, PayloadLimits
from sagemaker_serving.client.payload import Batch, Encoding, ModelFacts, Piece, batch_of, json_text
from sagemaker_serving.client.payload.images import Accepted
from sagemaker_serving.client.serializers import JSONSerializer
from sagemaker_serving.errors import Mistake

ENDLESS = PayloadLimits(split=1 << 40, most=1 << 40)
limits = st.builds(
    lambda split, more: PayloadLimits(split=split, most=split + more),
    st.integers(200, 3000),
    st.just(1 << 20),
)
most_records = st.none() | st.integers(1, 7)


def cut(batch: Batch, limits: PayloadLimits, most: int | None = None) -> list[Piece]:
    """The requests, after what must hold of any."""
    pieces = list(batch.pieces(limits, most_records=most))
    assert [piece.first for piece in pieces] == [
        sum(before.count for before in pieces[:index]) for index in range(len(pieces))
    ]
    assert sum(piece.count for piece in pieces) == batch.records
    for piece in pieces:
        assert len(piece.body) <= limits.split or piece.count == 1
        assert most is None or piece.count <= most
    return pieces


def read(piece: Piece) -> Any:
    """The records of a request, as a model reads them."""
    if piece.content_type == "application/x-npy":
        return numpy.load(io.BytesIO(piece.body)).tolist()
    text = piece.body.decode()
    if piece.content_type == "application/jsonlines":
        return [json.loads(line) for line in text.splitlines()]
    if piece.content_type == "text/csv":
        return [[float(field) for field in row] for row in csv.reader(io.StringIO(text))]
    return json.loads(text)["instances"]


def records(pieces: list[Piece]) -> list[Any]:
    return [record for piece in pieces for record in read(piece)]


NUMBERS = [
    numpy.dtype(name)
    for name in ("<f4", "<f8", "<i4", "u1", "i1", "<u2", "<i8", "<u8", "?", "<f2", ">f4", ">i2")
]


@settings(max_examples=40)
@given(data=st.data(), limits=limits, most=most_records)
@pytest.mark.parametrize("encoding", ["npy", "json", "jsonlines"])
def test_rows_of_any_array_arrive(
    encoding: Encoding, data: st.DataObject, limits: PayloadLimits, most: int | None
) -> None:
    shape = data.draw(arrays.array_shapes(min_dims=1, max_dims=3, max_side=40))
    dtype = data.draw(st.sampled_from(NUMBERS))
    elements = arrays.from_dtype(dtype, allow_nan=False if dtype.kind == "f" else None)
    array = data.draw(arrays.arrays(dtype, shape, elements=elements))
    arranged = data.draw(st.sampled_from([array, numpy.asfortranarray(array), array[::-1]]))
    pieces = cut(batch_of(arranged, model=ModelFacts(), encoding=encoding), limits, most)
    arrived = numpy.array(records(pieces), dtype)
    assert arrived.shape == arranged.shape
    assert (arrived == arranged).all()


@settings(max_examples=30)
@given(
    array=arrays.arrays("<f4", arrays.array_shapes(min_dims=2, max_dims=2, max_side=20)),
    limits=limits,
)
def test_rows_of_csv_arrive(array: Any, limits: PayloadLimits) -> None:
    pieces = cut(batch_of(array, model=ModelFacts(), encoding="csv"), limits)
    assert numpy.array_equal(numpy.array(records(pieces), "<f4"), array, equal_nan=True)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=30)
@given(given_values=st.lists(values, min_size=1, max_size=40), limits=limits, most=most_records)
@pytest.mark.parametrize("encoding", ["json", "jsonlines"])
def test_any_values_arrive(
    encoding: Encoding, given_values: list[Any], limits: PayloadLimits, most: int | None
) -> None:
    pieces = cut(batch_of(given_values, model=ModelFacts(), encoding=encoding), limits, most)
    assert records(pieces) == given_values


@settings(max_examples=40)
@given(given_values=st.lists(values, min_size=1, max_size=30), limits=limits)
def test_what_stands_beside_instances_is_in_every_request(
    given_values: list[Any], limits: PayloadLimits
) -> None:
    data = {"signature_name": "serving_default", "instances": given_values}
    pieces = cut(batch_of(data, model=ModelFacts()), limits)
    assert records(pieces) == given_values
    assert {json.loads(piece.body)["signature_name"] for piece in pieces} == {"serving_default"}


@settings(max_examples=40)
@given(lines=st.lists(st.text("ab,1\t", max_size=30)), limits=limits, most=most_records)
def test_lines_of_a_file_arrive(
    tmp_path_factory: Any, lines: list[str], limits: PayloadLimits, most: int | None
) -> None:
    path = tmp_path_factory.mktemp("lines") / "rows.csv"
    path.write_text("\n".join(lines) + "\n")
    kept = [line for line in lines if line.strip()]
    if not kept:
        with pytest.raises(Mistake, match="has no lines"):
            batch_of(path, model=ModelFacts())
        return
    pieces = cut(batch_of(path, model=ModelFacts()), limits, most)
    assert [line for piece in pieces for line in piece.body.decode().split("\n")] == kept


@settings(max_examples=30)
@given(
    array=arrays.arrays("<i4", arrays.array_shapes(min_dims=1, max_dims=3, max_side=30)),
    limits=limits,
)
@pytest.mark.parametrize("content_type", ["application/x-npy", "application/json"])
def test_rows_of_a_npy_file_arrive(
    content_type: str, tmp_path_factory: Any, array: Any, limits: PayloadLimits
) -> None:
    path = tmp_path_factory.mktemp("npy") / "rows.npy"
    numpy.save(path, array)
    accepted = Accepted(content_types=(content_type,))
    pieces = cut(batch_of(path, model=ModelFacts(accepted=accepted)), limits)
    assert {piece.content_type for piece in pieces} == {content_type}
    assert numpy.array_equal(numpy.array(records(pieces)), array)


def test_rows_as_base64_are_their_bytes() -> None:
    array = numpy.arange(12, dtype="<f4").reshape(3, 4)
    (piece,) = cut(batch_of(array, model=ModelFacts(), encoding="base64"), ENDLESS)
    rows = [b64decode(row["b64"]) for row in read(piece)]
    assert rows == [row.tobytes() for row in array]


@pytest.mark.parametrize(
    "array", [numpy.arange(6.0).reshape(2, 3), numpy.zeros(5, "u1"), numpy.ones((2, 1, 1), "?")]
)
def test_a_npy_is_what_numpy_would_write(array: Any) -> None:
    (piece,) = cut(batch_of(array, model=ModelFacts(), encoding="npy"), ENDLESS)
    file = io.BytesIO()
    numpy.save(file, array)
    assert piece.body == file.getvalue()


@pytest.mark.parametrize("fast", [True, False], ids=["with orjson", "without"])
def test_what_is_no_number_is_written_as_tensorflow_serving_reads_it(
    fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fast:
        monkeypatch.setattr(json_text, "orjson", None)
    array = numpy.array([[1.5, numpy.nan], [numpy.inf, -numpy.inf]], "<f4")
    (piece,) = cut(batch_of(array, model=ModelFacts()), ENDLESS)
    assert piece.body == b'{"instances":[[1.5,NaN],[Infinity,-Infinity]]}'


IMAGES = numpy.random.default_rng(7).random((48, 224, 224, 3), "f4")
"""Normalised, as ImageNet models take them: the longest texts that there are."""
MEAN, DEVIATION = numpy.array([0.485, 0.456, 0.406]), numpy.array([0.229, 0.224, 0.225])


@pytest.mark.parametrize(
    ("encoding", "fast", "dtype", "fits"),
    [
        ("json", False, "f4", 2),
        ("json", True, "f4", 3),
        ("base64", True, "f4", 7),
        ("npy", True, "f4", 10),
        ("npy", True, "u1", 41),
    ],
)
def test_as_many_images_of_224_by_224_by_3_fit_as_the_documents_say(
    encoding: Encoding, fast: bool, dtype: str, fits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not fast:
        monkeypatch.setattr(json_text, "orjson", None)
    images = ((IMAGES - MEAN) / DEVIATION).astype(dtype) if dtype == "f4" else IMAGES.astype("u1")
    pieces = batch_of(images, model=ModelFacts(), encoding=encoding).pieces(REAL_TIME)
    assert next(pieces).count == fits


def test_one_image_fits_as_the_sagemaker_sdk_writes_it() -> None:
    written = JSONSerializer().serialize(((IMAGES[0] - MEAN) / DEVIATION).astype("f4"))
    assert REAL_TIME.split // len(written) == 1


def test_without_orjson_the_same_numbers_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "orjson", None)
    array = numpy.random.default_rng(1).random((20, 3), "f4")
    pieces = cut(batch_of(array, model=ModelFacts()), PayloadLimits(split=300, most=400))
    assert (numpy.array(records(pieces), "f4") == array).all()


SMALL = PayloadLimits(split=500, most=1000)


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (numpy.zeros((3, 400)), "npy"),
        (numpy.random.default_rng(3).random((3, 400)), "json"),
        ([[0.5]] * 20 + [[0.25] * 300], "json"),
        ([[0.5]] * 20 + [[0.25] * 300], "jsonlines"),
        ([b"small", b"x" * 1001], "raw"),
        (b"x" * 1001, None),
        ({"instances": ["x" * 1001]}, None),
        ({"inputs": ["x" * 1001]}, None),
    ],
    ids=repr,
)
def test_a_record_that_no_request_carries_is_named_before_the_first_is_made(
    data: Any, encoding: Encoding | None
) -> None:
    batch = batch_of(data, model=ModelFacts(), encoding=encoding)
    with pytest.raises(Mistake, match=r"this endpoint takes 1,000; send it smaller"):
        batch.pieces(SMALL)


def test_a_record_between_the_limits_goes_alone() -> None:
    rows = [[1] * 10, [2] * 300, [3] * 10]
    pieces = cut(batch_of(rows, model=ModelFacts()), SMALL)
    assert [piece.count for piece in pieces] == [1, 1, 1]
    assert len(pieces[1].body) > SMALL.split


def test_the_form_of_json_is_the_images() -> None:
    model = ModelFacts(accepted=Accepted(json_form="list"))
    for data in (numpy.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]):
        (piece,) = cut(batch_of(data, model=model, encoding="json"), ENDLESS)
        assert piece.body == b"[[1,2],[3,4]]"


def test_files_of_one_line_each_are_read_when_their_turn_comes(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.png" for name in "abc"]
    for path in paths:
        path.write_bytes(path.name.encode())
    pieces = batch_of(paths, model=ModelFacts()).pieces(ENDLESS)
    paths[2].write_bytes(b"changed")
    assert [piece.body for piece in pieces] == [b"a.png", b"b.png", b"changed"]

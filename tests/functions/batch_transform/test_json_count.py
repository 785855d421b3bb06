"""Documents and rows are counted as a parser would, however their bytes come."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform.json_count import RESULTS, JsonCount
from sagemaker_serving.functions.batch_transform.line_count import LineCount
from tests.functions.batch_transform.pieces import pieces

TEXTS = st.text(alphabet='ab"\\[]{},: \n\té', max_size=8)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS, st.just("\\")
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(TEXTS, st.sampled_from([*RESULTS, "error"])), inner, max_size=3),
    ),
    max_leaves=12,
)
SHAPED = st.one_of(
    VALUES,
    st.builds(lambda name, rows: {name: rows}, st.sampled_from(RESULTS), st.lists(VALUES)),
    st.builds(lambda text: {"error": text}, TEXTS),
)


def counted(body: bytes, seed: int) -> JsonCount:
    count = JsonCount()
    for block in pieces(body, seed):
        count.feed(block)
        count = JsonCount(**json.loads(json.dumps(asdict(count))))
    count.end()
    return count


@given(
    documents=st.lists(SHAPED, max_size=5),
    indent=st.sampled_from([None, 4]),
    separator=st.sampled_from(["\n", " ", "\n\n"]),
    seed=st.integers(0, 1000),
)
def test_documents_and_rows_are_those_of_a_parser(
    documents: list[Any], indent: int | None, separator: str, seed: int
) -> None:
    body = separator.join(json.dumps(each, indent=indent) for each in documents).encode()
    count = counted(body, seed)
    results = [named(each) for each in documents]
    rows = [each[0] for each in results if len(each) == 1 and isinstance(each[0], list)]
    lists = [each for each in documents if isinstance(each, list)]
    assert not count.is_broken
    assert count.documents == len(documents)
    assert (count.shaped, count.shaped_rows) == (len(rows), sum(map(len, rows)))
    assert count.empty == sum(not each for each in rows)
    assert count.unclear == sum(bool(each) for each in results) - len(rows)
    assert count.errors == sum(is_error(each) for each in documents)
    assert (count.lists, count.list_rows) == (len(lists), sum(map(len, lists)))


def named(document: Any) -> list[Any]:
    """What a document has under TensorFlow's names."""
    if not isinstance(document, dict):
        return []
    return [document[name] for name in document if name in RESULTS]


def is_error(document: Any) -> bool:
    return (
        isinstance(document, dict)
        and list(document) == ["error"]
        and isinstance(document["error"], str)
    )


@given(
    document=VALUES.filter(lambda value: isinstance(value, dict | list)),
    cut=st.integers(1, 200),
    seed=st.integers(0, 1000),
)
def test_a_document_that_is_cut_off_is_none(document: Any, cut: int, seed: int) -> None:
    body = json.dumps(document).encode()
    assert counted(body[: max(1, len(body) - cut)], seed).is_broken


@pytest.mark.parametrize(
    "body", [b"1,2", b"hello", b"{]", b"[}", b"]", b'{"a": 1}}', b"3.54.5", b'{"a": 1},{"a": 2}']
)
def test_what_is_no_json_is_said_to_be_none(body: bytes) -> None:
    assert counted(body, 1).is_broken


@pytest.mark.parametrize(
    ("body", "documents"),
    [
        (b'{"a":1}{"a":2}[3]', 3),
        (b"[NaN, -Infinity] NaN", 2),
        (b'"a""b"', 2),
        (b"[" * 9_000 + b"]" * 9_000, 1),
    ],
)
def test_documents_may_follow_one_another_at_once(body: bytes, documents: int) -> None:
    count = counted(body, 1)
    assert (count.is_broken, count.documents) == (False, documents)


def test_an_answer_of_many_rows_is_counted_without_being_held() -> None:
    count = JsonCount()
    count.feed(b'{"predictions": [')
    for _ in range(1000):
        count.feed(b'[0.1, {"text": "]"}, 0.3],' * 100)
    count.feed(b"[0.1]]}")
    count.end()
    assert (count.shaped_rows, len(json.dumps(asdict(count))) < 1000) == (100_001, True)


PARTS = st.lists(
    st.sampled_from([b"\n", b"\r\n", b" ", b"\t", b"a", b'{"x": 1}', b'"instances" :', b"\x00"]),
    max_size=40,
).map(b"".join)


@given(body=PARTS, seed=st.integers(0, 1000))
def test_lines_blanks_and_requests_are_those_of_the_whole(body: bytes, seed: int) -> None:
    lines = body.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    counted = LineCount()
    for block in pieces(body, seed):
        counted.feed(block)
        counted = LineCount(**json.loads(json.dumps(asdict(counted))))
    assert counted.offset == len(body)
    counted.end()
    assert counted.lines == len(lines)
    assert counted.blanks == sum(not line.strip() for line in lines)
    assert counted.has_requests is (b'"instances" :' in body)

"""The paths that SageMaker's filters know, what they select, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.catalog.json_path import (
    InvalidJsonPath,
    JsonPath,
    NothingSelected,
)

ROW = ["id", "b", "c", "d", "e", "f"]
RECORD = {"id": 7, "features": [1.5, 2], "nested": {"a": {"x": 1}, "b": {"x": 2}, "c-d": 0}}


@pytest.mark.parametrize(
    ("path", "document", "selected"),
    [
        ("$", RECORD, RECORD),
        ("$.features", RECORD, [1.5, 2]),
        ("$.nested.a.x", RECORD, 1),
        ("$.nested.c-d", RECORD, 0),
        ("$['id']", RECORD, 7),
        ("$.features[0]", RECORD, 1.5),
        ("$['features'][-1]", RECORD, 2),
        ("$['id','features']", RECORD, {"id": 7, "features": [1.5, 2]}),
        ("$.nested.['a','b']", RECORD, {"a": {"x": 1}, "b": {"x": 2}}),
        ("$.nested['a','b'].x", RECORD, [1, 2]),
        ("$.nested.*", RECORD, [{"x": 1}, {"x": 2}, 0]),
        ("$[ 'id' , 'features' ]", RECORD, {"id": 7, "features": [1.5, 2]}),
        ("$[0]", ROW, "id"),
        ("$[1,3,5]", ROW, ["b", "d", "f"]),
        ("$[0, -1]", ROW, ["id", "f"]),
        ("$[1:]", ROW, ["b", "c", "d", "e", "f"]),
        ("$[:2]", ROW, ["id", "b"]),
        ("$[2:5]", ROW, ["c", "d", "e"]),
        ("$[0:-1]", ROW, ["id", "b", "c", "d", "e"]),
        ("$[-2:]", ROW, ["e", "f"]),
        ("$[*]", ROW, ROW),
        ("$[1:2]", ROW, ["b"]),
    ],
)
def test_a_path_selects(path: str, document: Any, selected: Any) -> None:
    assert JsonPath.parse(path).select(document) == selected


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (
            "$[0:2,246:]",
            "Invalid JsonPath: $[0:2,246:]: only single range filters of format (eg: [1:5]) are "
            "supported. Format [0:2,246:] is not supported",
        ),
        ("$[0,5:]", "only single range filters"),
        ("$[0:4:2]", "only single range filters"),
        ("", "a path begins with $"),
        ("id", "a path begins with $"),
        ("$..id", "'..id' is none of"),
        ("$[?(@.x)]", "is none of"),
        ("$['id'", "is none of"),
        ("$.a.['b','c.d'].", "'.' is none of"),
        ("$[]", "is none of"),
        ("$x", "'x' is none of"),
    ],
)
def test_what_is_no_path_is_said(path: str, why: str) -> None:
    with pytest.raises(InvalidJsonPath) as invalid:
        JsonPath.parse(path)
    assert why in str(invalid.value)


@pytest.mark.parametrize(
    ("path", "document", "why"),
    [
        ("$.absent", RECORD, "JsonPath $.absent: there is no 'absent'"),
        ("$['id','absent']", RECORD, "there is no 'absent'"),
        ("$[6]", ROW, "there is no element 6 in an array of 6"),
        ("$[-7]", ROW, "there is no element -7"),
        ("$[0]", RECORD, "an index needs an array"),
        ("$[1:]", "text", "an index needs an array"),
        ("$.a", ROW, "there is no 'a'"),
        ("$.id.*", RECORD, "an index needs an array"),
    ],
)
def test_a_document_without_it_is_refused(path: str, document: Any, why: str) -> None:
    with pytest.raises(NothingSelected, match=r".") as refused:
        JsonPath.parse(path).select(document)
    assert why in str(refused.value)


@given(st.text(alphabet="$.[]*,:-' ab01", max_size=20))
def test_any_text_is_a_path_or_refused(text: str) -> None:
    try:
        path = JsonPath.parse(f"${text}")
        path.select({"a": ["b", {"a": 1}], "b": 0})
    except (InvalidJsonPath, NothingSelected):
        return

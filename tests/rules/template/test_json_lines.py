"""Lines of JSON's values are those that YAML's reader finds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.rules.template.json_lines import json_where
from sagemaker_serving.spec.yaml_text import read_yaml

TEXT = st.text(st.sampled_from("aä€\\\" '\t/:,{}[]#&*!%-?0\N{NO-BREAK SPACE}"), max_size=6)
NAMES = st.sampled_from(["name", "VariantName", 'a"b', "Größe", "\\", "\n", "{", "Ref"]) | TEXT
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "a: b", "\\", '"', "[", "x,"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(
    data=st.dictionaries(NAMES, VALUES, max_size=5),
    indent=st.sampled_from([None, 0, 1, 4]),
    ascii_only=st.booleans(),
)
def test_every_value_stands_where_yaml_finds_it(
    data: dict[str, object], indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
    _, wanted, _ = read_yaml(text, "a.json")
    assert json_where(text, "a.json") == wanted


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            '{"a"\n:\n1, "b": [\n1, {"name": 2}\n]}',
            {(): 1, ("a",): 1, ("b",): 3, ("b", 0): 4, ("b", 1): 4, ("b", 1, "name"): 4},
        ),
        ("\n\n{}\n", {(): 3}),
        (
            '{"a": 1,\n "a": [2], "\\u0085": "\N{NEXT LINE}"}',
            {(): 1, ("a",): 2, ("a", 0): 2, ("\x85",): 2},
        ),
    ],
)
def test_json_that_is_no_yaml_has_lines(text: str, lines: dict[tuple[str | int, ...], int]) -> None:
    assert json.loads(text) is not None
    assert json_where(text, "a.json").lines == lines

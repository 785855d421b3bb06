"""Where generations must agree, whatever is sent, and where they may not."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.conversion import (
    CSV_TYPE,
    JSON_TYPES,
    UnsupportedMediaType,
)
from sagemaker_serving.model_server.generations import Generation

A, B1, B2, C = Generation
TYPES = [*sorted(JSON_TYPES), CSV_TYPE]
PIECES = ['"instances":', '"inputs" :', "{", "}", "[", "]", " ", "\n", '"x"', "1.0", ",", "\r\n"]
documents = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
)
words = st.text(st.characters(codec="utf-8", categories=["Lu", "Ll"]), min_size=1, max_size=8)
plain_words = words.filter(lambda word: word[0] not in "Ee")


def converted(generation: Generation, content_type: str, body: str) -> str:
    conversion = CONTRACTS[generation].conversion
    return conversion.to_tfs_json(content_type, body.encode(errors="replace")).decode()


def table(rows: list[list[str]]) -> str:
    return "\n".join(",".join(row) for row in rows)


@given(body=documents | st.text(max_size=40), content_type=st.sampled_from(sorted(JSON_TYPES)))
def test_json_is_converted_alike_by_all_but_2_1_to_2_8(body: str, content_type: str) -> None:
    today = converted(C, content_type, body)
    assert converted(A, content_type, body) == converted(B2, content_type, body) == today


@given(body=documents)
def test_2_1_to_2_8_differ_for_bodies_that_are_of_both_kinds_alone(body: str) -> None:
    has_key = re.search(r'"(instances|inputs|examples)"\s*:', body) is not None
    has_seam = re.search(r"[}\]]\s*[\[{]", body) is not None
    differs = converted(B1, "application/json", body) != converted(C, "application/json", body)
    assert differs == (has_key and has_seam)


@given(rows=st.lists(st.lists(numbers, min_size=1, max_size=4), max_size=4))
def test_numbers_in_csv_are_converted_alike_by_all(rows: list[list[str]]) -> None:
    answers = {converted(generation, CSV_TYPE, table(rows)) for generation in Generation}
    values = [[json.loads(field) for field in row] for row in rows]
    instances = [row if len(row) > 1 else row[0] for row in values]
    assert [json.loads(answer) for answer in answers] == [{"instances": instances}]


@given(rows=st.lists(st.lists(plain_words, min_size=1, max_size=4), min_size=1, max_size=4))
def test_words_in_csv_come_apart_at_every_comma_today_and_at_the_first_before(
    rows: list[list[str]],
) -> None:
    body = table(rows)
    today = json.loads(converted(C, CSV_TYPE, body))["instances"]
    assert today == [row if len(row) > 1 else row[0] for row in rows]
    halves = [[row[0], ",".join(row[1:])] if len(row) > 1 else row[0] for row in rows]
    for earlier in (A, B1, B2):
        assert json.loads(converted(earlier, CSV_TYPE, body))["instances"] == halves


@given(body=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=30))
def test_csv_is_always_json_today(body: str) -> None:
    assert "instances" in json.loads(converted(C, CSV_TYPE, body))


def test_bytes_that_are_no_utf8_become_the_replacement_character() -> None:
    convert = CONTRACTS[C].conversion.to_tfs_json
    assert convert(CSV_TYPE, b"\xff") == '{"instances":["\ufffd"]}'.encode()


@given(content_type=st.sampled_from(TYPES) | st.text(max_size=30))
def test_before_2_20_four_spellings_of_content_types_were_known(content_type: str) -> None:
    for earlier in (A, B1, B2):
        convert = CONTRACTS[earlier].conversion.to_tfs_json
        if content_type in TYPES:
            assert convert(content_type, b"1.0") == b'{"instances":[1.0]}'
        else:
            with pytest.raises(UnsupportedMediaType):
                convert(content_type, b"1.0")


@given(accept=st.none() | st.lists(st.sampled_from([*TYPES, "*/*", " "]), max_size=4).map(",".join))
def test_accept_changes_line_breaks_and_the_content_type_alone(accept: str | None) -> None:
    for contract in CONTRACTS.values():
        body, content_type = contract.conversion.accepted(accept, b"{\n    1\n}")
        assert body in (b"{\n    1\n}", b"{    1}")
        assert content_type == "application/json" or body == b"{    1}"


@given(
    name=st.none() | st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True),
    version=st.none() | st.integers(0, 10**6).map(str),
    method=st.none() | st.sampled_from(["predict", "classify", "regress"]),
)
def test_good_attributes_lead_to_the_same_path_everywhere(
    name: str | None, version: str | None, method: str | None
) -> None:
    given = {"tfs-model-name": name, "tfs-model-version": version, "tfs-method": method}
    header = ",".join(f"{key}={value}" for key, value in given.items() if value is not None)
    readers = [
        reader
        for contract in CONTRACTS.values()
        for reader in (contract.front_attributes, contract.handler.attributes)
    ]
    assert len({reader(header).path("mine") for reader in readers}) == 1

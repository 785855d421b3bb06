"""Golden files: what a line may say, and what is said of one that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.errors import NotFound, ProblemsFound
from sagemaker_serving.operations.golden import (
    Answer,
    Exchange,
    Request,
    read_golden,
    write_golden,
)


def read(folder: Path, *lines: str) -> list[Exchange]:
    path = folder / "golden.jsonl"
    path.write_text("\n".join(lines))
    return read_golden(path)


@pytest.mark.parametrize(
    ("line", "request_", "expected"),
    [
        ('{"body": "1,2", "content_type": "text/csv", "expected_body": "3"}',
         Request(body=b"1,2", content_type="text/csv"), Answer(status=200, body=b"3")),
        ('{"body_base64": "/w==", "expected_status": 415, "expected_body_base64": "/g=="}',
         Request(body=b"\xff"), Answer(status=415, body=b"\xfe")),
        ('{"body_json": {"instances": [1]}, "expected_body_json": {"predictions": [3.5]}}',
         Request(body=b'{"instances": [1]}'), Answer(status=200, body=b'{"predictions": [3.5]}')),
        ('{"body": "", "expected_status": 400}', Request(body=b""), Answer(status=400, body=b"")),
        (
            '{"body": "x", "accept": "a/b", "custom_attributes": "k=v", "target_model": "m", '
            '"target_variant": "gpu", "inference_component": "c", "content_type": ""}',
            Request(
                body=b"x",
                content_type="",
                accept="a/b",
                custom_attributes="k=v",
                target_model="m",
                target_variant="gpu",
                inference_component="c",
            ),
            None,
        ),
    ],
)  # fmt: skip
def test_a_line_is_a_request_and_what_is_expected(
    tmp_path: Path, line: str, request_: Request, expected: Answer | None
) -> None:
    (exchange,) = read(tmp_path, line)
    assert (exchange.request, exchange.expected) == (request_, expected)


def test_blank_lines_are_passed_over_and_an_exchange_knows_its_line(tmp_path: Path) -> None:
    first, second = read(tmp_path, "", '{"body": "1"}', "  ", '{"body": "2", "name": "two"}')
    assert str(first) == f"{tmp_path}/golden.jsonl:2"
    assert str(second) == f"{tmp_path}/golden.jsonl:4 two"


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    lines = [
        '{"body": "1"}',
        "{",
        "[]",
        '{"content_type": 7, "expected_status": "200"}',
        '{"body": "1", "body_json": 1, "expected_status": 99}',
        '{"body_base64": "?", "bdy": 1}',
    ]
    with pytest.raises(ProblemsFound) as found:
        read(tmp_path, *lines)
    path = tmp_path / "golden.jsonl"
    said = str(found.value).replace(str(path), "F").splitlines()
    assert said[0].startswith("F:2: it is no JSON: ")
    assert said[1:-1] == [
        "F:3: it is a list; a line is a JSON object",
        "F:4: content_type is 7; it must be a text",
        'F:4: expected_status is "200"; it must be an HTTP status',
        "F:4: there is no body; give one of body, body_base64, body_json",
        "F:5: body and body_json say the same thing; give one of them",
        "F:5: expected_status is 99; it must be an HTTP status",
        "F:6: 'bdy' is no key of a golden request; there are name, content_type, accept, "
        "custom_attributes, target_model, target_variant, inference_component, body, "
        "body_base64, body_json, expected_status, expected_body, expected_body_base64, "
        "expected_body_json",
    ]
    assert said[-1] == "F:6: body_base64 is no base64"


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist; give a file of golden requests"):
        read_golden(tmp_path / "nowhere")
    with pytest.raises(ProblemsFound, match="it is no file of JSON lines"):
        read_golden(tmp_path)
    (tmp_path / "b").write_bytes(b"\xff")
    with pytest.raises(ProblemsFound, match="it is no file of JSON lines"):
        read_golden(tmp_path / "b")
    with pytest.raises(ProblemsFound, match="it holds no request"):
        read(tmp_path, "", "")


texts = st.none() | st.text(max_size=10)
exchanges = st.builds(
    Exchange,
    name=texts,
    request=st.builds(
        Request,
        body=st.binary(max_size=20) | st.text(max_size=20).map(str.encode),
        content_type=st.text(max_size=10),
        accept=texts,
        custom_attributes=texts,
        target_model=texts,
        target_variant=texts,
        inference_component=texts,
    ),
    expected=st.none()
    | st.builds(Answer, status=st.integers(100, 599), body=st.binary(max_size=20)),
)


def facts(exchange: Exchange) -> Any:
    return exchange.name, exchange.request, exchange.expected


@given(written=st.lists(exchanges, min_size=1, max_size=3))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, written: list[Exchange]
) -> None:
    path = tmp_path_factory.mktemp("golden") / "f.jsonl"
    write_golden(path, written)
    assert [facts(exchange) for exchange in read_golden(path)] == [
        facts(exchange) for exchange in written
    ]

from __future__ import annotations

import math

import numpy as np
import pytest

from sagemaker_serving.model_server.engine.answers import float_texts
from sagemaker_serving.model_server.engine.documents import (
    is_base64,
    parse_document,
    signature_name,
)
from sagemaker_serving.model_server.engine.shown import shown
from sagemaker_serving.model_server.engine.status import Code, StatusError


@pytest.mark.parametrize(
    ("body", "document"),
    [
        (b'{"a": [1, 2.5, "x", true, null]}', {"a": [1, 2.5, "x", True, None]}),
        (b' \n{"a": 1}\r\n\t ', {"a": 1}),
        (b'{"a": 1}\0{"a": 2}', {"a": 1}),
        (b"\xef\xbb\xbf{}", {}),
        (b'{"a": Infinity, "b": -Infinity}', {"a": math.inf, "b": -math.inf}),
        ('{"é": "ü"}'.encode(), {"é": "ü"}),
        (rb'{"a": "\ud83d\uDE00"}', {"a": "\N{GRINNING FACE}"}),
        (rb'{"a": "\\ud800"}', {"a": r"\ud800"}),
        (rb'{"a": "\udc00"}', {"a": b"\xed\xb0\x80".decode(errors="surrogateescape")}),
        (b'{"a": 1, "b": 2, "a": 3}', {"a": 1, "b": 2}),
        (b'{"unused": ' + b"[" * 100_000 + b"]" * 100_000 + b', "a": 1}', ...),
    ],
)
def test_a_body_is_an_object(body: bytes, document: object) -> None:
    found = parse_document(body)
    assert found["a"] == 1 if document is ... else found == document


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "JSON Parse error: The document is empty"),
        (b" \n", "JSON Parse error: The document is empty. at offset: 2"),
        (b"instances = [1, 2]", "JSON Parse error: Invalid value. at offset: 0"),
        (rb'{"a": "b\ud800"}',
         "JSON Parse error: The surrogate pair in string is invalid. at offset: 8"),
        (rb'["\uD83D\uD83D", {',
         "JSON Parse error: The surrogate pair in string is invalid. at offset: 2"),
        (b'{"a": [1,]}', "JSON Parse error: Invalid value. at offset: 9"),
        (b'{"a": nan}', "JSON Parse error: Invalid value. at offset: 7"),
        (b'{"instances": [1 2]}',
         "JSON Parse error: Missing a comma or ] after an array element. at offset: 17"),
        ('{"é": {"[": 1 2}}'.encode(),
         "JSON Parse error: Missing a comma or } after an object member. at offset: 15"),
        (b'{"a" 1}',
         "JSON Parse error: Missing a colon after a name of object member. at offset: 5"),
        (b"{a: 1}", "JSON Parse error: Missing a name for object member. at offset: 1"),
        (b'{"a": 1 , }', "JSON Parse error: Missing a name for object member. at offset: 10"),
        (b'{"a": [1 , ]}', "JSON Parse error: Invalid value. at offset: 11"),
        (b'{"a": "x', "JSON Parse error: Missing a closing quotation mark in string. at offset: 8"),
        (b'{"a": "\\x"}', "JSON Parse error: Invalid escape character in string. at offset: 7"),
        (b'{"a": "\\u12"}',
         "JSON Parse error: Incorrect hex digit after \\u escape in string. at offset: 7"),
        (b'{"a": "\n"}', "JSON Parse error: Invalid escape character in string. at offset: 7"),
        (b'{"a":' + b"[" * 100_000, "JSON Parse error: Invalid value. at offset: 100005"),
        (b'{"instances": [1.0]}\n{"instances": [2.0]}',
         "JSON Parse error: The document root must not be followed by other values. at offset: 21"),
        ('{"é": 1} \n x'.encode(),
         "JSON Parse error: The document root must not be followed by other values. at offset: 12"),
        (b"[1], [2]",
         "JSON Parse error: The document root must not be followed by other values. at offset: 3"),
        (b"[1]", "JSON Value: [1] Is not object"),
        (b'"x"', 'JSON Value: "x" Is not object'),
        (b"null", "JSON Value: null Is not object"),
        (b"1.50", "JSON Value: 1.5 Is not object"),
    ],
)  # fmt: skip
def test_what_is_no_object_is_refused_in_rapidjson_s_words(body: bytes, message: str) -> None:
    with pytest.raises(StatusError) as refused:
        parse_document(body)
    assert (refused.value.code, refused.value.message) == (Code.INVALID_ARGUMENT, message)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (
            {"a": [1, {"b": []}]},
            '{\n    "a": [1, {\n            "b": []\n        }]\n}',
        ),
        ("é\n", '"é\\n"'),
        (True, "true"),
        (1.0, "1.0"),
        (0.1, "0.1"),
        (1e300, "1e300"),
        (1.25e-7, "1.25e-7"),
        (1e21, "1e21"),
        (1e20, "100000000000000000000.0"),
        (-0.000001, "-0.000001"),
        (2**64, "18446744073709552000.0"),
        ("\x1f\\", '"\\u001F\\\\"'),
        ([1, math.nan, 2], "[1, "),
    ],
)
def test_messages_show_values_as_indented_json(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_message_begins_nothing_more_after_256_bytes() -> None:
    assert shown(["é" * 1000, 1]) == f'["{"é" * 1000}"'
    assert len(shown(list(range(100_000)))) == 257


def test_the_signature_name_is_empty_when_absent_and_must_be_text() -> None:
    assert signature_name({}) == ""
    assert signature_name({"signature_name": "other"}) == "other"
    with pytest.raises(StatusError, match="'signature_name' key must be a string value"):
        signature_name({"signature_name": 5})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b64": "aGk="}, True),
        ({"b64": 1}, False),
        ({"b64": "aGk=", "x": 1}, False),
        ({}, False),
        ("b64", False),
    ],
)
def test_base64_is_an_object_of_one_key(value: object, expected: bool) -> None:
    assert is_base64(value) is expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.5, "3.5"),
        (4, "4.0"),
        (0.1, "0.1"),
        (1 / 3, "0.333333343"),
        (-0.0, "-0.0"),
        (1e6, "1e+06"),
        (9000000, "9e+06"),
        (1234567, "1234567.0"),
        (16777216, "16777216.0"),
        (0.00003, "3e-05"),
        (3.4028235e38, "3.40282347e+38"),
        (1e-45, "1.4013e-45"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_float_has_six_digits_when_they_suffice_else_nine(value: float, text: str) -> None:
    assert float_texts(np.array([value], np.float32)) == [text]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1"), (1 / 3, "0.33333333333333331"), (1e300, "1e+300"), (123456.5, "123456.5")],
)
def test_a_double_has_six_digits_when_they_suffice_else_seventeen(value: float, text: str) -> None:
    assert float_texts(np.array([value], np.float64)) == [text]


def test_every_text_reads_back_as_the_same_float() -> None:
    values = np.random.default_rng(7).standard_normal(5000).astype(np.float32) * np.float32(1e10)
    assert (np.array([float(text) for text in float_texts(values)], np.float32) == values).all()


def test_no_values_make_no_texts() -> None:
    assert float_texts(np.array([], dtype=np.float32)) == []

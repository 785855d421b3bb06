"""A request body as a JSON object, with the rules and error texts of rapidjson."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from sagemaker_serving.model_server.engine.decimals import float_text
from sagemaker_serving.model_server.engine.status import StatusError, invalid

SHOWN_BYTES = 256
"""An error message shows this much of the value it is about."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder()
_ENCODER = json.JSONEncoder(indent=4, ensure_ascii=False)
_BLANK = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)

_SURROGATE_START = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)", re.DOTALL
)
"""What a backslash begins: a pair, half of one, or anything else."""

_PARSE_ERRORS = {
    "Expecting value": "Invalid value.",
    "Expecting property name enclosed in double quotes": "Missing a name for object member.",
    "Illegal trailing comma before end of object": "Missing a name for object member.",
    "Expecting ':' delimiter": "Missing a colon after a name of object member.",
    "Unterminated string starting at": "Missing a closing quotation mark in string.",
    "Invalid control character at": "Invalid encoding in string.",
    "Invalid \\escape": "Invalid escape character in string.",
    "Invalid \\uXXXX escape": "Incorrect hex digit after \\u escape in string.",
}
"""Python's words for what is wrong, and rapidjson's."""


def parse_document(body: bytes) -> dict[str, Any]:
    """The JSON object that ``body`` is.

    NaN and Infinity are numbers. Raises `StatusError` (400) when the body is
    empty, is no JSON, is no object, or goes on after its first value.

    TensorFlow Serving up to 2.17 refuses what goes on in these words; from 2.18
    its parser stops after the first value and never looks at the rest
    (util/json_tensor.cc, ParseJson, at the tags 2.17.1 and 2.18.0 to 2.20.0,
    where kParseStopWhenDoneFlag came with 6cb01316; read 2026-11-22). It is
    refused here in every version: a request of two documents that gets the
    answer to one is a mistake wherever it is sent.
    """
    if not body:
        raise invalid("JSON Parse error: The document is empty")
    text = body.removeprefix(_BYTE_ORDER_MARK).decode(errors="surrogateescape")
    blank = _BLANK.match(text)
    start = blank.end() if blank is not None else 0
    if start == len(text):
        raise _parse_error("The document is empty.", text, start)
    try:
        document, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        _must_have_whole_pairs(text, start, error.pos)
        raise _parse_error(_complaint(error, text), text, _position(error, text)) from error
    except RecursionError as error:
        raise _parse_error("Terminate parsing due to Handler error.", text, len(text)) from error
    _must_have_whole_pairs(text, start, end)
    _must_be_the_end(text, end)
    if not isinstance(document, dict):
        raise invalid(f"JSON Value: {shown(document)} Is not object")
    return document


def signature_name(document: dict[str, Any]) -> str:
    """The ``signature_name`` of a request, "" when absent; 400 when it is no string."""
    name = document.get("signature_name", "")
    if not isinstance(name, str):
        raise invalid(
            f"JSON Value: {shown(document)} not formatted correctly. "
            "'signature_name' key must be a string value."
        )
    return name


def is_base64(value: object) -> bool:
    """Whether ``value`` is an object of exactly one key "b64" with a string."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get("b64"), str)


def shown(value: object) -> str:
    """``value`` as an error message shows it: indented JSON, at most `SHOWN_BYTES` bytes."""
    if isinstance(value, float):
        return float_text(np.float32(value) if abs(value) <= _FLOAT_MAX else np.float64(value))
    text = "".join(_up_to(SHOWN_BYTES, _ENCODER.iterencode(value)))
    encoded = text.encode(errors="surrogateescape")
    return text if len(encoded) <= SHOWN_BYTES else encoded[:SHOWN_BYTES].decode(errors="ignore")


_FLOAT_MAX = float(np.finfo(np.float32).max)


def _up_to(length: int, chunks: Iterator[str]) -> Iterator[str]:
    for chunk in chunks:
        yield chunk
        length -= len(chunk)
        if length <= 0:
            return


def _must_have_whole_pairs(text: str, start: int, end: int) -> None:
    """Half of a surrogate pair is no character to rapidjson, though it is one to Python."""
    if _SURROGATE_START.search(text, start, end) is None:
        return
    for escape in _ESCAPE.finditer(text, start, end):
        if escape["half"] is not None:
            complaint = "The surrogate pair in string is invalid."
            raise _parse_error(complaint, text, escape.start())


def _must_be_the_end(text: str, end: int) -> None:
    """Only blanks may follow a document; a null byte ends it as the end of the body does."""
    blank = _BLANK.match(text, end)
    following = end if blank is None else blank.end()
    if text[following : following + 1] not in ("", "\0"):
        complaint = "The document root must not be followed by other values."
        raise _parse_error(complaint, text, following)


def _complaint(error: json.JSONDecodeError, text: str) -> str:
    if error.msg == "Expecting ',' delimiter":
        if _innermost(text[: error.pos]) == "[":
            return "Missing a comma or ] after an array element."
        return "Missing a comma or } after an object member."
    return _PARSE_ERRORS.get(error.msg, "Invalid value.")


def _position(error: json.JSONDecodeError, text: str) -> int:
    """Where rapidjson stops: of a trailing comma Python says where that is from 3.13 on."""
    if not error.msg.startswith("Illegal trailing comma"):
        return error.pos
    blank = _BLANK.match(text, error.pos + 1)
    return error.pos + 1 if blank is None else blank.end()


def _innermost(text: str) -> str:
    """The bracket that is still open at the end of ``text``, which is valid up to there."""
    opened: list[str] = []
    for token in _TOKEN.findall(text):
        if token in "[{":
            opened.append(token)
        elif token in "]}":
            opened.pop()
    return opened[-1]


def _parse_error(complaint: str, text: str, position: int) -> StatusError:
    offset = len(text[:position].encode(errors="surrogateescape"))
    return invalid(f"JSON Parse error: {complaint} at offset: {offset}")

"""A request body as a JSON object."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import simdjson

from sagemaker_serving.model_server.engine.rapidjson import Repeated, object_of, read
from sagemaker_serving.model_server.engine.shown import shown
from sagemaker_serving.model_server.engine.status import invalid

_DECODER = json.JSONDecoder(object_pairs_hook=object_of)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANKS = re.compile(r"[ \t\n\r]*")
ZERO_WITH_EXPONENT = re.compile(rb"0[eE]\+?[0-9]{3}")
"""What simdjson takes, whatever the exponent, and rapidjson refuses over 308."""

_LARGE_EXPONENT = re.compile(r"[eE]\+?[0-9]{3}")
_LONG_NUMBER = re.compile(r"(?<![0-9])[0-9]{308}")
"""What may be too large for a double: Python reads on where rapidjson stops."""

_SURROGATE_START = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)", re.DOTALL
)
"""What a backslash begins: a pair, half of one, or anything else."""


def parse_document(body: bytes) -> dict[str, Any]:
    """The JSON object that ``body`` is; of equal keys the first one counts.

    NaN and Infinity are numbers. Raises `StatusError` (400) when the body is
    empty, is no JSON, is no object, or goes on after its first value.

    TensorFlow Serving up to 2.17 refuses what goes on in these words; from 2.18
    its parser stops after the first value and never looks at the rest
    (util/json_tensor.cc, ParseJson, at the tags 2.17.1 and 2.18.0 to 2.20.0,
    where kParseStopWhenDoneFlag came with 6cb01316). It is
    refused here in every version: a request of two documents that gets the
    answer to one is a mistake wherever it is sent.
    """
    if not body:
        raise invalid("JSON Parse error: The document is empty")
    try:
        document = _read_fast(body)
    except (ValueError, RecursionError):
        document = read(body)
    if not isinstance(document, dict):
        raise invalid(f"JSON Value: {shown(document)} Is not object")
    return document


def signature_name(document: Mapping[str, Any]) -> str:
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
    return (
        isinstance(value, dict)
        and len(value) == 1
        and isinstance(value.get("b64"), str)
        and not isinstance(value, Repeated)
    )


def _read_fast(body: bytes) -> Any:
    """As Python reads it; raises ValueError where rapidjson might read otherwise."""
    text = body.removeprefix(_BYTE_ORDER_MARK).decode(errors="surrogateescape")
    blank = _BLANKS.match(text)
    start = 0 if blank is None else blank.end()
    document, end = _DECODER.raw_decode(text, start)
    following = _BLANKS.match(text, end)
    if following is None or following.end() < len(text):
        raise ValueError
    # Only now: these searches take seconds of a large body, which may begin with no JSON at all.
    if not _is_strict(body) and (
        _LARGE_EXPONENT.search(text) or _LONG_NUMBER.search(text) or not _has_whole_pairs(text)
    ):
        raise ValueError
    return document


def _is_strict(body: bytes) -> bool:
    """Whether simdjson takes ``body``, so that rapidjson and Python read it alike."""
    if ZERO_WITH_EXPONENT.search(body):
        return False
    try:
        simdjson.Parser().parse(body)
    except (ValueError, RuntimeError):
        return False
    return True


def _has_whole_pairs(text: str) -> bool:
    if _SURROGATE_START.search(text) is None:
        return True
    return all(escape["half"] is None for escape in _ESCAPE.finditer(text))

"""A request body as a JSON object, and JSON values as error messages show them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import simdjson

from sagemaker_serving.model_server.engine.rapidjson import Repeated, object_of, read
from sagemaker_serving.model_server.engine.status import invalid

SHOWN_BYTES = 256
"""An error message begins nothing new after this much of the value it is about."""

_DECODER = json.JSONDecoder(object_pairs_hook=object_of)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_BLANKS = re.compile(r"[ \t\n\r]*")
_ESCAPED = {
    **{code: f"\\u{code:04X}" for code in range(32)},
    **dict(
        zip(
            map(ord, '\b\t\n\f\r"\\'),
            ("\\b", "\\t", "\\n", "\\f", "\\r", '\\"', "\\\\"),
            strict=True,
        )
    ),
}

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
    where kParseStopWhenDoneFlag came with 6cb01316; read 2026-11-22). It is
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


def members_of(value: dict[str, Any]) -> list[tuple[str, Any]]:
    """All members of an object, in order; a key may be there twice."""
    return value.members if isinstance(value, Repeated) else list(value.items())


def shown(value: object) -> str:
    """``value`` as an error message shows it: indented JSON with each list on one line.

    Nothing is begun once `SHOWN_BYTES` bytes are written, nor after a number that is none (NaN).
    Source: tensorflow/serving 2.18.0 to 2.20.0, util/json_tensor.cc, JsonValueToDebugString.
    """
    text = bytearray()
    for token in _tokens(value, "", ""):
        if token is None:
            break
        text += token.encode(errors="surrogateescape")
        if len(text) >= SHOWN_BYTES:
            break
    return text.decode(errors="surrogateescape")


def _tokens(value: object, before: str, indent: str) -> Iterator[str | None]:
    """The tokens of ``value``, each with what stands before it; None at a number that is none."""
    if isinstance(value, dict):
        yield before + "{"
        members = members_of(value)
        for index, (key, content) in enumerate(members):
            yield f"{',' if index else ''}\n{indent}    {_quoted(key)}"
            yield from _tokens(content, ": ", indent + "    ")
        yield f"\n{indent}}}" if members else "}"
    elif isinstance(value, list):
        yield before + "["
        for index, element in enumerate(value):
            yield from _tokens(element, ", " if index else "", indent + "    ")
        yield "]"
    else:
        yield before + _scalar(value)
        if isinstance(value, float) and not math.isfinite(value):
            yield None


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, int) and not isinstance(value, bool) and not is_whole(value):
        value = float(value)
    return _decimal(value) if isinstance(value, float) else json.dumps(value)


def is_whole(number: float) -> bool:
    """Whether rapidjson keeps a JSON number as a whole one: of at most 64 bits."""
    return isinstance(number, int) and -(2**63) <= number < 2**64


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPED)}"'


def _decimal(number: float) -> str:
    """The shortest digits that read back alike, written as in internal/dtoa.h; "" for NaN."""
    if not math.isfinite(number):
        return ""
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)
    if text == "0":
        text, point = "0", 1
    if len(text) <= point <= 21:
        shown = f"{text:0<{point}}.0"
    elif 0 < point <= 21:
        shown = f"{text[:point]}.{text[point:]}"
    elif -6 < point <= 0:
        shown = f"0.{'0' * -point}{text}"
    else:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        shown = f"{text[0]}{fraction}e{point - 1}"
    return f"{'-' if sign else ''}{shown}"


def _read_fast(body: bytes) -> Any:
    """As Python reads it; raises ValueError where rapidjson might read otherwise."""
    text = body.removeprefix(_BYTE_ORDER_MARK).decode(errors="surrogateescape")
    blank = _BLANKS.match(text)
    start = 0 if blank is None else blank.end()
    if not _is_strict(body) and (
        _LARGE_EXPONENT.search(text) or _LONG_NUMBER.search(text) or not _has_whole_pairs(text)
    ):
        raise ValueError
    document, end = _DECODER.raw_decode(text, start)
    following = _BLANKS.match(text, end)
    if following is None or following.end() < len(text):
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

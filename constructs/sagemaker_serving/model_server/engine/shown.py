"""JSON values as TensorFlow Serving's error messages show them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from decimal import Decimal

from sagemaker_serving.model_server.engine.rapidjson import is_whole, members_of

SHOWN_BYTES = 256
"""An error message begins nothing new after this much of the value it is about."""

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

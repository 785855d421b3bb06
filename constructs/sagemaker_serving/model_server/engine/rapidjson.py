"""A JSON text read as TensorFlow Serving's parser reads it: rapidjson 1.1.0.

Python's own decoder is much faster, and agrees with it on nearly every body. This reader is for
the others: what is refused, in rapidjson's words and at its offset, and what the two read
differently. Numbers are made by rapidjson's arithmetic ("normal precision"), so more than 15
digits may give another last bit than the nearest double.

Sources: Tencent/rapidjson v1.1.0, include/rapidjson/reader.h (ParseString,
ParseHex4, ParseNumber, Transit, HandleError), internal/strtod.h (StrtodNormalPrecision),
encodedstream.h (the byte order mark) and error/en.h (the words). tensorflow/serving pins that
version in tensorflow_serving/workspace.bzl at every tag from 2.4.0 to 2.20.0, and chooses its flags
in util/json_tensor.cc, ParseJson.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

from sagemaker_serving.model_server.engine.status import StatusError, invalid

_BLANKS = re.compile(rb"[ \t\n\r]*")
_DIGITS = re.compile(rb"[0-9]*")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_HEX = re.compile(rb"[0-9a-fA-F]{0,4}")
_MANY_NUMBERS = re.compile(
    rb"(?:-?(?:0(?:\.[0-9]{1,15})?|[1-9][0-9]{0,6}(?:\.[0-9]{1,8})?|[1-9][0-9]{0,14})"
    rb"[ \t\n\r]*,[ \t\n\r]*)+(?=[-0-9])"
)
"""Elements of a list that Python reads alike: a large body is refused in moments, too."""

_ESCAPES = dict(zip(b'"\\/bfnrt', b'"\\/\b\f\n\r\t', strict=True))
_WORDS = {b"n": (b"null", None), b"t": (b"true", True), b"f": (b"false", False)}

_REST_OF_INFINITY = (b"i", b"n", b"i", b"t", b"y")

_MANTISSA_MAX = 2**53 - 1
_LAST_TIMES_TEN = 1.7976931348623157e307
_LARGEST_EXPONENT = 308
_SIGNIFICANT_DIGITS = 17
_POWERS = [float(f"1e{exponent}") for exponent in range(_LARGEST_EXPONENT + 1)]


class Repeated(dict[str, Any]):
    """An object that has a key more than once: each key's first value, and all of its members."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        super().__init__(reversed(members))
        self.members = members


def object_of(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of these members in order; a `Repeated` when a key is there twice."""
    plain = dict(members)
    return plain if len(plain) == len(members) else Repeated(members)


def members_of(value: dict[str, Any]) -> list[tuple[str, Any]]:
    """All members of an object, in order; a key may be there twice."""
    return value.members if isinstance(value, Repeated) else list(value.items())


def is_whole(number: float) -> bool:
    """Whether rapidjson keeps a JSON number as a whole one: of at most 64 bits."""
    return isinstance(number, int) and -(2**63) <= number < 2**64


def read(body: bytes) -> Any:
    """The value that ``body`` is; text that is no UTF-8 is surrogate-escaped.

    Raises `StatusError` (400) with rapidjson's words and offset, in bytes. A null byte ends a body.
    What follows the value is refused, as up to TensorFlow Serving 2.17.
    """
    reader = _Reader(body)
    value = reader.value()
    reader.skip_blanks()
    if reader.next() not in (b"", b"\0"):
        raise reader.error("The document root must not be followed by other values.")
    return value


class _Reader:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0
        for byte in (b"\xef", b"\xbb", b"\xbf"):
            if not self._take(byte):
                break
        self.skip_blanks()
        if self.next() in (b"", b"\0"):
            raise self.error("The document is empty.")

    def next(self) -> bytes:
        """The byte that comes, b"" at the end."""
        return self._body[self._at : self._at + 1]

    def skip_blanks(self) -> None:
        self._run(_BLANKS)

    def error(self, words: str, offset: int | None = None) -> StatusError:
        at = self._at if offset is None else offset
        return invalid(f"JSON Parse error: {words} at offset: {at}")

    def value(self) -> Any:
        """The value that comes, without recursion: any depth is read."""
        opened: list[list[Any]] = []
        keys: list[str | None] = []
        while True:
            if self._take(b"["):
                opened.append([])
                keys.append(None)
                self.skip_blanks()
                if self.next() != b"]":
                    self._many_numbers(opened[-1])
                    continue
            elif self._take(b"{"):
                opened.append([])
                keys.append("")
                self.skip_blanks()
                if self.next() != b"}":
                    keys[-1] = self._name()
                    continue
            else:
                value = self._scalar()
                if not opened:
                    return value
                self._add(opened[-1], keys[-1], value)
            while self._closes(opened[-1], is_list=keys[-1] is None):
                members = opened.pop()
                ended = members if keys.pop() is None else object_of(members)
                if not opened:
                    return ended
                self._add(opened[-1], keys[-1], ended)
            if keys[-1] is None:
                self._many_numbers(opened[-1])
            else:
                keys[-1] = self._name()

    def _add(self, members: list[Any], key: str | None, value: Any) -> None:
        members.append(value if key is None else (key, value))

    def _closes(self, members: list[Any], *, is_list: bool) -> bool:
        """Whether the innermost list or object ends here; otherwise takes the comma."""
        self.skip_blanks()
        if self._take(b"]" if is_list else b"}"):
            return True
        if not self._take(b","):
            where = "] after an array element." if is_list else "} after an object member."
            raise self.error(f"Missing a comma or {where}")
        self.skip_blanks()
        return False

    def _name(self) -> str:
        if self.next() != b'"':
            raise self.error("Missing a name for object member.")
        name = self._string()
        self.skip_blanks()
        if not self._take(b":"):
            raise self.error("Missing a colon after a name of object member.")
        self.skip_blanks()
        return name

    def _many_numbers(self, elements: list[Any]) -> None:
        run = self._run(_MANY_NUMBERS)
        if run:
            elements.extend(json.loads(b"[" + run.rstrip(b", \t\n\r") + b"]"))

    def _scalar(self) -> Any:
        if self.next() == b'"':
            return self._string()
        word, value = _WORDS.get(self.next(), (b"", None))
        if not word:
            return self._number()
        for index in range(len(word)):
            if not self._take(word[index : index + 1]):
                raise self.error("Invalid value.")
        return value

    def _string(self) -> str:
        self._at += 1
        text = bytearray()
        while True:
            text += self._run(_PLAIN)
            if self._take(b'"'):
                return text.decode(errors="surrogateescape")
            if self.next() in (b"", b"\0"):
                raise self.error("Missing a closing quotation mark in string.")
            if self.next() != b"\\":
                raise self.error("Invalid escape character in string.")
            text += self._escape()

    def _escape(self) -> bytes:
        start = self._at
        self._at += 1
        letter = self.next()
        if letter and letter[0] in _ESCAPES:
            self._at += 1
            return bytes([_ESCAPES[letter[0]]])
        if letter != b"u":
            raise self.error("Invalid escape character in string.", start)
        self._at += 1
        point = self._hex(start)
        if 0xD800 <= point <= 0xDBFF:
            low = self._hex(start) if self._take(b"\\") and self._take(b"u") else 0
            if not 0xDC00 <= low <= 0xDFFF:
                raise self.error("The surrogate pair in string is invalid.", start)
            point = 0x10000 + ((point - 0xD800) << 10) + low - 0xDC00
        # The second half of a pair, alone, is encoded like any other character.
        return chr(point).encode(errors="surrogatepass")

    def _hex(self, start: int) -> int:
        digits = self._run(_HEX)
        if len(digits) < 4:
            raise self.error("Incorrect hex digit after \\u escape in string.", start)
        return int(digits, 16)

    def _number(self) -> int | float:
        start = self._at
        minus = self._take(b"-")
        whole: int | None = 0
        double = 0.0
        counted = 0
        if self.next() in (b"I", b"N"):
            whole, double = None, self._not_finite()
        elif not self._take(b"0"):
            digits = self._run(_DIGITS)
            if not digits:
                raise self.error("Invalid value.")
            whole, double, counted = self._whole(digits, start, minus=minus)
        scale = 0
        if self._take(b"."):
            double, scale = self._fraction(whole, double, counted)
            whole = None
        if self._take(b"e") or self._take(b"E"):
            if whole is not None or not math.isfinite(double):
                double = float(whole or 0)
            whole = None
            scale += self._exponent(start, _LARGEST_EXPONENT - scale)
        if whole is not None:
            return -whole if minus else whole
        double = _scaled(double, scale)
        return -double if minus else double

    def _not_finite(self) -> float:
        """NaN, Inf or Infinity; one that begins like the first may end like the others."""
        if self._take(b"N") and self._take(b"a") and self._take(b"N"):
            return math.nan
        begins = self._take(b"I") and self._take(b"n") and self._take(b"f")
        if begins and (self.next() != b"i" or all(map(self._take, _REST_OF_INFINITY))):
            return math.inf
        raise self.error("Invalid value.")

    def _whole(self, digits: bytes, start: int, *, minus: bool) -> tuple[int | None, float, int]:
        """Whole digits: a number of at most 64 bits, or a double; and how many count on."""
        limit = 2**63 if minus else 2**64 - 1
        kept = next((size for size in (20, 19, 18) if int(digits[:size]) <= limit), 18)
        fitting, rest = digits[:kept], digits[kept:]
        if not rest:
            return int(fitting), 0.0, len(fitting) - 1
        double = float(int(fitting))
        for digit in rest:
            if double >= _LAST_TIMES_TEN:
                raise self.error("Number too big to be stored in double.", start)
            double = double * 10 + (digit - ord("0"))
        return None, double, len(fitting) - 1

    def _fraction(self, whole: int | None, double: float, counted: int) -> tuple[float, int]:
        """All digits as one number, and the power of ten that it is to be multiplied by."""
        digits = self._run(_DIGITS)
        if not digits:
            raise self.error("Miss fraction part in number.")
        used = 0
        if whole is not None or not math.isfinite(double):
            mantissa = whole or 0
            while used < len(digits) and mantissa <= _MANTISSA_MAX:
                mantissa = mantissa * 10 + (digits[used] - ord("0"))
                used += 1
                counted += mantissa != 0
            double = float(mantissa)
        scale = -used
        for digit in digits[used:]:
            if counted >= _SIGNIFICANT_DIGITS:
                break
            double = double * 10 + (digit - ord("0"))
            scale -= 1
            counted += double > 0
        return double, scale

    def _exponent(self, start: int, largest: int) -> int:
        minus = not self._take(b"+") and self._take(b"-")
        digits = self._run(_DIGITS)
        if not digits:
            raise self.error("Miss exponent part in number.")
        exponent = int(digits.lstrip(b"0")[:9] or b"0")
        if minus:
            return -exponent
        if exponent > largest:
            raise self.error("Number too big to be stored in double.", start)
        return exponent

    def _take(self, byte: bytes) -> bool:
        if self._body.startswith(byte, self._at):
            self._at += 1
            return True
        return False

    def _run(self, pattern: re.Pattern[bytes]) -> bytes:
        match = pattern.match(self._body, self._at)
        if match is None:
            return b""
        self._at = match.end()
        return match[0]


def _scaled(number: float, scale: int) -> float:
    if scale < -_LARGEST_EXPONENT:
        number /= _POWERS[_LARGEST_EXPONENT]
        scale += _LARGEST_EXPONENT
    if scale < -_LARGEST_EXPONENT:
        return 0.0
    return number / _POWERS[-scale] if scale < 0 else number * _POWERS[scale]

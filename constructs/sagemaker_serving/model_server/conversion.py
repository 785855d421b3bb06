"""Bodies without user code: what nginx's JavaScript makes of them for TensorFlow Serving.

The decision is taken on the text, with regular expressions, never on parsed
JSON; so texts that JSON would tell apart are mixed up here exactly as on
SageMaker.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""White space (``\\s``), for a character class."""

SPACES = SPACE.replace("\u2000-\u200a", "".join(map(chr, range(0x2000, 0x200B))))
"""The same, one after the other, for `str.strip`."""


def lines(text: str) -> list[str]:
    """The lines of ``text``, trimmed, without blank ones."""
    stripped = (line.strip(SPACES) for line in re.split(r"\r?\n", text.strip(SPACES)))
    return [line for line in stripped if line]


_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_NUMERIC_START = re.compile(rf'[{SPACE}]*("|[\d.Ee+\-]+)', re.ASCII)


def split_rows(text: str) -> list[str]:
    """Rows with their fields told apart: numbers as they are, all else as strings (from 2.20).

    Quotes hold commas, and a doubled quote inside them is one; they do not
    make a string of a number.
    """
    return [_split(line) for line in lines(text)]


def pasted_rows(text: str) -> list[str]:
    """Rows put into JSON as they are (up to 2.19).

    Whether strings need quotes is decided once, by how the body begins; then
    the whole row is quoted, and only its first quote and its first comma are
    minded. Rows that begin with a number are taken as JSON, which they may not
    be.
    """
    quoted = _NUMERIC_START.match(text) is None
    return [_pasted(line, quoted=quoted) for line in lines(text)]


def _pasted(line: str, *, quoted: bool) -> str:
    text = line
    if quoted:
        text = '"' + line.replace('"', '\\"', 1).replace(",", '","', 1) + '"'
    return f"[{text}]" if "," in line else text


def _split(line: str) -> str:
    fields = [_value(field) for field in _fields(line)]
    return fields[0] if len(fields) == 1 else f"[{','.join(fields)}]"


def _value(field: str) -> str:
    if _NUMBER.fullmatch(field.strip(SPACES)):
        return field
    return '"' + field.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _fields(line: str) -> list[str]:
    if '"' not in line:
        return line.split(",")
    fields = [""]
    quoted = just_closed = False
    for character in line:
        if character == '"':
            # A quote right after a closing one: the two were a doubled quote.
            fields[-1] += '"' if just_closed else ""
            quoted, just_closed = not quoted, quoted
            continue
        just_closed = False
        if character == "," and not quoted:
            fields.append("")
        else:
            fields[-1] += character
    return fields


JSON_TYPE = "application/json"
JSON_TYPES = frozenset({JSON_TYPE, "application/jsonlines", "application/jsons"})
CSV_TYPE = "text/csv"

_ONE_LINE_TYPES = frozenset({JSON_TYPE, "application/jsonlines"})
_TFS_JSON = re.compile(rf'"(instances|inputs|examples)"[{SPACE}]*:')
_JSON_LINES = re.compile(rf"[}}\]][{SPACE}]*[\[{{]")
_NESTED_LIST = re.compile(rf"[{SPACE}]*\[[{SPACE}]*\[")


class UnsupportedMediaType(ValueError):
    """A content type that the container does not convert."""


class ScriptFailed(Exception):
    """nginx's JavaScript stumbles over a request, which is nginx's page of a 500."""


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """How one generation reads requests and writes answers."""

    text: Callable[[bytes], str]
    """What JavaScript has of bytes that are no UTF-8: surrogates stand for them where it kept
    them, U+FFFD where it did not."""

    media_type: Callable[[str | None], str]
    """What of a Content-Type header is compared; "" when it is absent."""

    lines_first: bool
    """Whether it looks for documents that follow one another before TF Serving's keys."""

    rows: Callable[[str], list[str]]
    """The instances in a csv body, as JSON."""

    one_line_type: Callable[[list[str]], str]
    """The content type of an answer on one line, by what Accept lists."""

    accept_list: Callable[[str], list[str]]
    """What an Accept header lists."""

    error: Callable[[str], str]
    """The body of an error."""

    def to_tfs_json(self, content_type: str | None, body: bytes | None) -> bytes:
        """The body for TF Serving's REST API.

        A body that already has ``instances``, ``inputs`` or ``examples`` goes
        as it is. Otherwise JSON documents that follow one another are one
        instance each, any other JSON is one instance unless it is a list of
        lists, and a csv row is a list, or a plain value when it has one
        column. ``body`` is None where a request has none, which is not an empty one.
        Raises `UnsupportedMediaType` with the media type (or "Unknown"), and `ScriptFailed`.
        """
        kind = self.media_type(content_type)
        if kind in JSON_TYPES:
            text = "undefined" if body is None else self.text(body)
            return self._from_json(text).encode(errors="surrogateescape")
        if kind == CSV_TYPE:
            if body is None:
                raise ScriptFailed
            rows = ",".join(self.rows(self.text(body)))
            return f'{{"instances":[{rows}]}}'.encode(errors="surrogateescape")
        raise UnsupportedMediaType(f"Unsupported Media Type: {kind or 'Unknown'}")

    def accepted(self, accept: str | None, body: bytes) -> tuple[bytes, str]:
        """An answer and its content type as the Accept header has it.

        On one line when the header lists JSON, else untouched, and always JSON.
        """
        kinds = [] if accept is None else self.accept_list(accept)
        if _ONE_LINE_TYPES.isdisjoint(kinds):
            return body, JSON_TYPE
        return body.replace(b"\n", b""), self.one_line_type(kinds)

    def _from_json(self, text: str) -> str:
        is_tfs_json = _TFS_JSON.search(text) is not None
        if is_tfs_json and not self.lines_first:
            return text
        if _JSON_LINES.search(text):
            documents = lines(text)
            joined = ",".join(documents)
            return f'{{"instances":{joined if len(documents) == 1 else f"[{joined}]"}}}'
        if is_tfs_json:
            return text
        return f'{{"instances":{text if _NESTED_LIST.match(text) else f"[{text}]"}}}'


def media_type(content_type: str | None) -> str:
    """A Content-Type header without parameters, trimmed, in lower case; "" when absent."""
    return (content_type or "").partition(";")[0].strip(SPACES).lower()


def _replaced(text: bytes) -> str:
    return text.decode(errors="replace")


def _kept(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


CONVERSION_TODAY = Conversion(
    text=_replaced,
    media_type=media_type,
    lines_first=False,
    rows=split_rows,
    one_line_type=lambda kinds: JSON_TYPE,
    accept_list=lambda accept: [kind.strip(SPACES) for kind in accept.split(",")],
    error=lambda message: json.dumps({"error": message}, separators=(",", ":"), ensure_ascii=False),
)
"""From 2.20."""

CONVERSION_TO_2_19 = Conversion(
    text=_replaced,
    media_type=lambda content_type: content_type or "",
    lines_first=False,
    rows=pasted_rows,
    one_line_type=lambda kinds: kinds[0],
    # Only the first space goes, wherever it stands.
    accept_list=lambda accept: accept.strip(SPACES).replace(" ", "", 1).split(","),
    # Pasted together: a quote in the message makes it no JSON.
    error=lambda message: f'{{"error": "{message}"}}',
)
"""From 2.9 to 2.19."""

CONVERSION_TO_2_8 = replace(CONVERSION_TO_2_19, text=_kept)
"""Up to 2.8: njs before 0.8.0 had strings of bytes (its CHANGES)."""

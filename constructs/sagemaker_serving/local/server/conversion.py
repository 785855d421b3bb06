"""Bodies without user code: what nginx's JavaScript makes of them for TensorFlow Serving.

Generation C (image 2.20). The decision is taken on the text, with regular
expressions, never on parsed JSON; so texts that JSON would tell apart are
mixed up here exactly as on SageMaker.
"""

from __future__ import annotations

import re

JSON_TYPES = frozenset({"application/json", "application/jsonlines", "application/jsons"})
CSV_TYPE = "text/csv"

_SPACE = "\t\n\x0b\x0c\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
"""What JavaScript calls white space, for a character class."""

_SPACES = "".join(chr(code) for code in range(0x10000) if re.match(f"[{_SPACE}]", chr(code)))

_TFS_JSON = re.compile(rf'"(instances|inputs|examples)"[{_SPACE}]*:')
_JSON_LINES = re.compile(rf"[}}\]][{_SPACE}]*[\[{{]")
_NESTED_LIST = re.compile(rf"[{_SPACE}]*\[[{_SPACE}]*\[")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)


class UnsupportedMediaType(ValueError):
    """A content type that the container does not convert."""


def media_type(content_type: str | None) -> str:
    """A Content-Type header without parameters, trimmed, in lower case; "" when absent."""
    return (content_type or "").partition(";")[0].strip().lower()


def to_tfs_json(content_type: str | None, body: bytes) -> bytes:
    """The body for TF Serving's REST API.

    A body that already has ``instances``, ``inputs`` or ``examples`` goes as it
    is. Otherwise JSON documents that follow one another are one instance each,
    any other JSON is one instance unless it is a list of lists, and a csv row
    is a list, or a plain value when it has one column. Raises
    `UnsupportedMediaType` with the media type (or "Unknown").
    """
    kind = media_type(content_type)
    if kind in JSON_TYPES:
        return _from_json(body)
    if kind == CSV_TYPE:
        return _from_csv(body.decode(errors="replace")).encode()
    raise UnsupportedMediaType(f"Unsupported Media Type: {kind or 'Unknown'}")


def accepted(accept: str | None, body: bytes) -> bytes:
    """A response body as the Accept header has it: on one line for JSON, else untouched."""
    kinds = {kind.strip() for kind in accept.split(",")} if accept is not None else set()
    if kinds & {"application/json", "application/jsonlines"}:
        return body.replace(b"\n", b"")
    return body


def _from_json(body: bytes) -> bytes:
    text = body.decode(errors="replace")
    if _TFS_JSON.search(text):
        return text.encode()
    if _JSON_LINES.search(text):
        lines = _lines(text)
        joined = ",".join(lines)
        return f'{{"instances":{joined if len(lines) == 1 else f"[{joined}]"}}}'.encode()
    if not _NESTED_LIST.match(text):
        text = f"[{text}]"
    return f'{{"instances":{text}}}'.encode()


def _from_csv(text: str) -> str:
    rows = (_row(line) for line in _lines(text))
    return f'{{"instances":[{",".join(rows)}]}}'


def _row(line: str) -> str:
    fields = [_value(field) for field in _fields(line)]
    return fields[0] if len(fields) == 1 else f"[{','.join(fields)}]"


def _value(field: str) -> str:
    if _NUMBER.fullmatch(field.strip(_SPACES)):
        return field
    return '"' + field.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _fields(line: str) -> list[str]:
    """The fields of a row: quotes hold commas, a doubled quote inside them is one."""
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


def _lines(text: str) -> list[str]:
    lines = (line.strip(_SPACES) for line in re.split(r"\r?\n", text.strip(_SPACES)))
    return [line for line in lines if line]

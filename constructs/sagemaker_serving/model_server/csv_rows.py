"""CSV rows as JSON instances, as nginx's JavaScript makes them."""

from __future__ import annotations

import re

from sagemaker_serving.model_server.javascript import SPACE, SPACES, lines

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

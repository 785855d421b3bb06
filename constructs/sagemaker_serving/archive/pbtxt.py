"""Triton's ``config.pbtxt``: protocol buffers' text format, held against Triton's own fields.

``data/triton_schema.json`` has the fields of every message that a config can hold, by the
descriptors in tritonclient 2.73 (``tools/triton_schema.py``). Source: protobuf.dev, "Text
Format Language Specification". The package protobuf would bring neither lines nor the messages.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

from local_aws.suggest import instead


class BadConfig(Exception):
    """A text that Triton would not read; the message begins with its line."""


class Block(dict[str, Any]):
    """The fields of a message: repeated ones as lists; ``line`` is where it begins, from 1."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


def read_config(text: str) -> Block:
    """The model configuration that ``text`` is.

    Raises `BadConfig` for what is no text format, a field that Triton does not have, a value of
    another kind than its field's, and a field that is there twice and is not repeated.
    """
    return _Reader(text).message("ModelConfig", 1, until="")


_TOKEN = re.compile(
    r"""(?P<skip>(?:\s|\#[^\n]*)+)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>-?(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?)|-\s*(?:inf|nan)\b)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign>[{}<>\[\]:,;])""",
    re.VERBOSE,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_BOOLS = {**dict.fromkeys(("true", "t", "1"), True), **dict.fromkeys(("false", "f", "0"), False)}
_DEEPEST = 50


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth = text, 0, 0
        self._kind, self._token = "", ""
        self._line = self._next_line = 1
        self._advance()

    def message(self, name: str, line: int, until: str) -> Block:
        found = Block(line)
        fields = _schema()[name]
        while self._token != until or self._kind == "string":
            if self._kind != "word":
                raise self._bad(f"expected a field's name and found {self._shown()}")
            field, where = self._token, self._line
            if field not in fields:
                raise self._bad(_unknown(field, name, fields))
            self._advance()
            kind: str = fields[field]
            has_colon = self._take(":")
            values = self._values(kind.lstrip("*"), field, has_colon=has_colon)
            if kind.startswith("*"):
                found.setdefault(field, []).extend(values)
            elif len(values) != 1 or field in found:
                raise BadConfig(f"line {where}: {field} has one value, and is given more")
            else:
                found[field] = values[0]
            if self._token in (",", ";") and self._kind == "sign":
                self._advance()
        return found

    def _values(self, kind: str, field: str, *, has_colon: bool) -> list[Any]:
        if not self._take("["):
            return [self._value(kind, field, has_colon=has_colon)]
        values: list[Any] = []
        while not self._take("]"):
            if values and not self._take(","):
                raise self._bad(f"expected ',' or ']' in {field} and found {self._shown()}")
            values.append(self._value(kind, field, has_colon=has_colon))
        return values

    def _value(self, kind: str, field: str, *, has_colon: bool) -> Any:
        schema, line = _schema().get(kind), self._line
        if isinstance(schema, dict):
            closing = {"{": "}", "<": ">"}.get(self._token, "")
            if not closing or self._kind != "sign":
                raise self._bad(f"{field} holds fields in {{ }}, and not {self._shown()}")
            self._depth += 1
            if self._depth > _DEEPEST:
                raise self._bad("it has no end")
            self._advance()
            inner = self.message(kind, line, closing)
            self._advance()
            self._depth -= 1
            return inner
        if not has_colon:
            raise self._bad(f"expected ':' after {field} and found {self._shown()}")
        return self._plain(kind, field, schema)

    def _plain(self, kind: str, field: str, names: list[str] | None) -> Any:
        shown, token, found = self._shown(), self._token, self._kind
        if kind == "string" and found == "string":
            parts = []
            while self._kind == "string":
                parts.append(_unescaped(self._token[1:-1]))
                self._advance()
            return "".join(parts)
        value: Any = None
        if names is not None:
            value = token if found == "word" and token in names else None
        elif kind == "bool":
            value = _BOOLS.get(token.lower() if found != "string" else "")
        elif kind == "int" and re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9]\d*)", token):
            value = int(token, 8 if re.fullmatch(r"-?0[0-7]+", token) else 0)
        elif kind == "float" and found in ("number", "word"):
            value = _float(token)
        if value is None:
            allowed = (
                ", ".join(names) if names else {"int": "a whole number"}.get(kind, f"a {kind}")
            )
            raise self._bad(f"{field} is {shown}; it must be {allowed}")
        self._advance()
        return value

    def _take(self, sign: str) -> bool:
        taken = self._kind == "sign" and self._token == sign
        if taken:
            self._advance()
        return taken

    def _advance(self) -> None:
        while True:
            self._line = self._next_line
            if self._at == len(self._text):
                self._kind = self._token = ""
                return
            match = _TOKEN.match(self._text, self._at)
            if match is None:
                raise self._bad(f"unexpected {self._text[self._at]!r}")
            self._at = match.end()
            self._next_line += match[0].count("\n")
            self._kind, self._token = match.lastgroup or "", match[0]
            if self._kind != "skip":
                return

    def _shown(self) -> str:
        return self._token or "the end of the file"

    def _bad(self, what: str) -> BadConfig:
        return BadConfig(f"line {self._line}: {what}")


def _unknown(field: str, message: str, fields: dict[str, str]) -> str:
    return f"Triton has no field '{field}' in {message}; {instead(field, sorted(fields))}"


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xX":
            return chr(int(code[1:], 16))
        return chr(int(code, 8)) if code[0].isdigit() else _ESCAPES.get(code, code)

    return re.sub(r"\\([xX][0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", plain, text)


def _float(token: str) -> float | None:
    for text in (token, token.rstrip("fF")):
        with suppress(ValueError):
            return float("".join(text.split()))
    return None


@cache
def _schema() -> dict[str, Any]:
    """Messages as fields and their kinds, ``*`` for repeated ones; enums as their values."""
    text = (files(__package__) / "data" / "triton_schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema

"""A SavedModel's bytes against what TensorFlow's protocol buffers allow, and in the order of C++.

``data/saved_model_schema.json`` has the fields of every message that a SavedModel can hold, by
TensorFlow's own descriptors (``tools/saved_model_schema.py``). Read 2026-11-22: protobuf.dev,
"Encoding"; and what TensorFlow's fingerprints are made of, in ``fingerprint.py``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from sagemaker_serving.archive.protobuf import Malformed, varint

MOST_FIELDS = 5_000_000
"""Fields that are looked at, a few seconds' worth; more are `TooMany`."""


class TooMany(Exception):
    """There are more fields than anybody would wait for."""


def in_order(data: bytes) -> bytes:
    """``data``, a SavedModel, with the entries of each map in the order of their keys.

    That is how C++ writes it deterministically, and all that TensorFlow's own writers leave open:
    Python's sorts numbers, and keys of which one begins with the other, the other way round.
    Raises `Malformed` for what is no protocol buffer, `TooMany`.
    """
    return _Walk(data, strict=False).ordered()


def must_be_saved_model(data: bytes) -> None:
    """Raises `Malformed` where ``data`` is nothing that TensorFlow writes, `TooMany`.

    Wire types, lengths, text that is no UTF-8, truth values that are neither, fields that are
    there twice, and fields that do not exist, unless a TensorFlow wrote it that is newer than
    the schema.
    """
    _Walk(data, strict=True).ordered()


@dataclass(frozen=True, slots=True)
class _Field:
    kind: str
    repeated: bool
    is_map: bool
    inner: str | None
    """The message that it holds."""


class _Walk:
    """Goes through a message and everything in it; maps are sorted in place."""

    def __init__(self, data: bytes, *, strict: bool) -> None:
        self._data = bytearray(data)
        self._strict = strict
        self._left = MOST_FIELDS
        self._newer = False
        self._messages = _messages()
        self._wanted = None if strict else _with_maps()

    def ordered(self) -> bytes:
        try:
            self._message(0, len(self._data), "SavedModel")
        except (IndexError, RecursionError):
            raise Malformed("it ends too early, or has no end") from None
        return bytes(self._data)

    def _message(self, at: int, end: int, name: str) -> None:
        fields = self._messages[name]
        seen: set[int] = set()
        run, spans = 0, list[tuple[int, int]]()
        while at < end:
            self._left -= 1
            if self._left < 0:
                raise TooMany
            began = at
            key, at = varint(self._data, at)
            number, wire = key >> 3, key & 7
            field = fields.get(number)
            value = at
            if wire == 2:
                size, value = varint(self._data, at)
                at = value + size
            elif wire == 0:
                _, at = varint(self._data, at)
            elif wire in (1, 5):
                at += 8 if wire == 1 else 4
            else:
                raise Malformed(f"{name} has a field of the wire type {wire}")
            if at > end or number == 0:
                raise Malformed(f"a field of {name} ends after it")
            if number != run and spans:
                self._sort(spans, fields[run])
                spans = []
            if self._strict:
                self._judge(name, number, wire, value, at, field, seen)
            if field is None or field.inner is None or wire != 2:
                continue
            if self._wanted is None or field.inner in self._wanted:
                self._message(value, at, field.inner)
            if field.is_map:
                run = number
                spans.append((began, at))
        if spans:
            self._sort(spans, fields[run])

    def _sort(self, spans: list[tuple[int, int]], field: _Field) -> None:
        """Entries that stand one after another, in the order of their keys."""
        text = field.inner is not None and self._messages[field.inner][1].kind == "string"
        keyed = [(self._key(began, end, text=text), began, end) for began, end in spans]
        ordered = sorted(keyed)
        if ordered != keyed:
            whole = b"".join(bytes(self._data[began:end]) for _, began, end in ordered)
            self._data[spans[0][0] : spans[-1][1]] = whole

    def _key(self, at: int, end: int, *, text: bool) -> bytes | int:
        """The key of a map's entry: its field 1."""
        _, at = varint(self._data, at)
        _, at = varint(self._data, at)
        if at < end and self._data[at] >> 3 == 1:
            wire = self._data[at] & 7
            if wire == 2 and text:
                size, at = varint(self._data, at + 1)
                return bytes(self._data[at : at + size])
            if wire == 0 and not text:
                return varint(self._data, at + 1)[0]
            if wire == 1 and not text:
                return int.from_bytes(self._data[at + 1 : at + 9], "little")
        return b"" if text else 0

    def _judge(
        self,
        name: str,
        number: int,
        wire: int,
        value: int,
        end: int,
        field: _Field | None,
        seen: set[int],
    ) -> None:
        if field is None:
            if not self._newer:
                raise Malformed(f"{name} has a field {number}, which TensorFlow does not know")
            return
        if field.kind == "any":
            return
        if not field.repeated and number in seen:
            raise Malformed(f"{name} has its field {number} twice")
        seen.add(number)
        wanted = _WIRES.get(field.kind, 2)
        packed = wire == 2 and field.repeated and field.kind in _WIRES
        if wire != wanted and not packed:
            raise Malformed(f"field {number} of {name} has the wire type {wire}, not {wanted}")
        if field.kind == "string":
            self._text(value, end, name, number)
        elif field.kind == "bool" and any(byte > 1 for byte in self._data[value:end]):
            raise Malformed(f"field {number} of {name} is neither true nor false")
        elif packed and field.kind in _SIZES and (end - value) % _SIZES[field.kind]:
            raise Malformed(f"field {number} of {name} ends within a number")

    def _text(self, value: int, end: int, name: str, number: int) -> None:
        try:
            text = self._data[value:end].decode()
        except UnicodeDecodeError:
            raise Malformed(f"field {number} of {name} is no text: not UTF-8") from None
        if name == "MetaGraphDef.MetaInfoDef" and number == _WRITER:
            self._newer = _version(text) > _version(str(_schema()["tensorflow"]))


_WRITER = 5
"""MetaInfoDef.tensorflow_version."""

_WIRES = {"varint": 0, "bool": 0, "fixed64": 1, "fixed32": 5}
_SIZES = {"fixed64": 8, "fixed32": 4}


def _version(text: str) -> tuple[int, ...]:
    parts = text.split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else ()


@cache
def _messages() -> Mapping[str, Mapping[int, _Field]]:
    messages = _schema()["messages"]
    return {
        name: {int(number): _field(kind, messages) for number, kind in fields.items()}
        for name, fields in messages.items()
    }


def _field(kind: str, messages: Mapping[str, object]) -> _Field:
    plain = kind.lstrip("*%")
    return _Field(
        kind=plain,
        repeated=kind[:1] in ("*", "%"),
        is_map=kind.startswith("%"),
        inner=plain if plain in messages else None,
    )


@cache
def _with_maps() -> frozenset[str]:
    """The messages that have a map, or hold one that has."""
    messages = _messages()
    found: set[str] = {
        name for name, fields in messages.items() if any(f.is_map for f in fields.values())
    }
    while True:
        more = {
            name
            for name, fields in messages.items()
            if name not in found and any(f.inner in found for f in fields.values())
        }
        if not more:
            return frozenset(found)
        found |= more


@cache
def _schema() -> dict[str, Any]:
    """``tensorflow``, the version that it is of, and ``messages``: numbers and kinds of fields."""
    text = (files(__package__) / "data" / "saved_model_schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema

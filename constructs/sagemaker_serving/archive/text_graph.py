"""A frozen TensorFlow graph as text (``.pbtxt``), which ``tf.io.write_graph`` writes by default.

No more than 64 KiB of it are in memory, as its weights are text, too. Sources: protobuf.dev, "Text
Format Language Specification"; the fields' names as in ``frozen_graph``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePath

from sagemaker_serving.archive.frozen_graph import FrozenGraph, Node, graph_of
from sagemaker_serving.archive.protobuf import Malformed, Source
from sagemaker_serving.archive.saved_model import Tensor

_OTHERS = ("config.pbtxt", "saved_model.pbtxt")
_CHUNK = 1 << 16
_LONGEST_TEXT = 4096
_DEEPEST = 50


def may_be_text_graph(name: str) -> bool:
    """Whether a file of this name may be one: neither Triton's config nor a SavedModel."""
    path = PurePath(name)
    return path.suffix == ".pbtxt" and path.name not in _OTHERS


def begins_text_graph(head: bytes) -> bool:
    """Whether a file that begins with ``head`` is one; label maps and such have other fields."""
    return re.match(rb"(\s|#[^\n]*\n)*node\s*:?\s*[{<]", head) is not None


def read_text_graph(source: Source, size: int) -> FrozenGraph:
    """The graph in the ``size`` bytes of ``source``; raises `Malformed` for what is none."""
    return graph_of(_nodes(_fields(_tokens(source, size))))


_Field = tuple[str, str | None]
"""The names of the fields around a value with its own, dotted, and its text; None as one ends."""


def _nodes(fields: Iterator[_Field]) -> Iterator[Node]:
    node: dict[str, list[str]] = {}
    attribute: dict[str, list[str]] = {}
    dims: list[int | None] = []
    dtype, shape = "", None
    for place, text in fields:
        if not place.startswith(("node", "versions", "library")):
            raise Malformed("it is no graph")
        if text is not None:
            if place in ("node.name", "node.op", "node.input"):
                node.setdefault(place, []).append(text)
            elif place in _OF_AN_ATTRIBUTE:
                attribute.setdefault(place, []).append(text)
        elif place == "node.attr.value.shape.dim":
            dims.append(_size(attribute.pop(f"{place}.size", ["0"])))
        elif place == "node.attr":
            key = attribute.get("node.attr.key")
            if key == ["dtype"]:
                dtype = "".join(attribute.get("node.attr.value.type", []))
            elif key == ["shape"] and "node.attr.value.shape.unknown_rank" not in attribute:
                shape = tuple(dims)
            attribute, dims = {}, []
        elif place == "node":
            yield Node(
                name="".join(node.get("node.name", [])),
                operation="".join(node.get("node.op", [])),
                inputs=tuple(node.get("node.input", [])),
                tensor=Tensor(dtype=_dtype(dtype), shape=shape),
            )
            node, dtype, shape = {}, "", None


_OF_AN_ATTRIBUTE = {
    "node.attr.key",
    "node.attr.value.type",
    "node.attr.value.shape.unknown_rank",
    "node.attr.value.shape.dim.size",
}


def _size(given: list[str]) -> int | None:
    if not all(re.fullmatch(r"-?[0-9]{1,19}", text) for text in given):
        raise Malformed("a size in it is no number")
    return None if given == ["-1"] else int(given[-1])


def _dtype(name: str) -> str:
    """TensorFlow's name of a DataType: "float32" of DT_FLOAT."""
    plain = name.removeprefix("DT_").removesuffix("_REF").lower()
    return {"float": "float32", "double": "float64", "half": "float16", "": "unknown"}.get(
        plain, plain
    )


def _fields(tokens: Iterator[tuple[str, str]]) -> Iterator[_Field]:
    """Every value of a message's text, and the end of every message in it."""
    around: list[str] = []
    name, is_value, in_list = "", False, False
    for kind, text in tokens:
        if kind == "word" and not is_value:
            name = text
        elif kind in ("word", "string"):
            if is_value:  # else the text before goes on in a second literal
                yield ".".join([*around, name]), text
            is_value = in_list
        elif text in ":[":
            is_value, in_list = True, in_list or text == "["
        elif text in "{<":
            around.append(name)
            is_value = in_list = False
            if len(around) > _DEEPEST or not name:
                raise Malformed("it is no graph")
        elif text in "}>":
            if not around:
                raise Malformed("a block in it ends that has not begun")
            yield ".".join(around), None
            name = around.pop()
        else:
            is_value = in_list = False
    if around:
        raise Malformed("it ends too early")


_TOKEN = re.compile(
    rb"""(?:[\s,;]|\#[^\n]*(?:\n|$))++|(?P<sign>[{}<>\[\]:])|(?P<word>[-+.\w/]++)|(?P<string>["'])""",
    re.VERBOSE,
)
_INSIDE = {quote: re.compile(rb"(?:[^\\\n%b]++|\\[^\n])*+" % quote) for quote in (b'"', b"'")}


def _tokens(source: Source, size: int) -> Iterator[tuple[str, str]]:
    """Each with its kind: a sign, a word or a string, of which the first few thousand bytes."""
    buffer, at, left = b"", 0, size

    def read_on() -> bool:
        nonlocal buffer, at, left
        part = source.read(min(left, _CHUNK)) if len(buffer) - at < 2 * _CHUNK else b""
        buffer, at, left = buffer[at:] + part, 0, left - len(part)
        return bool(part)

    while True:
        token = _TOKEN.match(buffer, at)
        if (token is None or token.end() == len(buffer)) and read_on():
            continue
        if token is None:
            if at < len(buffer):
                raise Malformed(f"there is {buffer[at : at + 1]!r} in it")
            return
        at = token.end()
        if token.lastgroup == "string":
            text = b""
            while True:
                inside = _INSIDE[token[0]].match(buffer, at)
                assert inside is not None  # it matches nothing, too
                text, at = (text + inside[0])[:_LONGEST_TEXT], inside.end()
                if buffer[at : at + 1] == token[0]:
                    break
                if buffer[at : at + 1] == b"\n" or not read_on():
                    raise Malformed("a text in it has no end")
            at += 1
            yield "string", text.decode("utf-8", "replace")
        elif token.lastgroup is not None:
            yield token.lastgroup, token[0].decode("utf-8", "replace")

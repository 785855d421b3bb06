"""What TensorFlow refuses of a SavedModel's graph when it loads it, without TensorFlow.

Read 2026-11-22, TensorFlow 2.21: core/graph/graph_constructor.cc (names, missing inputs),
core/framework/node_def_util.cc (attributes that an operation does not have), python/framework/
ops.py (``_VALID_OP_NAME_REGEX``), core/framework/tensor.cc (content of another size).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import prod

from sagemaker_serving.archive.protobuf import Malformed, fields

_NAME = re.compile(r"[A-Za-z0-9._][A-Za-z0-9_.\\/>-]*")
_SIZES = {1: 4, 2: 8, 3: 4, 4: 1, 5: 2, 6: 1, 8: 8, 9: 8, 10: 1, 14: 2, 17: 2, 19: 2, 22: 4, 23: 8}
"""Bytes of an element by TensorFlow's DataType, where it has a fixed size."""


def must_be_loadable(saved_model: bytes) -> None:
    """Raises `Malformed` with what TensorFlow would refuse in ``saved_model``."""
    for meta_graph in _messages(saved_model, 2):
        _must_be_loadable(meta_graph)


def _must_be_loadable(meta_graph: bytes) -> None:
    ops = {
        _text(op, 1): {_text(attr, 1) for attr in _messages(op, 4)}
        for info in _messages(meta_graph, 1)
        for listed in _messages(info, 2)
        for op in _messages(listed, 1)
    }
    names: set[str] = set()
    for graph in _messages(meta_graph, 2):
        functions = [
            function for library in _messages(graph, 2) for function in _messages(library, 1)
        ]
        signatures = [next(_messages(function, 1), b"") for function in functions]
        names = _nodes(_messages(graph, 1), set(), ops)
        for function, signature in zip(functions, signatures, strict=True):
            arguments = {_text(argument, 1) for argument in _messages(signature, 2)}
            inner = _nodes(_messages(function, 3), arguments, ops)
            for entry in _messages(function, 4):
                _must_be_there(_text(entry, 2), inner, f"function {_text(signature, 1)!r} returns")
    for entry in _messages(meta_graph, 5):
        for signature in _messages(entry, 2):
            for tensor in (*_messages(signature, 1), *_messages(signature, 2)):
                for info in _messages(tensor, 2):
                    if _text(info, 1):
                        whose = f"signature {_text(entry, 1)!r} names"
                        _must_be_there(_text(info, 1), names, whose)


_Operations = Mapping[str, set[str]]
"""The operations that a SavedModel describes, each with its attributes; it need not have all."""


def _nodes(nodes: Iterator[bytes], arguments: set[str], ops: _Operations) -> set[str]:
    """The names of nodes and arguments, once everything about the nodes is right."""
    names, inputs = set(arguments), dict[str, str]()
    for node in nodes:
        name = _node(node, inputs, ops)
        if name in names:
            raise Malformed(f"there are two nodes {name!r}")
        names.add(name)
    for wanted, by in inputs.items():
        _must_be_there(wanted, names, f"node {by!r} takes")
    return names


def _node(node: bytes, inputs: dict[str, str], ops: _Operations) -> str:
    """A node's name; what it takes is added to ``inputs``."""
    name, op = _text(node, 1), _text(node, 2)
    if _NAME.fullmatch(name) is None:
        raise Malformed(f"{name!r} is no name of a node")
    for number, value in fields(node):
        if number == 3:
            inputs.setdefault(_decoded(value), name)
        if number != 5 or not isinstance(value, bytes):
            continue
        key = _text(value, 1)
        if not key.startswith("_") and op in ops and key not in ops[op]:
            raise Malformed(f"node {name!r} has {key!r}, which {op!r} does not have")
        for attribute in _messages(value, 2):
            for tensor in _messages(attribute, 8):
                _must_be_filled(tensor, name)
    return name


def _must_be_there(tensor: str, names: set[str], whose: str) -> None:
    if tensor.removeprefix("^").partition(":")[0] not in names:
        raise Malformed(f"{whose} {tensor!r}, which is not there")


def _must_be_filled(tensor: bytes, node: str) -> None:
    """A tensor's content has as many bytes as its shape says."""
    dtype, content, sizes = 0, b"", list[int]()
    for number, value in fields(tensor):
        if number == 1 and isinstance(value, int):
            dtype = value
        elif number == 2 and isinstance(value, bytes):
            sizes = [
                next((size for n, size in fields(dim) if n == 1 and isinstance(size, int)), 0)
                for dim in _messages(value, 2)
            ]
        elif number == 4 and isinstance(value, bytes):
            content = value
    if content and dtype in _SIZES and prod(sizes) * _SIZES[dtype] != len(content):
        raise Malformed(f"the value of {node!r} has {len(content)} bytes, not those of its shape")


def _messages(data: bytes, wanted: int) -> Iterator[bytes]:
    for number, value in fields(data):
        if number == wanted and isinstance(value, bytes):
            yield value


def _text(data: bytes, wanted: int) -> str:
    return next((_decoded(value) for number, value in fields(data) if number == wanted), "")


def _decoded(value: int | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

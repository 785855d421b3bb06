"""Predict requests of some size: JSON becomes arrays without a Python object for each number.

simdjson reads the body, and copies all numbers of a list, nested or not, into one buffer. What it
refuses, and what is not a regular list of numbers, is left to `predict`, which says what is wrong.
Its doubles are the nearest ones; see `rapidjson` for the last bit of more than 15 digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np
import simdjson

from sagemaker_serving.model_server.engine.documents import ZERO_WITH_EXPONENT
from sagemaker_serving.model_server.engine.predict import Inputs, Layout, Tensors
from sagemaker_serving.model_server.engine.tensors import Array, convert_numbers, read_as

LARGE_BYTES = 1024
"""From about here this way is the faster one."""

_Shape = tuple[int, ...]
_NUMBERS = {int, float}


class LargeBody:
    """A body that simdjson reads; a ValueError says that `predict` must look closer."""

    def __init__(self, body: bytes) -> None:
        if ZERO_WITH_EXPONENT.search(body):
            raise ValueError
        try:
            self._document: Any = simdjson.Parser().parse(body)
        except RuntimeError as error:
            raise ValueError from error
        if not isinstance(self._document, simdjson.Object):
            raise ValueError
        self._lists = body.count(b"[")

    def signature_name(self) -> str:
        """The request's ``signature_name``, "" when absent."""
        name = self._document.get("signature_name", "")
        if not isinstance(name, str):
            raise ValueError
        return name

    def tensors(self, inputs: Inputs) -> tuple[Layout, Tensors]:
        """What `predict_inputs` returns for the same document."""
        has_instances = "instances" in self._document
        if has_instances == ("inputs" in self._document):
            raise ValueError
        try:
            if has_instances:
                lists, tensors = _from_instances(self._document["instances"], inputs)
            else:
                lists, tensors = _from_columns(self._document["inputs"], inputs)
        except (TypeError, IndexError, KeyError, AttributeError) as error:
            # AttributeError: a string, which has a length as a list has one.
            raise ValueError from error
        if lists != self._lists:
            # A list among numbers: their count may be right by chance, not that of brackets.
            raise ValueError
        return Layout.ROW if has_instances else Layout.COLUMN, tensors


def _from_instances(instances: Any, inputs: Inputs) -> tuple[int, Tensors]:
    """How many lists there are in the request, and its tensors."""
    if not isinstance(instances[0], simdjson.Object):
        return _only(instances, inputs)
    first = {name: instances[0][name] for name in inputs}
    shapes = {
        name: () if type(value) in _NUMBERS else _shape(value) for name, value in first.items()
    }
    rows = [[row[name] for name in inputs] for row in instances if len(row) == len(inputs)]
    if len(rows) != len(instances):
        raise ValueError
    lists, tensors = 1, {}
    for (name, shape), column in zip(shapes.items(), zip(*rows, strict=True), strict=True):
        if not shape:
            tensors[name] = _numbers(column, inputs[name].dtype)
            continue
        for value in column:
            _must_have(value, shape)
        tensors[name] = _tensor(column, (len(rows), *shape), inputs[name].dtype)
        lists += len(rows) * _lists_in(shape)
    return lists, tensors


def _from_columns(value: Any, inputs: Inputs) -> tuple[int, Tensors]:
    if not isinstance(value, simdjson.Object):
        return _only(value, inputs)
    lists, tensors = 0, {}
    for name, info in inputs.items():
        shape = _shape(value[name])
        _must_have(value[name], shape)
        tensors[name] = _tensor([value[name]], shape, info.dtype)
        lists += _lists_in(shape)
    return lists, tensors


def _only(value: Any, inputs: Inputs) -> tuple[int, Tensors]:
    """The value of the only input."""
    ((name, info),) = inputs.items()
    shape = _shape(value)
    _must_have(value, shape)
    return _lists_in(shape), {name: _tensor([value], shape, info.dtype)}


def _shape(value: Any) -> _Shape:
    """The shape that the first elements suggest; TypeError for a plain number."""
    shape = [len(value)]
    while isinstance(value[0], simdjson.Array):
        value = value[0]
        shape.append(len(value))
    return tuple(shape)


def _must_have(value: Any, shape: _Shape) -> None:
    if len(value) != shape[0]:
        raise ValueError
    if len(shape) == 2:
        if {len(element) for element in value} != {shape[1]}:
            raise ValueError
    elif len(shape) > 2:
        for element in value:
            _must_have(element, shape[1:])


def _lists_in(shape: _Shape) -> int:
    return sum(prod(shape[:dimension]) for dimension in range(len(shape)))


def _numbers(values: Sequence[Any], dtype: str) -> Array:
    """A number of each row; ValueError for what is none, or not of the type."""
    code, number = read_as(dtype)
    if not {type(value) for value in values} <= (_NUMBERS if code == "d" else {int}):
        raise ValueError
    try:
        return convert_numbers(np.array(values, dtype=number), dtype)
    except OverflowError as error:
        raise ValueError from error


def _tensor(values: Iterable[Any], shape: _Shape, dtype: str) -> Array:
    code, number = read_as(dtype)
    parts = [np.frombuffer(value.as_buffer(of_type=code), dtype=number) for value in values]
    numbers = parts[0] if len(parts) == 1 else np.concatenate(parts)
    return convert_numbers(numbers, dtype).reshape(shape)

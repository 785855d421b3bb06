"""The inputs of a predict request: row format (``instances``) and column format (``inputs``)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any

import numpy as np

from sagemaker_serving.model_server.engine.documents import is_base64
from sagemaker_serving.model_server.engine.rapidjson import Repeated, members_of
from sagemaker_serving.model_server.engine.shown import shown
from sagemaker_serving.model_server.engine.signatures import TensorInfo
from sagemaker_serving.model_server.engine.status import StatusError, invalid
from sagemaker_serving.model_server.engine.tensors import (
    Array,
    dense,
    must_have_possible_rank,
    shape_text,
    walked,
)

Inputs = Mapping[str, TensorInfo]
Tensors = dict[str, Array]


class Layout(Enum):
    """How a request was laid out, which is how its answer will be."""

    ROW = "predictions"
    COLUMN = "outputs"


def predict_inputs(document: dict[str, Any], inputs: Inputs) -> tuple[Layout, Tensors]:
    """The tensors that ``document`` has for ``inputs``, by the name of the input.

    Exactly one of ``instances`` and ``inputs`` must be there; other keys are
    ignored. Shapes are not compared with the signature: that is the graph's to
    judge. Raises `StatusError` with TF Serving's code and text.
    """
    if "instances" in document and "inputs" in document:
        raise invalid(
            f"JSON Value: {shown(document)} Not formatted correctly expecting only"
            " one of 'inputs' or 'instances' keys to exist "
        )
    if "instances" in document:
        return Layout.ROW, _complete(_from_instances(document, inputs), inputs)
    if "inputs" in document:
        return Layout.COLUMN, _from_columns(document["inputs"], inputs)
    raise invalid("Missing 'inputs' or 'instances' key")


def _complete(tensors: Tensors, inputs: Inputs) -> Tensors:
    """``tensors``, once each input has one: a list of base64 objects names no input."""
    if inputs.keys() - tensors.keys():
        raise wrong_number_of_inputs(tensors.keys(), inputs.keys())
    return tensors


def wrong_number_of_inputs(given: Collection[str], wanted: Collection[str]) -> StatusError:
    """``servables/tensorflow/predict_util.cc``, VerifyRequestInputsSize."""
    extra, missing = set(given) - set(wanted), set(wanted) - set(given)
    names = [",".join(sorted(each)) for each in (given, wanted, extra, missing)]
    return invalid(
        f"input size does not match signature: {len(given)}!={len(wanted)} "
        f"len({{{names[0]}}}) != len({{{names[1]}}}). "
        f"Sent extra: {{{names[2]}}}. Missing but required: {{{names[3]}}}."
    )


def _from_instances(document: dict[str, Any], inputs: Inputs) -> Tensors:
    instances = document["instances"]
    if not isinstance(instances, list):
        raise invalid(f"JSON Value: {shown(document)} Expecting 'instances' to be an list/array")
    if not instances:
        raise invalid(f"JSON Value: {shown(document)} No values in 'instances' array")
    if not isinstance(instances[0], dict) and len(inputs) > 1:
        raise invalid(
            "instances is a plain list, but expecting list of objects as multiple "
            "input tensors required as per tensorinfo_map"
        )
    if _is_row(instances[0]):
        return _taken_whole(instances, inputs) or _row_by_row(instances, inputs)
    name = min(inputs)
    must_have_possible_rank(instances, name)
    array = dense(instances, inputs[name].dtype)
    return {name: _value_by_value(instances, inputs[name]) if array is None else array}


def _taken_whole(rows: list[Any], inputs: Inputs) -> Tensors | None:
    """The columns of well-formed rows, or None when a row needs a closer look."""
    names = inputs.keys()
    if not all(_is_row(row) and row.keys() == names for row in rows):
        return None
    if any(isinstance(row, Repeated) for row in rows):
        return None
    columns: Tensors = {}
    for name, info in inputs.items():
        values = [row[name] for row in rows]
        must_have_possible_rank(values, name)
        array = dense(values, info.dtype)
        if array is None:
            return None
        columns[name] = array
    return columns


def _row_by_row(rows: list[Any], inputs: Inputs) -> Tensors:
    columns = {name: _Column(info) for name, info in inputs.items()}
    for index, row in enumerate(rows):
        if not _is_row(row):
            raise invalid(f"Expecting object but got list at item {index} of input list")
        for name, value in members_of(row):
            _add(columns, name, value, f"element: {index} key: {name}")
        if row.keys() != inputs.keys():
            raise invalid(
                f"Failed to process element: {index} of 'instances' list. JSON object: "
                f"{shown(row)} keys must be equal to: {','.join(sorted(inputs))}"
            )
    return {name: column.stacked(len(rows)) for name, column in columns.items()}


def _value_by_value(values: list[Any], info: TensorInfo) -> Array:
    columns = {"": _Column(info)}
    for index, value in enumerate(values):
        if _is_row(value):
            raise invalid(f"Expecting value/list but got object at item {index} of input list")
        _add(columns, "", value, f"element: {index}")
    return columns[""].stacked(len(values))


class _Column:
    """One input's value in every instance: all of the first one's size and shape."""

    def __init__(self, info: TensorInfo) -> None:
        self.dtype = info.dtype
        self.arrays: list[Array] = []

    def add(self, value: object) -> None:
        array = walked(value, self.dtype)
        first = self.arrays[0] if self.arrays else array
        if array.size != first.size:
            raise invalid(f"Expecting tensor size: {first.size} but got: {array.size}")
        if array.shape != first.shape:
            raise invalid(f"Expecting shape {shape_text(first)} but got: {shape_text(array)}")
        self.arrays.append(array)

    def stacked(self, count: int) -> Array:
        # A key that is there twice in a row adds twice, and what is too much is dropped at the
        # end: its second value becomes the next row's, in TF Serving as here.
        return np.stack(self.arrays[:count])


def _add(columns: dict[str, _Column], name: str, value: object, place: str) -> None:
    try:
        if name not in columns:
            raise invalid(f"JSON object: does not have named input: {name}")
        columns[name].add(value)
    except StatusError as error:
        raise invalid(f"Failed to process {place} of 'instances' list. Error: {error}") from error


def _from_columns(value: Any, inputs: Inputs) -> Tensors:
    is_named = _is_row(value)
    if not is_named and len(inputs) > 1:
        raise invalid(
            "inputs is a plain value/list, but expecting an object as multiple "
            "input tensors required as per tensorinfo_map"
        )
    tensors: Tensors = {}
    for name, info in inputs.items():
        if is_named and name not in value:
            raise invalid(f"Missing named input: {name} in 'inputs' object.")
        own = value[name] if is_named else value
        must_have_possible_rank(own, name)
        array = dense(own, info.dtype)
        tensors[name] = walked(own, info.dtype) if array is None else array
    return tensors


def _is_row(value: object) -> bool:
    return isinstance(value, dict) and not is_base64(value)

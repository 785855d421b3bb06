"""What a ``.keras`` file takes and gives, from its ``config.json``, without Keras.

Source: keras 3.15, saving/saving_lib.py and the ``get_config`` of Sequential, Functional and
InputLayer; Keras 2.15 writes the same with ``batch_input_shape``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sagemaker_serving.archive.protobuf import Malformed, Source
from sagemaker_serving.archive.saved_model import Tensor
from sagemaker_serving.archive.zip_ends import read_zip


@dataclass(frozen=True, kw_only=True)
class KerasModel:
    """Inputs and outputs by the names of their layers; both empty for a class of one's own.

    An output is None where the file does not tell its shape.
    """

    inputs: dict[str, Tensor] = field(default_factory=dict)
    outputs: dict[str, Tensor | None] = field(default_factory=dict)


def read_keras(content: Source, size: int) -> KerasModel:
    """The model in the ``size`` bytes of ``content``; raises `Malformed` for what is none."""
    file = read_zip(content, size)
    text = None if file is None else file.read("config.json")
    if text is None:
        raise Malformed("there is no config.json in it")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed("its config.json is no JSON") from None
    config = _mapping(_mapping(told).get("config"))
    layers = {_name(layer): layer for layer in _mappings(config.get("layers"))}
    if _mapping(told).get("class_name") == "Sequential":
        inputs, outputs = list(layers)[:1], list(layers)[-1:]
    else:
        inputs = list(_ends(config.get("input_layers")))
        outputs = list(_ends(config.get("output_layers")))
    built = {"batch_shape": config.get("build_input_shape")}
    return KerasModel(
        inputs={name: _input(layers.get(name, {}), built) for name in inputs},
        outputs={name: _output(layers.get(name, {})) for name in outputs},
    )


def _input(layer: Mapping[str, Any], built: Mapping[str, Any]) -> Tensor:
    """What an InputLayer says, or the shape that a model without one was built with."""
    config = _mapping(layer.get("config"))
    shape = next(
        filter(
            None,
            (config.get("batch_shape"), config.get("batch_input_shape"), built["batch_shape"]),
        ),
        None,
    )
    dtype = config.get("dtype")
    return Tensor(dtype=dtype if isinstance(dtype, str) else "float32", shape=_shape(shape))


def _output(layer: Mapping[str, Any]) -> Tensor | None:
    """Of a Dense layer, which models mostly end with; others compute their shapes as they run."""
    shape = _shape(_mapping(layer.get("build_config")).get("input_shape"))
    units = _mapping(layer.get("config")).get("units")
    if layer.get("class_name") != "Dense" or not shape or not isinstance(units, int):
        return None
    return Tensor(dtype="float32", shape=(*shape[:-1], units))


def _ends(given: Any) -> Iterator[str]:
    """The layers' names in ``["x", 0, 0]``, or in a list or mapping of such."""
    parts = list(given.values()) if isinstance(given, Mapping) else given
    for part in [parts, *parts] if isinstance(parts, list) else ():
        if isinstance(part, list) and part and isinstance(part[0], str):
            yield part[0]


def _shape(given: Any) -> tuple[int | None, ...] | None:
    if not isinstance(given, list) or any(not isinstance(s, int | None) for s in given):
        return None
    return tuple(given)


def _name(layer: Mapping[str, Any]) -> str:
    return str(_mapping(layer.get("config")).get("name", layer.get("name", "")))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []

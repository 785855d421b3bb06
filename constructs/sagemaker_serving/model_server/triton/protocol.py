"""The v2 inference protocol: a request read and judged as Triton does, and its answer written.

Statuses and texts are those of the sources that the package names; where Triton quotes RapidJSON,
its words are unverified.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from sagemaker_serving.archive.triton import TensorConfig
from sagemaker_serving.model_server.triton.models import TYPES, OnnxRuntimeModel, TritonError

BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="
"""JSON of so many bytes, and after it the bytes of each tensor in order, little-endian."""


def infer(model: OnnxRuntimeModel, content_type: str | None, body: bytes) -> tuple[bytes, str]:
    """The answer to one request, and its content type; raises `TritonError`."""
    request = _read(body, header_size(content_type, len(body)), model.name)
    inputs = _Judge(request, model).arrays()
    configs = {io.name: io for io in model.config.outputs}
    wanted = request.outputs or dict.fromkeys(configs, request.is_binary)
    arrays = model.run(inputs, [configs[name] for name in wanted])
    outputs = [
        (configs[name], wanted[name], array) for name, array in zip(wanted, arrays, strict=True)
    ]
    return _written(model, request.id, outputs)


def header_size(content_type: str | None, length: int) -> int:
    """How much of a body is JSON: all, unless the content type is `BINARY` with a size."""
    before, found, text = (content_type or "").partition(BINARY)
    if not found:
        return length
    if before:
        raise TritonError(
            f"expect MIME type for binary data starts with '{BINARY}', got: {content_type}"
        )
    number = re.match(r"\s*[+-]?\d+", text)
    if number is None:
        raise TritonError(f"Unable to parse inference header size, got: {text}")
    if abs(size := int(number[0])) >= 1 << 31:
        raise TritonError(
            f"Unable to parse inference header size, value is out of range, got: {text}"
        )
    if not 0 <= size <= length:
        raise TritonError(f"inference header size should be in range (0, {length}), got: {text}")
    return size


@dataclass(frozen=True, kw_only=True)
class _Input:
    """``data`` is as the binary form has it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    data: bytes


@dataclass(frozen=True, kw_only=True)
class _Request:
    """``outputs`` are those that are asked for, and whether as bytes; empty: all."""

    id: str
    inputs: Sequence[_Input]
    outputs: Mapping[str, bool]
    is_binary: bool


def _read(body: bytes, size: int, model: str) -> _Request:
    if not size:
        raise TritonError("the local AWS takes no request without a JSON header", 501)
    try:
        document = json.loads(body[:size])
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", 0)
        text = f"failed to parse the request JSON buffer: Invalid value. at {at}"
        raise TritonError(text, 500) from None
    request_id = _member(document, "id", str) if _has(document, "id") else ""
    parameters = _parameters(document)
    is_binary = _flag(parameters, "binary_data_output")
    if any(name.startswith("triton_") for name in parameters):
        raise TritonError(
            "parameter keys starting with 'triton_' are reserved for Triton usage and should not "
            "be specified."
        )
    tail = _Tail(body[size:], model)
    inputs: dict[str, _Input] = {}
    for each in _member(document, "inputs", list):
        given = _input(each, tail)
        if given.name in inputs:
            raise TritonError(f"input '{given.name}' already exists in request")
        inputs[given.name] = given
    if tail.rest:
        raise TritonError(f"unexpected additional input data for model '{model}'")
    outputs = {}
    for each in _member(document, "outputs", list) if _has(document, "outputs") else []:
        own = _parameters(each)
        for missing in {"classification", "shared_memory_region"} & set(own):
            raise TritonError(f"the local AWS has no '{missing}' of outputs", 501)
        outputs[_member(each, "name", str)] = _flag(own, "binary_data")
    return _Request(id=request_id, inputs=[*inputs.values()], outputs=outputs, is_binary=is_binary)


class _Tail:
    """The bytes after the JSON, taken by one input after another."""

    def __init__(self, rest: bytes, model: str) -> None:
        self.rest, self._model = rest, model

    def take(self, name: str, size: int) -> bytes:
        taken, self.rest = self.rest[:size], self.rest[size:]
        if len(taken) < size:
            raise TritonError(
                f"unexpected size for input '{name}', expecting {size - len(taken)} additional "
                f"bytes for model '{self._model}'"
            )
        return taken


def _input(document: Any, tail: _Tail) -> _Input:
    parameters = _parameters(document)
    given = [each for each in ("binary_data_size", "shared_memory_region") if each in parameters]
    given = [*(["data"] if _has(document, "data") else []), *given]
    if len(given) != 1:
        named = "".join(f" '{each}'" for each in given)
        raise TritonError(
            "Input must set only one of the following fields: 'data', 'binary_data_size' in "
            "'parameters', 'shared_memory_region' in 'parameters'. But "
            + (f"set{named}" if given else "no field is set")
        )
    name = _member(document, "name", str)
    dtype = _member(document, "datatype", str)
    shape = tuple(_whole(each, "shape") for each in _member(document, "shape", list))
    if given == ["shared_memory_region"]:
        raise TritonError("the local AWS has no shared memory of inputs", 501)
    if given == ["binary_data_size"]:
        data = tail.take(name, _whole(parameters["binary_data_size"], "binary_data_size"))
    else:
        flat = [*_flat(_member(document, "data", list))]
        data = _serialized(name, dtype, math.prod(shape), flat)
    return _Input(name=name, dtype=dtype, shape=shape, data=data)


def _serialized(name: str, dtype: str, count: int, flat: list[Any]) -> bytes:
    """JSON's values as the bytes that the binary form has; what does not fit a type is cut."""
    if count == 0:
        return b""
    if dtype in ("FP16", "BF16"):
        raise TritonError(
            f"receiving {dtype} data via JSON is not supported. Please use the binary data format "
            f"for input {name}"
        )
    if dtype not in TYPES:
        raise TritonError(f"invalid datatype for input {name}")
    what = "JSON bytes array" if dtype == "BYTES" else "'data'"
    types, allowed, words = _JSON_TYPES[dtype.rstrip("0123456789")]
    if not {*map(type, flat)} <= types or (allowed and not all(each in allowed for each in flat)):
        raise TritonError(f"Unable to parse {what}: attempt to access JSON {words}", 500)
    if dtype == "BYTES":
        return _joined(flat)
    if len(flat) > count:
        raise TritonError(
            "Unable to parse 'data': Shape does not match true shape of 'data' field", 500
        )
    if len(flat) < count:
        raise TritonError("Failed to parse 'data' field: shape does not match true shape", 500)
    kind = numpy.dtype(TYPES[dtype])
    wide = {"f": "float64", "i": "int64", "u": "uint64", "b": "bool"}[kind.kind]
    with numpy.errstate(over="ignore"):
        return _bytes_of(numpy.array(flat, wide).astype(kind))


_JSON_TYPES: Mapping[str, tuple[set[type], range, str]] = {
    "BOOL": ({bool}, range(0), "non-boolean as boolean"),
    "FP": ({int, float}, range(0), "non-number as double"),
    "INT": ({int}, range(-(1 << 63), 1 << 63), "non-signed-integer as signed-integer"),
    "UINT": ({int}, range(1 << 64), "non-unsigned-integer as unsigned-integer"),
    "BYTES": ({str}, range(0), "non-string as string"),
}
"""What JSON may have for a type, in which range, and what Triton calls anything else."""


class _Judge:
    """Holds a request against the model's config, in Triton's order."""

    def __init__(self, request: _Request, model: OnnxRuntimeModel) -> None:
        self._request, self._model, self._config = request, model.name, model.config

    def arrays(self) -> dict[str, Any]:
        """The inputs; raises `TritonError` for the first that does not fit."""
        self._names()
        configs = {io.name: io for io in self._config.inputs}
        for io in self._request.inputs:
            if io.name not in configs:
                raise TritonError(
                    f"unexpected inference input '{io.name}' for model '{self._model}'"
                )
        if self._config.max_batch_size:
            self._batch()
        for io in self._request.inputs:
            self._tensor(io, configs[io.name])
        return {io.name: self._array(io) for io in self._request.inputs}

    def _refuse(self, text: str) -> TritonError:
        return TritonError(f"[request id: {self._request.id or '<id_unknown>'}] {text}")

    def _names(self) -> None:
        known = {io.name for io in self._config.outputs}
        for name in self._request.outputs:
            if name not in known:
                raise TritonError(f"unexpected inference output '{name}' for model '{self._model}'")
        given = [io.name for io in self._request.inputs]
        most = len(self._config.inputs)
        needed = [io.name for io in self._config.inputs if not io.optional]
        if len(needed) <= len(given) <= most:
            return
        counts = f"{most} inputs"
        if len(needed) != most:
            counts = f"number of inputs between {len(needed)} and {most}"
        missing = ",".join(f"'{each}'" for each in needed if each not in given)
        got = ",".join(f"'{each}'" for each in given)
        raise self._refuse(
            f"expected {counts} but got {len(given)} inputs for model '{self._model}'. Got "
            f"input(s) [{got}], but missing required input(s) [{missing}]. Please provide all "
            "required input(s)."
        )

    def _batch(self) -> None:
        size, most = 0, self._config.max_batch_size
        for io in self._request.inputs:
            if not io.shape:
                raise self._refuse(
                    f"input '{io.name}' has no shape but model requires batch dimension for "
                    f"'{self._model}'"
                )
            if size not in (0, io.shape[0]):
                raise self._refuse(
                    f"input '{io.name}' batch size does not match other inputs for '{self._model}'"
                )
            size = io.shape[0]
        if size > most:
            raise self._refuse(
                f"inference request batch-size must be <= {most} for '{self._model}'"
            )

    def _tensor(self, io: _Input, config: TensorConfig) -> None:
        if io.dtype != config.dtype:
            raise self._refuse(
                f"inference input '{io.name}' data-type is '{io.dtype}', but model '{self._model}' "
                f"expects '{config.dtype}'"
            )
        most = self._config.max_batch_size
        own = io.shape[1:] if most else io.shape
        if len(own) != len(config.dims) or any(
            size not in (-1, given) for size, given in zip(config.dims, own, strict=True)
        ):
            full = ",".join(map(str, (-1, *config.dims) if most else config.dims))
            raise self._refuse(
                f"unexpected shape for input '{io.name}' for model '{self._model}'. Expected "
                f"[{full}], got [{','.join(map(str, io.shape))}]. {_BATCH_NOTE if most else ''}"
            )

    def _array(self, io: _Input) -> Any:
        count = math.prod(io.shape)
        if io.dtype != "BYTES":
            kind = numpy.dtype(TYPES[io.dtype]).newbyteorder("<")
            if len(io.data) == count * kind.itemsize:
                return numpy.frombuffer(io.data, kind).reshape(io.shape)
            raise self._refuse(
                f"input byte size mismatch for input '{io.name}' for model '{self._model}'. "
                f"Expected {count * kind.itemsize}, got {len(io.data)}"
            )
        texts = [text.decode("utf-8", "replace") for text in _split(io.data)]
        place = f"inference input '{io.name}' for model '{self._model}'"
        if len(texts) > count:
            raise self._refuse(
                f"unexpected number of string elements {count + 1} for {place}, expecting {count}"
            )
        if len(texts) < count:
            raise self._refuse(f"expected {count} string elements for {place}, got {len(texts)}")
        return numpy.array(texts, object).reshape(io.shape)


_BATCH_NOTE = (
    "NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be "
    "prepended to each input shape. If you want to specify the full shape including the batch dim "
    "in your input dims config, try setting max_batch_size to zero. See the model configuration "
    "docs for more info on max_batch_size."
)


def _written(
    model: OnnxRuntimeModel, request_id: str, outputs: Sequence[tuple[TensorConfig, bool, Any]]
) -> tuple[bytes, str]:
    documents, tail = [], b""
    for io, is_binary, array in outputs:
        document: dict[str, Any] = {"name": io.name, "datatype": io.dtype, "shape": [*array.shape]}
        if is_binary:
            data = _bytes_of(array)
            document["parameters"] = {"binary_data_size": len(data)}
            tail += data
        elif io.dtype == "FP16":
            raise TritonError(
                "sending FP16 data via JSON is not supported. Please use the binary data format "
                "for output"
            )
        else:
            document["data"] = array.reshape(-1).tolist()
        documents.append(document)
    answer = {"id": request_id} if request_id else {}
    answer |= {"model_name": model.name, "model_version": str(model.version)}
    text = json.dumps({**answer, "outputs": documents}, separators=(",", ":")).encode()
    return text + tail, f"{BINARY}{len(text)}" if tail else "application/json"


def _bytes_of(array: Any) -> bytes:
    if array.dtype.kind == "O":
        return _joined(array.reshape(-1).tolist())
    data: bytes = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return data


def _joined(texts: Sequence[str]) -> bytes:
    encoded = [text.encode() for text in texts]
    return b"".join(len(each).to_bytes(4, "little") + each for each in encoded)


def _split(data: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "little")
        yield data[at + 4 : at + 4 + size]
        at += 4 + size


def _flat(data: Any) -> Iterator[Any]:
    """What lists in lists hold, without recursion: a request may nest them as deep as it likes."""
    waiting = [data]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(reversed(each))
        else:
            yield each


def _has(document: Any, name: str) -> bool:
    return isinstance(document, dict) and name in document


def _parameters(document: Any) -> Mapping[str, Any]:
    found = document["parameters"] if _has(document, "parameters") else {}
    return found if isinstance(found, dict) else {}


def _flag(parameters: Mapping[str, Any], name: str) -> bool:
    value = parameters.get(name, False)
    if not isinstance(value, bool):
        words = "attempt to access JSON non-boolean as boolean"
        raise TritonError(f"Unable to parse '{name}': {words}", 500)
    return value


def _member(document: Any, name: str, kind: type[str] | type[list[Any]]) -> Any:
    if not _has(document, name):
        words = f"attempt to access non-existing object member '{name}'"
    elif isinstance(document[name], kind):
        return document[name]
    else:
        word = "string" if kind is str else "array"
        words = f"attempt to access JSON non-{word} as {word}"
    raise TritonError(f"Unable to parse '{name}': {words}", 500)


def _whole(value: Any, what: str) -> int:
    if type(value) is int and value in range(1 << 64):
        return value
    words = "attempt to access JSON non-unsigned-integer as unsigned-integer"
    raise TritonError(f"Unable to parse '{what}': {words}", 500)

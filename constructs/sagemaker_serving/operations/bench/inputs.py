"""What is sent: files, or numbers that fit the model's signature."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.archive import ArchiveContents, Tensor, neo_inputs, read_stream
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.client.model_facts import signature_of
from sagemaker_serving.client.objects import open_object
from sagemaker_serving.client.payload.items import OCTET_STREAM, type_of
from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.operations.rollout.state import endpoint_state


@dataclass(frozen=True, kw_only=True)
class BenchInput:
    """One request's body; ``name`` is what a report calls it."""

    name: str
    body: bytes
    content_type: str


GENERATED = 8
"""How many inputs are made when none is given."""


def inputs_of(paths: Sequence[Path], content_type: str | None = None) -> list[BenchInput]:
    """A request for each file; of a folder, for each of its files, by name.

    The content type is told by the name's ending unless one is given. Raises `NotFound`
    for what is not there, and `Mistake` for an ending that tells nothing.
    """
    return [
        BenchInput(
            name=path.name,
            body=path.read_bytes(),
            content_type=content_type if content_type is not None else _content_type(path),
        )
        for path in _files(paths)
    ]


def generated_inputs(
    aws: Aws, endpoint: str, variant: str | None = None, *, count: int = GENERATED
) -> list[BenchInput]:
    """Random inputs, always the same, that fit the signature of an endpoint's SavedModel.

    One example each, in TensorFlow Serving's JSON. The archive is read whole, so the caller
    must be permitted to see the endpoint's model and to read its archive. Raises `Mistake`
    when the model's input cannot be told: it is no SavedModel, brings an ``inference.py`` of
    its own, takes text, or has sizes that are not fixed.
    """
    url = _archive_of(aws, endpoint, variant)
    with open_object(aws, url) as stream:
        return inputs_fitting(read_stream(stream, url), url, count=count)


def inputs_fitting(
    contents: ArchiveContents, place: str, *, count: int = GENERATED
) -> list[BenchInput]:
    """As `generated_inputs`, for an archive that was read; ``place`` is what messages call it."""
    if contents.script is not None:
        raise _cannot(f"{place} has an inference.py, and what that takes nobody can see")
    signature = signature_of(contents, None)
    known = signature.inputs if signature is not None else None
    inputs = neo_inputs(contents) if contents.converted else known
    if inputs is None:
        raise _cannot(f"{place} has no signature serving_default of one SavedModel")
    numbers = random.Random(0)
    return [
        BenchInput(
            name=f"random {number}",
            body=json.dumps({"instances": [_example(inputs, numbers)]}).encode(),
            content_type="application/json",
        )
        for number in range(count)
    ]


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(file for file in path.iterdir() if file.is_file())
        elif path.exists():
            yield path
        else:
            raise NotFound(f"{path} does not exist; give files to send, or a folder of them")


def _content_type(path: Path) -> str:
    content_type = type_of(path)
    if content_type == OCTET_STREAM:
        raise Mistake(f"{path}: what type it is does not follow from its name; give --content-type")
    return content_type


def _archive_of(aws: Aws, endpoint: str, variant: str | None) -> str:
    """Where the model of a variant, or of the first one, lies in S3."""
    client = aws.client("sagemaker")
    config = endpoint_state(client, endpoint).config
    with aws_failures():
        described = client.describe_endpoint_config(EndpointConfigName=config)
        variants = described["ProductionVariants"]
        chosen = next((v for v in variants if variant in (None, v["VariantName"])), variants[0])
        if "ModelName" not in chosen:
            raise _cannot(f"variant {chosen['VariantName']} has no model of its own")
        model = client.describe_model(ModelName=chosen["ModelName"])
    containers = model.get("Containers") or [model.get("PrimaryContainer") or {}]
    url = containers[0].get("ModelDataUrl")
    if url is None or not url.endswith(".tar.gz"):
        raise _cannot(f"model {chosen['ModelName']} names no model.tar.gz")
    return str(url)


def _example(inputs: Mapping[str, Tensor], numbers: random.Random) -> Any:
    """One example of all inputs; the first size is the batch's and is left out."""
    values = {name: _value(name, tensor, numbers) for name, tensor in inputs.items()}
    return next(iter(values.values())) if len(values) == 1 else values


def _value(name: str, tensor: Tensor, numbers: random.Random) -> Any:
    sizes = tensor.shape[1:] if tensor.shape else None
    if sizes is None or None in sizes:
        raise _cannot(f"the shape of input {name!r} is not fixed: {tensor.shape}")
    if tensor.dtype.startswith(("float", "bfloat", "double", "half")):
        return _filled([size for size in sizes if size is not None], numbers.random)
    if tensor.dtype.startswith(("int", "uint")):
        return _filled([size for size in sizes if size is not None], lambda: numbers.randrange(2))
    raise _cannot(f"input {name!r} takes {tensor.dtype}")


def _filled(sizes: Sequence[int], number: Any) -> Any:
    if not sizes:
        return number()
    return [_filled(sizes[1:], number) for _ in range(sizes[0])]


def _cannot(reason: str) -> Mistake:
    return Mistake(f"{reason}; give files to send with --input")

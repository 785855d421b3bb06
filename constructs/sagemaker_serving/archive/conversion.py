"""Keras models and frozen graphs into SavedModels, by TensorFlow in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata, util
from pathlib import Path

from local_aws.process import Tree
from sagemaker_serving.archive.frozen_graph import FrozenGraph, key_of, read_frozen_graph
from sagemaker_serving.archive.protobuf import Malformed
from sagemaker_serving.archive.refusals import UnreadableArtifact
from sagemaker_serving.archive.sources import Conversion, Sources, Tensors, plan
from sagemaker_serving.archive.text_graph import read_text_graph
from sagemaker_serving.archive.tree import SkippingFile
from sagemaker_serving.errors import Failure, Mistake

CONVERTER_VERSION = 2
"""Counts up whenever the converter would make another SavedModel of the same file."""

_LONGEST_SECONDS = 3600


def tensors_of(conversion: Conversion, asked: Tensors) -> Tensors:
    """The inputs and outputs that ``conversion`` will have; empty for Keras, which knows its own.

    Raises `Mistake` when they were not given and the graph leaves a choice.
    """
    if conversion.source.suffix not in (".pb", ".pbtxt"):
        return Tensors()
    if asked.inputs and asked.outputs:
        return asked
    graph = _graph(conversion.source)
    inputs = asked.inputs or (tuple(graph.inputs) if len(graph.inputs) == 1 else ())
    outputs = asked.outputs or (tuple(graph.outputs) if len(graph.outputs) == 1 else ())
    for option, chosen, offered in (
        ("--input", inputs, graph.inputs),
        ("--output", outputs, graph.outputs),
    ):
        if not chosen:
            raise Mistake(
                f"{conversion.source} is a frozen graph with "
                f"{len(offered) or 'no'} possible {option[2:]}s"
                f"{': ' + ', '.join(list(offered)[:12]) if offered else ''}; "
                f"say which: init takes {option} NAME, several times for several; so does "
                f"`sagemaker-serving package {conversion.source}`, whose archive you give then"
            )
    return Tensors(inputs=inputs, outputs=outputs)


def must_be_convertible(sources: Sources, asked: Tensors | None = None) -> None:
    """Raises `UnreadableArtifact` when ``sources`` cannot be converted with what is ``asked`` for.

    TensorFlow is missing, or the inputs and outputs of a frozen graph leave a choice.
    """
    try:
        converter()
        for conversion in plan(sources).conversions:
            tensors_of(conversion, asked or Tensors())
    except Mistake as error:
        raise UnreadableArtifact(str(error)) from None


def converter() -> str:
    """The converter and its version, as part of a converted model's identity.

    Raises `Mistake` when TensorFlow is not installed.
    """
    if util.find_spec("tensorflow") is None:
        raise Mistake(
            "converting a Keras model or a frozen graph needs TensorFlow; install the extra: "
            "pip install 'sagemaker-serving[tensorflow]'"
        )
    for name in ("tensorflow", "tensorflow-cpu"):
        try:
            return f"{CONVERTER_VERSION}, tensorflow {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return f"{CONVERTER_VERSION}, tensorflow"


def convert(wanted: Mapping[Conversion, Tensors], folder: Path) -> None:
    """Writes each SavedModel of ``wanted`` below ``folder``, under the conversion's name.

    Raises `Failure` with TensorFlow's own words when it cannot.
    """
    requests = [
        {
            "source": str(conversion.source.resolve()),
            "target": str(folder / conversion.name),
            "inputs": {key_of(name): name for name in tensors.inputs},
            "outputs": {key_of(name): name for name in tensors.outputs},
        }
        for conversion, tensors in wanted.items()
    ]
    names = ", ".join(str(conversion.source) for conversion in wanted)
    print(f"TensorFlow converts {names}; it takes some seconds", file=sys.stderr, flush=True)
    with Tree(
        [sys.executable, "-m", "sagemaker_serving.converter"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
    ) as converting:
        try:
            _, said = converting.process.communicate(json.dumps(requests), _LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(
                f"TensorFlow was still converting {names} after {_LONGEST_SECONDS} s"
            ) from None
        status = converting.process.returncode
    if status != 0:
        words = said.strip().splitlines() or [f"it ended with {status}"]
        raise Failure(f"TensorFlow cannot convert {names}: {words[-1]}")


def _graph(path: Path) -> FrozenGraph:
    try:
        with path.open("rb") as stream:
            read = read_text_graph if path.suffix == ".pbtxt" else read_frozen_graph
            return read(SkippingFile(stream), path.stat().st_size)
    except Malformed as error:
        raise Mistake(f"{path} is no TensorFlow graph: {error}") from None

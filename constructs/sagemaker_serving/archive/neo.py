"""What SageMaker Neo would find in a model: the files as they are, and the inputs they take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from sagemaker_serving.archive.contents import ArchiveContents
from sagemaker_serving.archive.frozen_graph import key_of
from sagemaker_serving.archive.saved_model import Tensor
from sagemaker_serving.archive.sources import Sources
from sagemaker_serving.archive.verdict import known_contents


def neo_contents(sources: Sources) -> ArchiveContents:
    """What the archive made of ``sources`` for Neo holds: a Keras model stays one.

    Raises what `known_contents` raises.
    """
    return known_contents(sources, convert=False)


NEO_FILES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "TENSORFLOW": {".pb or .pbtxt file": (".pb", ".pbtxt")},
    "KERAS": {".h5 file": (".h5",)},
    "PYTORCH": {".pt or .pth file": (".pt", ".pth")},
    "MXNET": {"-symbol.json file": ("-symbol.json",), ".params file": (".params",)},
    "ONNX": {".onnx file": (".onnx",)},
    "XGBOOST": {
        "model file (.model, .json, .ubj)": (".model", ".json", ".ubj", "xgboost-model"),
    },
}
"""By framework, in Neo's spelling, what it compiles exactly one of, and how their names end.

Source: AWS SageMaker developer guide, "Saving Models for SageMaker Neo" and "Troubleshoot Neo
Compilation Errors"; of XGBoost the artifact of AWS's own training image, too.
"""


def neo_files(framework: str, files: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """What Neo wants one of, in words, and the ``files`` of an archive that are such.

    Hidden files and the user's own below ``code/`` do not count. Nothing comes of a framework
    that is not known.
    """
    counted = [
        name
        for name in files
        if not PurePosixPath(name).name.startswith(".") and PurePosixPath(name).parts[0] != "code"
    ]
    for words, endings in NEO_FILES.get(framework, {}).items():
        yield words, [name for name in counted if name.lower().endswith(endings)]


def without_variables(files: Iterable[str]) -> str | None:
    """A SavedModel among ``files`` without a file in its ``variables/``, which Neo refuses."""
    folders = {str(PurePosixPath(name).parent) for name in files}
    for name in files:
        if name.startswith("code/"):
            continue
        path = PurePosixPath(name)
        if path.stem == "saved_model" and str(path.parent / "variables") not in folders:
            return name
    return None


def neo_inputs(contents: ArchiveContents) -> Mapping[str, Tensor] | None:
    """The inputs by name that the archive's only SavedModel takes, as far as that is clear.

    They are those of ``serving_default``, or of the only signature; None where there is no
    SavedModel, or more than one, or no such signature. A frozen graph with one placeholder tells
    what the SavedModel that it becomes will take.
    """
    graphs = [graph for graph in contents.graphs.values() if graph is not None]
    if contents.converted and len(graphs) == 1 and len(graphs[0].inputs) == 1:
        return {key_of(name): tensor for name, tensor in graphs[0].inputs.items()}
    models = [model for model in contents.saved_models.values() if model is not None]
    if len(models) != 1:
        return None
    signatures = models[0].signatures
    if "serving_default" in signatures:
        return signatures["serving_default"].inputs
    return next(iter(signatures.values())).inputs if len(signatures) == 1 else None


def fixed_shapes(
    inputs: Mapping[str, Tensor], batch_size: int | None
) -> dict[str, list[int]] | None:
    """The shapes that Neo is told: an open first dimension is ``batch_size``.

    None where another dimension is open, or the first one without a batch size, or nothing is
    known of a shape.
    """
    shapes = {}
    for name, tensor in inputs.items():
        if tensor.shape is None:
            return None
        first, *others = tensor.shape or (1,)
        sizes = [first if first is not None else batch_size, *others]
        fixed = [size for size in sizes if size is not None]
        if len(fixed) < len(sizes):
            return None
        shapes[name] = fixed if tensor.shape else []
    return shapes or None


def derived_input_config(
    contents: ArchiveContents, framework: str, batch_size: int | None
) -> str | None:
    """DataInputConfig as the model's own signature has it; None where that leaves it open.

    ``framework`` is Neo's name: only of TensorFlow's models the signature is read.
    """
    inputs = neo_inputs(contents) if framework == "TENSORFLOW" else None
    shapes = None if inputs is None else fixed_shapes(inputs, batch_size)
    return None if shapes is None else json.dumps(shapes, separators=(",", ":"))


def shown_inputs(inputs: Mapping[str, Tensor]) -> str:
    """Inputs as people read them: ``{images: [?, 8, 8, 1]}``."""
    parts = (f"{name}: {shown_shape(tensor.shape)}" for name, tensor in inputs.items())
    return f"{{{', '.join(parts)}}}"


def shown_shape(shape: tuple[int | None, ...] | None) -> str:
    """A shape with a question mark for every open dimension."""
    if shape is None:
        return "any shape"
    return f"[{', '.join('?' if size is None else str(size) for size in shape)}]"


def fits(shape: tuple[int | None, ...] | None, given: object) -> bool:
    """Whether ``given``, a list of whole numbers, is a case of ``shape``."""
    if shape is None:
        return True
    if not isinstance(given, list) or len(given) != len(shape):
        return False
    return all(size is None or size == number for size, number in zip(shape, given, strict=True))

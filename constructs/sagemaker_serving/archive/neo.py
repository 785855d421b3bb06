"""What SageMaker Neo would find in a model: the files as they are, and the inputs they take."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sagemaker_serving.archive.contents import ArchiveContents, contents_of
from sagemaker_serving.archive.saved_model import Tensor
from sagemaker_serving.archive.sources import Sources, plan
from sagemaker_serving.archive.verdict import known_contents


def neo_contents(sources: Sources) -> ArchiveContents:
    """What the archive made of ``sources`` for Neo holds: a frozen graph or an ``.h5`` stays one.

    Raises what `known_contents` raises.
    """
    if plan(sources).conversions:
        return contents_of(sources, convert=False)
    return known_contents(sources)


def neo_inputs(contents: ArchiveContents) -> Mapping[str, Tensor] | None:
    """The inputs by name that the archive's only SavedModel takes, as far as that is clear.

    They are those of ``serving_default``, or of the only signature; None where there is no
    SavedModel, or more than one, or no such signature.
    """
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

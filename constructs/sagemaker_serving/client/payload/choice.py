"""Which encoding data takes: the densest one that the model accepts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from sagemaker_serving.archive import Signature
from sagemaker_serving.client.payload.batch import Encoding
from sagemaker_serving.client.payload.images import CSV, JSON, JSON_LINES, NPY, Accepted
from sagemaker_serving.errors import Mistake

Kind = Literal["array", "records"]


@dataclass(frozen=True, kw_only=True)
class ModelFacts:
    """What is known of the model: what its container accepts, and its signature.

    ``signature`` is None when it is unknown; ``has_script`` is whether there is
    a ``code/inference.py``, which may take anything, None when that is unknown.
    """

    accepted: Accepted = field(default_factory=Accepted)
    signature: Signature | None = None
    has_script: bool | None = None

    @property
    def fixed_batch(self) -> int | None:
        """The one batch size that the model takes; None: any. Compiled models often have one.

        A script may do as it likes, so it is unknown where there is one.
        """
        if self.signature is None or self.has_script:
            return None
        firsts = {tensor.shape[0] for tensor in self.signature.inputs.values() if tensor.shape}
        return firsts.pop() if len(firsts) == 1 else None


ENCODINGS: dict[str, Encoding] = {
    NPY: "npy",
    JSON: "json",
    JSON_LINES: "jsonlines",
    "application/jsons": "jsonlines",
    CSV: "csv",
}
"""The encoding that a content type names; any other type is "raw"."""

CONTENT_TYPES: dict[Encoding, str] = {
    "npy": NPY,
    "json": JSON,
    "base64": JSON,
    "jsonlines": JSON_LINES,
    "csv": CSV,
}

_DENSEST_FIRST: dict[Kind, tuple[Encoding, ...]] = {
    "array": ("npy", "json", "jsonlines", "csv"),
    "records": ("json", "jsonlines", "csv"),
}
"""Of the texts JSON comes first: they differ by two bytes a row, and JSON says types and nests."""


def encoding_named(content_type: str) -> Encoding:
    """The encoding that ``content_type`` stands for; its parameters do not matter."""
    return ENCODINGS.get(content_type.partition(";")[0].strip().lower(), "raw")


def accepts(encoding: Encoding, model: ModelFacts) -> bool:
    """Whether the model is known to take ``encoding``."""
    return encoding in {encoding_named(told) for told in model.accepted.content_types}


def densest(kind: Kind, model: ModelFacts) -> Encoding:
    """The densest encoding for an array or a list of values; `Mistake` when none is accepted."""
    for encoding in _DENSEST_FIRST[kind]:
        if accepts(encoding, model):
            return encoding
    accepted = model.accepted
    what = "an array" if kind == "array" else "a list of values"
    raise Mistake(
        f"the model takes {', '.join(accepted.content_types)} ({accepted.by}), which {what} cannot "
        "be written as; give the data in another form, or content_types if the model takes more"
    )


def encoding_of_files(model: ModelFacts) -> Encoding:
    """Files and bytes go as they are; to a model without a script as base64, for its string input.

    Raises `Mistake` when such a model has another input: it takes no files.
    """
    if model.signature is None or model.has_script is not False or accepts("raw", model):
        return "raw"
    inputs = model.signature.inputs
    if [tensor.dtype for tensor in inputs.values()] == ["string"] and accepts("json", model):
        return "base64"
    told = ", ".join(f"{name} ({tensor.dtype})" for name, tensor in inputs.items())
    raise Mistake(
        f"the model has no inference.py, and its input {told} takes no files; decode images into "
        "an array first"
    )

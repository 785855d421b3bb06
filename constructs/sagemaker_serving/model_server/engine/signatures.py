"""What a SavedModel's signatures say, without TensorFlow's types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_SIGNATURE = "serving_default"


@dataclass(frozen=True, kw_only=True)
class TensorInfo:
    """An input or output of a signature."""

    tensor: str
    """Its name in the graph ("x:0")."""

    dtype: str
    """TensorFlow's name of the type ("DT_FLOAT")."""

    shape: tuple[int, ...] | None
    """Sizes, -1 where unknown; None when not even the rank is known."""


@dataclass(frozen=True, kw_only=True)
class Signature:
    """A callable entry of a SavedModel."""

    inputs: Mapping[str, TensorInfo]
    outputs: Mapping[str, TensorInfo]
    method_name: str

    text: str
    """The signature in protobuf's text form, for TF Serving's error messages."""

    definition: bytes = b""
    """The signature as a serialized SignatureDef, which gRPC answers and which has defaults."""

"""What proves that a SavedModel's bytes are as they were written: ``fingerprint.pb``.

TensorFlow writes it beside ``saved_model.pb`` since 2.12: FingerprintDef's saved_model_checksum is
FarmHash's Fingerprint64 of the SavedModel as C++ serializes it deterministically, and its
checkpoint_hash that of ``variables.index``. Read 2026-11-22: tensorflow/cc/saved_model/
fingerprinting.cc (kFingerprintProducer 1; 2.21 writes 4, whose checksums are made alike),
core/protobuf/fingerprint.proto, core/platform/fingerprint.h. The writers of TensorFlow 1
(``tf.compat.v1.saved_model.Builder``) leave none.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

from sagemaker_serving.archive.protobuf import Malformed, message
from sagemaker_serving.archive.tree import SkippingFile
from sagemaker_serving.archive.wire import in_order

LONGEST = 4096
"""Bytes; TensorFlow's have about a hundred."""

_OLDEST_PRODUCER = 1


@dataclass(frozen=True, kw_only=True)
class Fingerprint:
    """The checksums of ``saved_model.pb`` and of ``variables.index``, 0 when there is none.

    ``producer`` is the version of what made it; 0 hashed other bytes (TensorFlow 2.11).
    """

    saved_model: int
    index: int
    producer: int

    @property
    def is_known(self) -> bool:
        """Whether it is of a kind that can be compared."""
        return self.producer >= _OLDEST_PRODUCER


def read_fingerprint(data: bytes) -> Fingerprint:
    """The fingerprint in ``data``. Raises `Malformed` for what is none."""
    numbers: dict[int, int] = {}
    for number, value in message(SkippingFile(BytesIO(data)), len(data)):
        if number not in _FIELDS:
            raise Malformed(f"it has a field {number}")
        if isinstance(value, int) and number < _VERSION:
            numbers[number] = value
        elif not isinstance(value, int) and number == _VERSION:
            numbers[_VERSION] = next((n for _, n in value if isinstance(n, int)), 0)
        elif number < _UUID:
            raise Malformed(f"its field {number} is of another kind")
    return Fingerprint(
        saved_model=numbers.get(1, 0), index=numbers.get(5, 0), producer=numbers.get(_VERSION, 0)
    )


def is_of(checksum: int, saved_model: bytes) -> bool:
    """Whether ``saved_model`` has this saved_model_checksum. Raises what `in_order` raises."""
    return hash_of(saved_model) == checksum or hash_of(in_order(saved_model)) == checksum


def hash_of(data: bytes) -> int:
    """FarmHash's Fingerprint64."""
    from farmhash import Fingerprint64  # here, so that who looks at no SavedModel does not load it

    found: int = Fingerprint64(data)
    return found


_VERSION, _UUID = 6, 7
_FIELDS = range(1, _UUID + 1)

"""Arrays of any library, and the .npy format, without importing numpy.

Callers bring their arrays, and with them the library that made them. The
format is numpy's, version 1.0 and 2.0: numpy.org/doc/stable/reference/generated/
numpy.lib.format.html.
"""

from __future__ import annotations

import ast
import struct
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO, Protocol, TypeGuard

_MAGIC = b"\x93NUMPY"


class Dtype(Protocol):
    """What is needed of a numpy dtype."""

    @property
    def name(self) -> str:
        """Such as "float32"."""

    @property
    def kind(self) -> str:
        """One letter: f for floats, i and u for integers, b for booleans."""

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""


class Array(Protocol):
    """What is needed of a numpy array."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Its axes' lengths."""

    @property
    def dtype(self) -> Dtype:
        """Its elements' type."""

    def tolist(self) -> Any:
        """Nested lists of its elements."""

    def tobytes(self) -> bytes:
        """Its elements in C order."""

    def astype(self, dtype: str, /) -> Array:
        """A copy with elements of another type."""

    def __getitem__(self, key: Any, /) -> Any: ...
    def __len__(self) -> int: ...


def code_of(array: Array) -> str:
    """The dtype as files name it, such as ``<f4``."""
    return str(array.__array_interface__["typestr"])  # type: ignore[attr-defined]


def is_array(value: object) -> TypeGuard[Array]:
    """Whether ``value`` is a numpy array, or anything with the same interface."""
    return all(hasattr(value, name) for name in ("__array_interface__", "tobytes", "dtype"))


def as_array(value: object) -> Array | None:
    """``value`` as an array: arrays themselves, tensors, data frames; None for anything else.

    It may be of any dtype; see `writable`. What a tensor raises that cannot be read passes.
    """
    if isinstance(value, type):
        return None
    if not is_array(value) and hasattr(value, "__array__"):
        value = value.__array__()
    return value if is_array(value) else None


def npy_header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """What stands before the bytes of an array in C order; ``dtype`` is such as ``<f4``."""
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    fixed = len(_MAGIC) + 4
    padding = -(fixed + len(text) + 1) % 64
    header = text + " " * padding + "\n"
    return _MAGIC + b"\x01\x00" + struct.pack("<H", len(header)) + header.encode("latin-1")


@dataclass(frozen=True, kw_only=True)
class NpyLayout:
    """An array in a file: its dtype, its shape, and where its bytes begin, in C order."""

    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def row_bytes(self) -> int:
        """Bytes of one row: what one step along the first axis takes."""
        return int(self.dtype[2:]) * prod(self.shape[1:])


def read_npy_layout(file: BinaryIO) -> NpyLayout | None:
    """The layout of the .npy in ``file``; None unless its rows stand one after another.

    So it is None for Fortran order, for scalars, for objects and records, and
    for what is no .npy.
    """
    if file.read(len(_MAGIC)) != _MAGIC:
        return None
    version = file.read(2)
    length = struct.Struct("<H" if version == b"\x01\x00" else "<I")
    try:
        (size,) = length.unpack(file.read(length.size))
        told = ast.literal_eval(file.read(min(size, 1 << 16)).decode("latin-1"))
        dtype, shape, fortran = told["descr"], told["shape"], told["fortran_order"]
    except (struct.error, ValueError, SyntaxError, TypeError, KeyError):
        return None
    if fortran or not isinstance(dtype, str) or not dtype[2:].isdigit() or not shape:
        return None
    if dtype[1] not in "biufc":
        return None
    return NpyLayout(dtype=dtype, shape=tuple(shape), offset=file.tell())

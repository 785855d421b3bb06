"""What data is written as: the serializers of SageMaker SDK v2, byte for byte.

For code that was written for that SDK: the same names, arguments and bodies, so
that ``sagemaker.serializers`` becomes ``sagemaker_serving.client.serializers``.
numpy is imported by `NumpySerializer` alone; arrays, tensors and data frames are
taken by their interface. New code needs none of them: see `Predictor`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from sagemaker_serving.client.payload.arrays import is_array
from sagemaker_serving.client.payload.dtypes import must_be_text, values_of, writable
from sagemaker_serving.client.payload.value_rows import must_be_field
from sagemaker_serving.errors import Mistake


@runtime_checkable
class Serializer(Protocol):
    """Writes data for a request; any of SageMaker SDK v2's will do."""

    @property
    def CONTENT_TYPE(self) -> str:
        """The MIME type of what it writes."""

    def serialize(self, data: Any) -> Any:
        """``data`` as text, bytes, or a file of them."""


class SimpleBaseSerializer:
    """A serializer that calls what it writes ``content_type``."""

    def __init__(self, content_type: str = "application/json") -> None:
        self.content_type = content_type

    @property
    def CONTENT_TYPE(self) -> str:
        """The MIME type of what it writes."""
        return self.content_type


class JSONSerializer(SimpleBaseSerializer):
    """Values as JSON, arrays and the arrays of a dict as lists; files as they are."""

    def serialize(self, data: Any) -> Any:
        """``data`` as JSON text; raises TypeError for what JSON cannot say."""
        if isinstance(data, dict):
            return json.dumps({key: _plain(value) for key, value in data.items()})
        if hasattr(data, "read"):
            return data.read()
        return json.dumps(_plain(data))


class JSONLinesSerializer(SimpleBaseSerializer):
    """A JSON text on each line; strings and files as they are."""

    def __init__(self, content_type: str = "application/jsonlines") -> None:
        super().__init__(content_type)

    def serialize(self, data: Any) -> Any:
        """``data`` as lines of JSON; raises `Mistake` for what has no elements."""
        if isinstance(data, str):
            return data
        if hasattr(data, "read"):
            return data.read()
        if isinstance(data, Iterable):
            return "\n".join(json.dumps(element) for element in data)
        raise Mistake(f"a {type(data).__name__} has no elements to write as lines of JSON")


class CSVSerializer(SimpleBaseSerializer):
    """Rows as CSV, a flat list as one row; data frames as pandas writes them, files as they are."""

    def __init__(self, content_type: str = "text/csv") -> None:
        super().__init__(content_type)

    def serialize(self, data: Any) -> Any:
        """``data`` as CSV text without a last line end; raises `Mistake` for empty rows."""
        if hasattr(data, "read"):
            return data.read()
        if hasattr(data, "to_csv"):
            return data.to_csv(header=False, index=False)
        rows = hasattr(data, "__setitem__") and _is_sequence(data)
        if rows and len(data) > 0 and _is_sequence(data[0]):
            return "\n".join(self._row(row) for row in data)
        return self._row(data)

    def _row(self, row: Any) -> str:
        if isinstance(row, str):
            return row
        array = writable(row)
        if array is not None:
            must_be_text(array, "csv")
        fields = row.flatten() if hasattr(row, "flatten") else row
        for field in fields if array is None and hasattr(fields, "__len__") else ():
            must_be_field(field)
        if not hasattr(fields, "__len__"):
            raise Mistake(f"a {type(row).__name__} is no row of CSV")
        if len(fields) == 0:
            raise Mistake("there is an empty row, which CSV cannot hold")
        text = io.StringIO()
        csv.writer(text).writerow(fields)
        return text.getvalue().rstrip("\r\n")


class NumpySerializer(SimpleBaseSerializer):
    """Arrays and lists as .npy; needs numpy. Files hold a .npy already."""

    def __init__(self, dtype: Any = None, content_type: str = "application/x-npy") -> None:
        super().__init__(content_type)
        self.dtype = dtype

    def serialize(self, data: Any) -> Any:
        """``data`` as the bytes of a .npy; raises `Mistake` for an empty one."""
        if hasattr(data, "read") and not is_array(data):
            return data.read()
        import numpy

        if isinstance(data, list):
            data = numpy.array(data, self.dtype)
        elif not isinstance(data, numpy.ndarray):
            data = numpy.array(data)
        if data.size == 0:
            raise Mistake("the array is empty")
        if writable(data) is None:
            raise Mistake(
                f"the array has the dtype {data.dtype.name}, which a .npy holds as pickled "
                "objects, which are unsafe to load; use array.astype('float32') or "
                "array.astype('str')"
            )
        file = io.BytesIO()
        numpy.save(file, data)
        return file.getvalue()


class IdentitySerializer(SimpleBaseSerializer):
    """What it is given, as it is: bytes, or a file of them."""

    def __init__(self, content_type: str = "application/octet-stream") -> None:
        super().__init__(content_type)

    def serialize(self, data: Any) -> Any:
        """``data`` itself."""
        return data


class DataSerializer(SimpleBaseSerializer):
    """The bytes of the file that a string names, bytes, or either as ``{"data": …}``."""

    def __init__(self, content_type: str = "file-path/raw-bytes") -> None:
        super().__init__(content_type)

    def serialize(self, data: Any) -> bytes:
        """The file's bytes, or the bytes; raises `Mistake` for anything else."""
        if isinstance(data, bytes):
            return data
        if isinstance(data, dict) and "data" in data:
            return self.serialize(data["data"])
        if not isinstance(data, str):
            raise Mistake(f"a {type(data).__name__} is neither a file's path nor bytes")
        try:
            return Path(data).read_bytes()
        except OSError as error:
            raise Mistake(f"{data} cannot be read: {error.strerror}") from None


class StringSerializer(SimpleBaseSerializer):
    """A string as UTF-8."""

    def __init__(self, content_type: str = "text/plain") -> None:
        super().__init__(content_type)

    def serialize(self, data: Any) -> bytes:
        """The string's bytes; raises `Mistake` for anything else."""
        if not isinstance(data, str):
            raise Mistake(f"a {type(data).__name__} is no string")
        return data.encode()


class LibSVMSerializer(SimpleBaseSerializer):
    """Text that is LibSVM already, or a file of it."""

    def __init__(self, content_type: str = "text/libsvm") -> None:
        super().__init__(content_type)

    def serialize(self, data: Any) -> Any:
        """The text; raises `Mistake` for anything else."""
        if isinstance(data, str):
            return data
        if hasattr(data, "read"):
            return data.read()
        raise Mistake(f"a {type(data).__name__} is no LibSVM text")


def body_of(serialized: Any) -> bytes:
    """What a serializer gave, as bytes: text, bytes, or a file of them."""
    if hasattr(serialized, "read"):
        serialized = serialized.read()
    if isinstance(serialized, str):
        return serialized.encode()
    if isinstance(serialized, bytes | bytearray | memoryview):
        return bytes(serialized)
    raise Mistake(
        f"a {type(serialized).__name__} cannot be sent; give bytes, text or a file, or another "
        "serializer, such as JSONSerializer()"
    )


def _plain(value: Any) -> Any:
    """An array as nested lists. Raises `Mistake` for a dtype that JSON cannot say."""
    array = writable(value) if is_array(value) else None
    if array is not None:
        must_be_text(array, "json")
        return array.tolist()
    return values_of(value) if is_array(value) else value


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__iter__") and hasattr(value, "__getitem__")

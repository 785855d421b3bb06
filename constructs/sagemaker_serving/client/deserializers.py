"""What answers are read as: the deserializers of SageMaker SDK v2, with the same results.

``sagemaker.deserializers`` becomes ``sagemaker_serving.client.deserializers``;
see `sagemaker_serving.client.serializers`. numpy and pandas are imported by the
deserializers that are named for them.
"""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Protocol, runtime_checkable

from sagemaker_serving.errors import Failure


@runtime_checkable
class Deserializer(Protocol):
    """Reads an answer; any of SageMaker SDK v2's will do."""

    @property
    def ACCEPT(self) -> Any:
        """The MIME types that it reads, as a sequence."""

    def deserialize(self, stream: Any, content_type: str) -> Any:
        """The value of the answer in ``stream``, a file of bytes that it closes."""


class SimpleBaseDeserializer:
    """A deserializer that asks for ``accept``: a MIME type or several."""

    def __init__(self, accept: str | tuple[str, ...] = "*/*") -> None:
        self.accept = accept

    @property
    def ACCEPT(self) -> tuple[str, ...]:
        """The MIME types that it reads."""
        return (self.accept,) if isinstance(self.accept, str) else self.accept


class BytesDeserializer(SimpleBaseDeserializer):
    """The answer's bytes."""

    def deserialize(self, stream: Any, content_type: str) -> bytes:
        """All of them."""
        return _read(stream)


class StringDeserializer(SimpleBaseDeserializer):
    """The answer as text."""

    def __init__(
        self, encoding: str = "UTF-8", accept: str | tuple[str, ...] = "application/json"
    ) -> None:
        super().__init__(accept)
        self.encoding = encoding

    def deserialize(self, stream: Any, content_type: str) -> str:
        """The text."""
        return _read(stream).decode(self.encoding)


class JSONDeserializer(SimpleBaseDeserializer):
    """The value of a JSON answer."""

    def __init__(self, accept: str | tuple[str, ...] = "application/json") -> None:
        super().__init__(accept)

    def deserialize(self, stream: Any, content_type: str) -> Any:
        """The value; raises ValueError for what is no JSON."""
        return json.loads(_read(stream).decode())


class JSONLinesDeserializer(SimpleBaseDeserializer):
    """The values of an answer with JSON on each line."""

    def __init__(self, accept: str | tuple[str, ...] = "application/jsonlines") -> None:
        super().__init__(accept)

    def deserialize(self, stream: Any, content_type: str) -> list[Any]:
        """A value for each line."""
        return [json.loads(line) for line in _read(stream).decode().rstrip().split("\n")]


class CSVDeserializer(SimpleBaseDeserializer):
    """The rows of a CSV answer, as lists of strings."""

    def __init__(self, encoding: str = "utf-8", accept: str | tuple[str, ...] = "text/csv") -> None:
        super().__init__(accept)
        self.encoding = encoding

    def deserialize(self, stream: Any, content_type: str) -> list[list[str]]:
        """The rows."""
        return list(csv.reader(_read(stream).decode(self.encoding).splitlines()))


class NumpyDeserializer(SimpleBaseDeserializer):
    """An array from .npy, .npz, CSV or JSON; needs numpy."""

    def __init__(
        self,
        dtype: Any = None,
        accept: str | tuple[str, ...] = "application/x-npy",
        allow_pickle: bool = False,
    ) -> None:
        super().__init__(accept)
        self.dtype = dtype
        self.allow_pickle = allow_pickle

    def deserialize(self, stream: Any, content_type: str) -> Any:
        """The array; raises `Failure` for an answer of another type."""
        import numpy

        body = _read(stream)
        if content_type == "text/csv":
            text = io.StringIO(body.decode())
            return numpy.genfromtxt(text, delimiter=",", dtype=self.dtype)
        if content_type == "application/json":
            return numpy.array(json.loads(body), dtype=self.dtype)
        if content_type in ("application/x-npy", "application/x-npz"):
            return numpy.load(io.BytesIO(body), allow_pickle=self.allow_pickle)
        raise Failure(f"the answer is {content_type}, which NumpyDeserializer does not read")


class PandasDeserializer(SimpleBaseDeserializer):
    """A data frame from CSV or JSON; needs pandas, which this project does not bring."""

    def __init__(self, accept: str | tuple[str, ...] = ("text/csv", "application/json")) -> None:
        super().__init__(accept)

    def deserialize(self, stream: Any, content_type: str) -> Any:
        """The data frame; raises `Failure` for an answer of another type."""
        import pandas

        read = {"text/csv": pandas.read_csv, "application/json": pandas.read_json}
        if content_type not in read:
            raise Failure(f"the answer is {content_type}, which PandasDeserializer does not read")
        return read[content_type](io.BytesIO(_read(stream)))


class StreamDeserializer(SimpleBaseDeserializer):
    """The answer as a file, and its type; whoever asks closes it."""

    def deserialize(self, stream: Any, content_type: str) -> tuple[Any, str]:
        """The file and the type."""
        return stream, content_type


def _read(stream: Any) -> bytes:
    try:
        content: bytes = stream.read()
        return content
    finally:
        stream.close()

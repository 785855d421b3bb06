"""Lists of Python values as records, and documents that are one request."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

from sagemaker_serving.client.payload.batch import Batch, Encoding
from sagemaker_serving.client.payload.choice import ModelFacts
from sagemaker_serving.client.payload.dtypes import must_be_text, values_of, writable
from sagemaker_serving.client.payload.items import Items, read
from sagemaker_serving.client.payload.json_text import json_of
from sagemaker_serving.client.payload.rows import Frame, WrittenRows
from sagemaker_serving.errors import Mistake


def rows(values: Sequence[Any], encoding: Encoding, content_type: str, model: ModelFacts) -> Batch:
    """A record for each of ``values``, in ``encoding``; files among them are read for base64."""
    if encoding in ("json", "base64"):
        read_in = [read(value) if isinstance(value, Path) else value for value in values]
        return WrittenRows(
            rows=[json_of(value) for value in read_in], frame=json_frame(content_type, model)
        )
    write = {"jsonlines": json_of, "csv": csv_line}.get(encoding)
    if write is None:
        raise Mistake(f"a list of values cannot be sent as {content_type}; give bytes or an array")
    return WrittenRows(
        rows=[write(value) for value in values], frame=Frame(content_type=content_type)
    )


def under(key: str, values: Any, others: Mapping[Any, Any], content_type: str) -> Batch:
    """The records of ``{key: values, **others}``: each request carries ``others`` whole."""
    if not len(values):
        raise Mistake(f"there is nothing to send: {key!r} is empty")
    rest = json_of(dict(others))[1:-1]
    before = b"{" + (rest + b"," if rest else b"") + json.dumps(key).encode() + b":["
    frame = Frame(content_type=content_type, before=before, between=b",", after=b"]}")
    return WrittenRows(rows=[json_of(value) for value in values], frame=frame)


def document(value: Any, content_type: str) -> Batch:
    """``value`` as one JSON document in one request."""
    plain = dict(value) if isinstance(value, Mapping) else value
    return Items(items=[json_of(plain)], content_type=content_type, joining="one")


def json_frame(content_type: str, model: ModelFacts) -> Frame:
    """A JSON list of records in the form that the model's image reads."""
    if model.accepted.json_form == "list":
        return Frame(content_type=content_type, before=b"[", between=b",", after=b"]")
    return Frame(content_type=content_type, before=b'{"instances":[', between=b",", after=b"]}")


def csv_line(value: Any) -> bytes:
    """One record as a line of CSV, without its end. Raises `Mistake` for a line break within."""
    array = writable(value)
    if array is not None:
        must_be_text(array, "csv")
    plain = values_of(value) if array is None else array.tolist()
    fields = plain if isinstance(plain, list | tuple) else [plain]
    for field in fields:
        must_be_field(field)
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(fields)
    line = text.getvalue()
    if "\n" in line or "\r" in line:
        raise Mistake(f"a record has a line break, which would be read as two: {line[:60]!r}")
    return line.encode()


def must_be_field(field: Any) -> None:
    """Raises `Mistake` for what would be something else in CSV: bytes, lists, objects."""
    inner = None if isinstance(field, _FIELDS) else writable(field)
    if inner is not None:
        must_be_text(inner, "csv")
    if not isinstance(field, _FIELDS) and (inner is None or inner.shape):
        raise Mistake(
            f"CSV holds rows of numbers and strings; there is a {type(field).__name__} within a row"
        )


_FIELDS = str | int | float | Decimal | date | time | None

"""How many rows a request has, and whether its answer has as many.

A model that answers five rows to four records has mixed something up, and nobody can tell which
row belongs to which record. So an answer is held against its request wherever the rows of both
can be counted; where they cannot, nothing is claimed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from sagemaker_serving.client.payload.arrays import as_array
from sagemaker_serving.errors import Failure


def rows_in(body: bytes, content_type: str) -> int | None:
    """The rows of a request that somebody else wrote; None when it does not say.

    JSON says it by TensorFlow Serving's own keys, ``instances``, ``examples`` and ``inputs``,
    CSV and JSON Lines by their lines. Bare JSON lists and arrays may be one example or a batch,
    and ``inputs`` of Triton's protocol are tensors.
    """
    kind, _, parameters = content_type.partition(";")
    count = _COUNTS.get(kind.strip().lower())
    if count is None or parameters.strip().startswith("header"):
        return None
    try:
        return count(body)
    except (ValueError, RecursionError, csv.Error):
        return None


def must_have_rows(answer: Any, rows: int) -> None:
    """Raises `Failure`, with both numbers, when ``answer`` does not have ``rows`` rows.

    A list or an array has a row for each of its elements. An object has as many as its lists
    have, which must agree; what else stands in it is about all of them. One row may also stand by
    itself: a number, a text, an object without lists. Bytes are not looked into.
    """
    if isinstance(answer, bytes | bytearray):
        return
    counts = dict(counted(answer))
    wrong = {path: count for path, count in counts.items() if count != rows}
    if not wrong and (counts or rows == 1):
        return
    if not counts:
        told = "no rows, only one value," if rows > 1 else "no rows"
    else:
        path, count = next(iter(wrong.items()))
        told = f"{_number(count, 'row')}{f' in {path!r}' if path else ''}"
    raise Failure(
        f"the answer has {told} for {_number(rows, 'record')}, so they cannot be matched; "
        "correct the model's code to give a row for each record, or read the answer as it is with "
        "invoke()"
    )


def counted(answer: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Where there are rows in ``answer``, and how many."""
    if isinstance(answer, Mapping):
        for key, value in answer.items():
            yield from counted(value, f"{path}.{key}" if path else str(key))
    elif has_rows(answer):
        yield path, len(answer)


def has_rows(answer: Any) -> bool:
    """Whether ``answer`` itself is a list or an array of rows."""
    array = as_array(answer)
    return isinstance(answer, list) or (array is not None and bool(array.shape))


def _json(body: bytes) -> int | None:
    given = json.loads(body)
    if not isinstance(given, dict):
        return None
    for key in ("instances", "examples"):
        if key in given:
            return len(given[key]) if isinstance(given[key], list) else None
    inputs = given.get("inputs")
    if isinstance(inputs, list) and any(isinstance(e, dict) and "datatype" in e for e in inputs):
        return None  # tensors of the v2 protocol, each with rows of its own
    return _columns(inputs)


def _columns(inputs: Any) -> int | None:
    """Rows of the columnar form: each input is a tensor; those that are no scalars must agree."""
    tensors = list(inputs.values()) if isinstance(inputs, dict) else [inputs]
    lengths = {len(tensor) for tensor in tensors if isinstance(tensor, list)}
    return lengths.pop() if len(lengths) == 1 else None


def _lines(body: bytes) -> int:
    return sum(1 for line in body.splitlines() if line.strip())


def _csv(body: bytes) -> int:
    return sum(1 for row in csv.reader(io.StringIO(body.decode())) if row)


_COUNTS = {
    "application/json": _json,
    "application/jsonlines": _lines,
    "application/jsons": _lines,
    "text/csv": _csv,
}


def _number(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"

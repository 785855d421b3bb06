"""Handlers of the digits model: PNG images in, digits out; JSON passes through.

The SageMaker TensorFlow Serving container calls ``input_handler`` with each
request's body, posts what it returns to TensorFlow Serving, and gives the answer
to ``output_handler``. An exception here becomes status 500 with its message.
"""

from __future__ import annotations

import json
from typing import Any

# From lib/, which the container puts on the path; a model of a multi-model endpoint
# finds nothing that lies beside inference.py.
import png

SIDE = 8


def input_handler(data: Any, context: Any) -> bytes | str:
    """The body of the predict request that TensorFlow Serving is sent.

    ``data`` is the request's stream. Takes ``application/x-image`` (one PNG, bright
    ink on a dark ground, of any size) and ``application/json`` (as TensorFlow
    Serving's REST API has it: ``images`` float32 [batch, 8, 8, 1] in 0..1). Raises
    ValueError for other content types and for images that cannot be read.
    """
    content_type = _content_type(context)
    body: bytes = data.read()
    if content_type == "application/json":
        return body
    if content_type == "application/x-image":
        image = _fit(png.read_grey(body))
        return json.dumps({"instances": [[[[value / 255] for value in row] for row in image]]})
    raise ValueError(
        f"content type {content_type!r} is not supported; "
        "use application/x-image (a PNG image) or application/json"
    )


def output_handler(response: Any, context: Any) -> tuple[bytes | str, str]:
    """What the caller receives: body and content type.

    ``{"predictions": [{"class": 7, "probabilities": [...]}]}`` for an image,
    TensorFlow Serving's own answer for JSON. Raises ValueError with TensorFlow
    Serving's words when it refused the request.
    """
    if response.status_code != 200:
        raise ValueError(response.content.decode("utf-8", "replace"))
    if _content_type(context) == "application/json":
        return response.content, "application/json"
    predictions = [
        {"class": row["classes"], "probabilities": row["probabilities"]}
        for row in json.loads(response.content)["predictions"]
    ]
    return json.dumps({"predictions": predictions}), "application/json"


def _content_type(context: Any) -> str:
    """The request's content type without its parameters."""
    return (context.request_content_type or "").split(";")[0].strip().lower()


def _fit(image: list[list[int]]) -> list[list[float]]:
    """The image at 8x8: each new pixel is the mean of the area that it covers."""
    return _transposed(_resampled(_transposed(_resampled(image))))


def _resampled(rows: list[list[Any]]) -> list[list[float]]:
    """Each row as ``SIDE`` means over equal stretches of it."""
    # In units of 1/SIDE of a pixel: pixel j begins at SIDE * j, stretch i at width * i.
    width = len(rows[0])
    shares = [
        [
            (j, min(SIDE * (j + 1), width * (i + 1)) - max(SIDE * j, width * i))
            for j in range(width * i // SIDE, -(-width * (i + 1) // SIDE))
        ]
        for i in range(SIDE)
    ]
    return [[sum(row[j] * part for j, part in share) / width for share in shares] for row in rows]


def _transposed(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows as columns."""
    return [[row[i] for row in rows] for i in range(len(rows[0]))]

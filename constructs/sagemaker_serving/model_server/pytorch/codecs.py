"""The toolkit's content types: bodies to numpy arrays, predictions to bodies.

Source: sagemaker-inference 1.10.1, ``decoder.py``, ``encoder.py``, ``content_types.py``.
A content type is taken as it is written: ``application/json; charset=utf-8`` is none of these.
"""

from __future__ import annotations

import io
import json
from typing import Any

JSON, CSV, NPY, NPZ = "application/json", "text/csv", "application/x-npy", "application/x-npz"
ANY = "*/*"
TEXT_TYPES = (JSON, CSV)
"""What a function gets as text; all else comes as a bytearray."""

ENCODED_TYPES = (JSON, CSV, NPY)


class UnsupportedFormat(Exception):
    """A content type that the defaults do not know, in the toolkit's words."""

    def __init__(self, content_type: str | None) -> None:
        # The toolkit's own line breaks and blanks, which callers see.
        indent = " " * 12
        super().__init__(
            f"Content type {content_type} is not supported by this framework.\n\n"
            f"{indent}Please implement input_fn to to deserialize the request data or an "
            f"output_fn to\n"
            f"{indent}serialize the response. For more information, see the SageMaker Python SDK "
            "README."
        )


def decode(data: Any, content_type: str | None) -> Any:
    """A body as a numpy array, of .npz as a sparse matrix; raises `UnsupportedFormat`."""
    if content_type not in (*ENCODED_TYPES, NPZ):
        raise UnsupportedFormat(content_type)
    import numpy

    if content_type == JSON:
        return numpy.array(json.loads(data))
    if content_type == CSV:
        return numpy.genfromtxt(io.StringIO(data), dtype=None, delimiter=",")
    if content_type == NPY:
        # The image unpickles what is no array; code of a stranger's choice would run.
        return numpy.load(io.BytesIO(data), allow_pickle=False)
    import scipy.sparse

    return scipy.sparse.load_npz(io.BytesIO(data))


def encode(prediction: Any, accept: str) -> str | bytes:
    """A prediction as the first type of ``accept`` that is known; raises `UnsupportedFormat`."""
    for content_type in accept.replace(" ", "").split(","):
        if content_type in ENCODED_TYPES:
            return _encoded(prediction, content_type)
    raise UnsupportedFormat(accept)


def _encoded(prediction: Any, content_type: str) -> str | bytes:
    if content_type == JSON:
        return json.dumps(prediction, default=_listed)
    import numpy

    if content_type == CSV:
        text = io.StringIO()
        numpy.savetxt(text, prediction, delimiter=",", fmt="%s")
        return text.getvalue()
    content = io.BytesIO()
    numpy.save(content, prediction)
    return content.getvalue()


def _listed(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return json.JSONEncoder().default(value)

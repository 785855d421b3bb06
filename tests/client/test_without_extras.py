"""The base installation has neither numpy nor orjson: everything but arrays in answers works."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
sys.modules["numpy"] = sys.modules["orjson"] = None  # importing either raises ImportError

class Array:
    shape, __array_interface__ = (2, 2), {"typestr": "<f4"}
    class dtype:
        name, kind, itemsize = "float32", "f", 4
    def __getitem__(self, key): return self
    def tolist(self): return [[1.0, 2.0], [3.0, 4.0]]
    def tobytes(self): return bytes(16)

from sagemaker_serving.client.decoding import decoded
from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client.payload import ModelFacts, batch_of
from sagemaker_serving.client import Prediction, Predictor

for encoding in ("json", "npy"):
    (piece,) = batch_of(Array(), model=ModelFacts(), encoding=encoding).pieces(REAL_TIME)
    print(len(piece.body))
npy = Prediction(body=b"x", content_type="application/x-npy", variant="", seconds=0)
print(decoded(npy))
"""


def test_arrays_are_sent_and_what_needs_numpy_stays_bytes() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, check=False
    )
    assert ended.stderr == ""
    json_bytes = len('{"instances":[[1.0,2.0],[3.0,4.0]]}')
    assert ended.stdout.split() == [str(json_bytes), str(128 + 16), "b'x'"]

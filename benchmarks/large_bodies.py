"""A request of 100 MB, as JSON and as CSV, beside what else reads its JSON."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.figures import Figure, Ratio
from sagemaker_serving.model_server.process import ModelServer

ROWS, COLUMNS = 14_000, 784
SAVE = """
import sys
import tensorflow as tf

class RowSums(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32, name="x")])
    def __call__(self, x):
        return {"y": tf.reduce_sum(x, axis=1)}

model = RowSums()
tf.saved_model.save(model, sys.argv[1], signatures=model.__call__)
"""
"""A model whose answer is small, so that the request is what is measured."""
READ = """
import json, sys, time
import numpy as np
body = open(sys.argv[1], "rb").read()
began = time.perf_counter()
np.array(json.loads(body)["instances"], np.float32)
print(time.perf_counter() - began)
"""


def measure() -> Iterator[Figure | Ratio]:
    """Seconds and memory above idle of one request; json.loads with numpy in another process."""
    values = np.random.default_rng(0).random((ROWS, COLUMNS))
    rows = [",".join(f"{value:.6f}" for value in row) for row in values.tolist()]
    json_body = f'{{"instances": [[{"],[".join(rows)}]]}}'.encode()
    with tempfile.TemporaryDirectory() as folder:
        model, body = Path(folder, "sums", "1"), Path(folder, "body")
        subprocess.run([sys.executable, "-c", SAVE, model], check=True, capture_output=True)
        body.write_bytes(json_body)
        read = [sys.executable, "-c", READ, str(body)]
        peer = float(subprocess.run(read, check=True, capture_output=True, text=True).stdout)
        took, memory = _request(model.parent, json_body, "application/json")
        yield f"JSON of {len(json_body) / 1e6:.0f} MB", f"{took:.1f} s (wanted: 4 s)"
        yield "its memory above idle", f"{memory / 1e6:.0f} MB (wanted: 1,000 MB)"
        yield "json.loads and numpy alone", f"{peer:.1f} s"
        name = "the whole request beside json.loads and numpy"
        yield Ratio(name=name, value=took / peer, at_most=2, unit=" times")
        csv_body = "\n".join(rows).encode()
        took, memory = _request(model.parent, csv_body, "text/csv")
        yield f"CSV of {len(csv_body) / 1e6:.0f} MB", f"{took:.1f} s"
        yield "its memory above idle", f"{memory / 1e6:.0f} MB"


def _request(model: Path, body: bytes, content_type: str) -> tuple[float, int]:
    """Seconds and bytes of the server's memory above what it has idle, for one request."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "container.log")
        server = ModelServer.start(model, environment={}, log_path=log, port=0)
        try:
            server.wait_until_healthy(90)
            url = f"http://127.0.0.1:{server.place.port}/invocations"
            request = urllib.request.Request(url, body, {"Content-Type": content_type})
            idle, peak, ended = server.memory_bytes(), [0], threading.Event()
            watch = threading.Thread(target=_watch, args=(server, peak, ended))
            watch.start()
            began = time.perf_counter()
            urllib.request.urlopen(request).read()
            took = time.perf_counter() - began
            ended.set()
            watch.join()
            return took, peak[0] - idle
        finally:
            server.stop()


def _watch(server: ModelServer, peak: list[int], ended: threading.Event) -> None:
    while not ended.wait(0.05):
        peak[0] = max(peak[0], server.memory_bytes())

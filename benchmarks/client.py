"""256 images to an endpoint that takes 50 ms a request, and what each encoding costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from benchmarks.figures import Figure, Ratio
from sagemaker_serving.catalog.request_sizes import REAL_TIME
from sagemaker_serving.client import Aws, EndpointFacts, Limits, Model, Prediction, Predictor
from sagemaker_serving.client.payload import Encoding, ModelFacts, batch_of
from sagemaker_serving.client.serializers import JSONSerializer, NumpySerializer

IMAGES, SHAPE = 256, (224, 224, 3)
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
NPY = "application/x-npy"

ENDPOINT = """
import asyncio, ast, json, struct, sys
from aiohttp import web

async def answer(request):
    body = await request.read()
    began = asyncio.get_running_loop().time()
    (length,) = struct.unpack("<H", body[8:10])
    rows = ast.literal_eval(body[10 : 10 + length].decode())["shape"][0]
    told = {"predictions": [len(body)] * rows}
    await asyncio.sleep(0.05 - (asyncio.get_running_loop().time() - began))
    return web.json_response(told)

async def main():
    app = web.Application(client_max_size=1 << 30)
    app.router.add_post("/endpoints/e/invocations", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)

asyncio.run(main())
"""
"""A process of its own: it shares neither threads nor memory with what is measured."""


def measure() -> Iterator[Figure | Ratio]:
    """One after the other beside at once, the memory that takes, and encodings side by side."""
    images = _images()
    with _endpoint() as aws:
        yield from _batches(aws, images)
    yield from _encodings(images[:32])


def _batches(aws: Aws, images: Any) -> Iterator[Figure | Ratio]:
    told: list[Prediction] = []
    options: dict[str, Any] = {"facts": EndpointFacts(), "model": Model(content_types=[NPY])}
    single, one = Limits(concurrency=1, records_per_request=1), Limits(concurrency=1)
    with (
        Predictor("e", aws, limits=single, **options) as alone,
        Predictor("e", aws, limits=one, on_prediction=told.append, **options) as in_turn,
        Predictor("e", aws, limits=Limits(concurrency=8), **options) as at_once,
    ):
        one_by_one = _seconds(lambda: alone.predict(images))
        cut = _seconds(lambda: in_turn.predict(images))
        together = min(_seconds(lambda: at_once.predict(images)) for _ in range(3))
        memory = _peak(lambda: at_once.predict(images))
    yield f"{IMAGES} float32 images, one a request, one after the other", f"{one_by_one:.2f} s"
    yield f"the same in {len(told)} requests, one after the other", f"{cut:.2f} s"
    yield "the same requests, 8 at a time", f"{together:.2f} s"
    yield Ratio(
        name="times faster than one after the other", value=one_by_one / together, at_least=6
    )
    yield "times faster than the same requests in turn", f"{cut / together:.1f}"
    yield "the batch's own bytes", f"{images.nbytes / 1e6:.0f} MB"
    largest = max(one.request_bytes for one in told)
    # Eight on their way, one being made.
    yield Ratio(name="memory at most, in requests of 6 MB", value=memory / largest, at_most=12)
    yield "memory at most", f"{memory / 1e6:.0f} MB"


def _encodings(images: Any) -> Iterator[Figure]:
    bytes_of_pixels = ((images * DEVIATION + MEAN) * 255).astype("u1")
    table: list[tuple[str, Any, Callable[[Any], bytes]]] = [
        ("JSON, as SageMaker SDK v2", images[:4], lambda a: JSONSerializer().serialize(a).encode()),
        ("npy, as SageMaker SDK v2", images, NumpySerializer().serialize),
        ("JSON", images, _writer("json")),
        ("base64 in JSON", images, _writer("base64")),
        ("npy", images, _writer("npy")),
        ("npy of uint8", bytes_of_pixels, _writer("npy")),
    ]
    for name, data, write in table:
        write(data[:1])
        began = time.process_time()
        size = len(write(data)) / len(data)
        milliseconds = (time.process_time() - began) / len(data) * 1000
        fitting = int(REAL_TIME.split // size)
        figure = f"{milliseconds:.2f} ms, {size / 1e3:.0f} kB, {fitting} in 6 MB"
        yield f"{name}, an image", figure


def _writer(encoding: Encoding) -> Callable[[Any], bytes]:
    def write(array: Any) -> bytes:
        batch = batch_of(array, model=ModelFacts(), encoding=encoding)
        return b"".join(piece.body for piece in batch.pieces(REAL_TIME))

    return write


def _images() -> Any:
    """Pixels of eight bits, normalised as ImageNet's models take them."""
    pixels = numpy.random.default_rng(0).integers(0, 256, (IMAGES, *SHAPE))
    return ((pixels / 255 - MEAN) / DEVIATION).astype("f4")


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _peak(call: Callable[[], Any]) -> int:
    """The most bytes that Python held at once beside what it held before."""
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@contextmanager
def _endpoint() -> Iterator[Aws]:
    with subprocess.Popen(
        [sys.executable, "-c", ENDPOINT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        port = json.loads(process.stdout.readline())
        keys = {"access_key_id": "bench", "secret_access_key": "bench"}
        try:
            yield Aws(region="eu-west-1", endpoint_url=f"http://127.0.0.1:{port}", **keys)
        finally:
            process.kill()

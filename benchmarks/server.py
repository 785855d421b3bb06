"""The model server beside what it stands around, and beside BentoML with the same SavedModel."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.figures import Figure, Ratio
from sagemaker_serving.model_server.ports import listen
from sagemaker_serving.model_server.process import ModelServer
from tools.own_environments.environments import environment_of

ROOT = Path(__file__).parents[1]
HALF_PLUS_THREE = ROOT / "model_assets" / "half_plus_three" / "model"
DIGITS = ROOT / "model_assets" / "digits" / "model" / "digits"
BODY = json.dumps({"instances": [1.0, 2.0, 5.0]}).encode()
IMAGE = json.dumps({"instances": [[[[0.5]] * 8] * 8]}).encode()
SECONDS = 5.0
START_SECONDS = 90.0
BATCHING = {
    "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
    "SAGEMAKER_TFS_MAX_BATCH_SIZE": "32",
    "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "1000",
    "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "64",
}

BARE_ENGINE = f"""
import json, os, sys, time
began = time.perf_counter()
import tensorflow as tf
imported = time.perf_counter() - began
session = tf.compat.v1.Session(graph=tf.Graph())
with session.graph.as_default():
    loaded = tf.compat.v1.saved_model.load(session, ["serve"], sys.argv[1])
signature = loaded.signature_def["serving_default"]
(x,), (y,) = signature.inputs.values(), signature.outputs.values()
call = session.make_callable(y.name, [x.name])
seconds = []
end = time.perf_counter() + {SECONDS}
while time.perf_counter() < end:
    began = time.perf_counter()
    call([1.0, 2.0, 5.0])
    seconds.append(time.perf_counter() - began)
import psutil
memory = psutil.Process().memory_full_info().pss
print(json.dumps({{"import": imported, "seconds": seconds, "memory": memory}}))
"""


BENTOML_SERVICE = """
import os

import bentoml
import numpy as np


@bentoml.service(workers=1)
class HalfPlusThree:
    def __init__(self):
        import tensorflow as tf

        self._tf = tf
        self._model = tf.saved_model.load(os.environ["MODEL"])
        self._call = self._model.signatures["serving_default"]

    @bentoml.api(route="/invocations")
    def predict(self, instances: list[float]) -> dict[str, list[float]]:
        outputs = self._call(x=self._tf.constant(np.array(instances, np.float32)))
        return {"predictions": outputs["y"].numpy().tolist()}
"""
"""As BentoML's documentation serves a SavedModel: a class with one API."""


@dataclass(frozen=True, kw_only=True)
class _Bare:
    """TensorFlow alone, called in a loop."""

    import_seconds: float
    p50: float
    per_second: float
    memory: int


@dataclass(frozen=True, kw_only=True)
class _Served:
    """A server: its start, one connection, eight, and its memory."""

    start_seconds: float
    p50: float
    per_second: float
    memory: int


def measure() -> Iterator[Figure | Ratio]:
    """Latency, throughput, start and memory; what batching does to the digits model."""
    bare = _bare_engine()
    server = _measured(HALF_PLUS_THREE)
    bento = _bentoml()
    over = (server.p50 - bare.p50) * 1000
    yield "bare engine call, p50", f"{bare.p50 * 1000:.3f} ms"
    yield "/invocations, p50", f"{server.p50 * 1000:.2f} ms, {over:.2f} ms over the engine"
    yield "BentoML, p50", "not installed" if bento is None else f"{bento.p50 * 1000:.2f} ms"
    yield "bare engine in a loop", f"{bare.per_second:.0f} calls/s"
    yield "/invocations at 8 connections", f"{server.per_second:.0f} requests/s"
    if bento is not None:
        yield "BentoML at 8 connections", f"{bento.per_second:.0f} requests/s"
        times = server.per_second / bento.per_second
        yield Ratio(name="throughput beside BentoML's", value=times, at_least=1, unit=" times")
    yield "import tensorflow", f"{bare.import_seconds:.1f} s"
    start = server.start_seconds
    over = start - bare.import_seconds
    yield "start to the first /ping 200", f"{start:.1f} s, {over:+.1f} s over the import"
    if bento is not None:
        yield "BentoML's start", f"{bento.start_seconds:.1f} s"
    yield "memory of the bare engine", f"{bare.memory / 1e6:.0f} MB"
    yield "memory of the server", f"{server.memory / 1e6:.0f} MB"
    if bento is not None:
        yield "memory of BentoML", f"{bento.memory / 1e6:.0f} MB"
    (off, off_cost), (on, on_cost) = _digits({}), _digits(BATCHING)
    yield "digits, 32 connections, without batching", f"{off:.0f} requests/s"
    yield "digits, 32 connections, with batching", f"{on:.0f} requests/s"
    yield Ratio(
        name="processor time of its engine for a request, with batching",
        value=on_cost / off_cost,
        at_most=1,
        unit=" times that without",
    )


def _bare_engine() -> _Bare:
    model = HALF_PLUS_THREE / "half_plus_three" / "1"
    # As the server's engine does: TensorFlow imports Keras for its users' sake, if it can.
    code = f"import sys; sys.modules['keras'] = None\n{BARE_ENGINE}"
    ended = subprocess.run(
        [sys.executable, "-c", code, str(model)], capture_output=True, text=True, check=True
    )
    facts = json.loads(ended.stdout)
    return _Bare(
        import_seconds=facts["import"],
        p50=statistics.median(facts["seconds"]),
        per_second=len(facts["seconds"]) / SECONDS,
        memory=facts["memory"],
    )


def _measured(model: Path) -> _Served:
    with _model_server(model, {}) as (server, start_seconds):
        one = _load(_port(server), BODY, connections=1)
        eight = _load(_port(server), BODY, connections=8)
        return _Served(
            start_seconds=start_seconds,
            p50=statistics.median(one),
            per_second=len(eight) / SECONDS,
            memory=server.memory_bytes(),
        )


def _digits(environment: Mapping[str, str]) -> tuple[float, float]:
    """Requests a second, and the engine's own seconds for each."""
    with _model_server(DIGITS, environment) as (server, _):
        (engine,) = psutil.Process(server.pid).children()
        before = sum(engine.cpu_times()[:2])
        took = _load(_port(server), IMAGE, connections=32)
        spent = sum(engine.cpu_times()[:2]) - before
        return len(took) / SECONDS, spent / len(took)


@contextmanager
def _model_server(
    model: Path, environment: Mapping[str, str]
) -> Iterator[tuple[ModelServer, float]]:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        log_path = Path(folder, "container.log")
        server = ModelServer.start(model, environment=environment, log_path=log_path, port=0)
        try:
            server.wait_until_healthy(START_SECONDS)
            yield server, time.perf_counter() - began
        finally:
            server.stop()


def _bentoml() -> _Served | None:
    """BentoML in its own environment; None when that cannot be made."""
    try:
        environment = environment_of("bentoml")
    except subprocess.CalledProcessError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "service.py").write_text(BENTOML_SERVICE)
        return _bentoml_in(environment, folder)


def _bentoml_in(environment: Path, folder: str) -> _Served:
    with listen(0) as free:
        port = free.getsockname()[1]
    model = HALF_PLUS_THREE / "half_plus_three" / "1"
    began = time.perf_counter()
    serve = ["-m", "bentoml", "serve", "service:HalfPlusThree"]
    where = ["--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [str(environment / "bin" / "python"), *serve, *where],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(environment),
            "MODEL": str(model),
            "BENTOML_DO_NOT_TRACK": "True",
            "TF_CPP_MIN_LOG_LEVEL": "2",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _until_ready(f"http://127.0.0.1:{port}/readyz", process)
        start_seconds = time.perf_counter() - began
        one = _load(port, BODY, connections=1)
        eight = _load(port, BODY, connections=8)
        return _Served(
            start_seconds=start_seconds,
            p50=statistics.median(one),
            per_second=len(eight) / SECONDS,
            memory=_memory(process.pid),
        )
    finally:
        process.terminate()
        process.wait()


def _until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.perf_counter() + START_SECONDS
    while time.perf_counter() < end and process.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise RuntimeError("BentoML does not serve")


def _memory(pid: int) -> int:
    root = psutil.Process(pid)
    return sum(
        int(process.memory_full_info().pss) for process in [root, *root.children(recursive=True)]
    )


def _port(server: ModelServer) -> int:
    assert server.place.port is not None, "it is asked over TCP, as BentoML is"
    return server.place.port


def _load(port: int, body: bytes, *, connections: int) -> list[float]:
    """The seconds of each request, after a second that does not count."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(body)
        file.flush()
        for seconds in (1.0, SECONDS):
            ended = subprocess.run(
                [
                    *(sys.executable, str(Path(__file__).with_name("http_load.py")), str(port)),
                    *("/invocations", "application/json", str(connections), str(seconds)),
                    file.name,
                ],
                capture_output=True,
                text=True,
                check=True,
            )
    took: list[float] = json.loads(ended.stdout)
    return took

"""Simulated and measured: one local process at rising load, and fleets of stubs.

No fleet of real instances was measured: nothing here was on AWS.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.figures import Figure, Ratio
from sagemaker_serving.model_server.places import Place
from sagemaker_serving.model_server.process import ModelServer
from sagemaker_serving.operations.bench import BenchInput, load_for
from sagemaker_serving.operations.simulation import (
    FleetPlan,
    Level,
    ServerLimits,
    ServiceCurve,
    Setup,
    SimulationReport,
    Traffic,
    limits_of_variables,
    simulate,
    traffic_of,
)
from sagemaker_serving.operations.simulation.measuring import measured, variables_of
from sagemaker_serving.operations.tuning.server import sender

RUNS = 5
LOADS = (0.5, 0.8, 1.3)
"""As shares of the highest throughput that was measured just before."""

SECONDS = 6.0
LEVEL_SECONDS = 1.5
FLEET_SECONDS = 30.0
BLOCKS = {
    "batching": {
        "max_batch_size": 4,
        "batch_timeout_micros": 1000,
        "num_batch_threads": 1,
        "max_enqueued_batches": 4,
    },
}
SERVICE_SECONDS = 0.2
FLEETS = ((1, 0.7), (3, 0.7), (3, 0.9))
"""Instances, and the share of their time that is asked for."""

MODEL = """
import sys
import tensorflow as tf
from tensorflow.python.data.experimental.ops.testing import sleep

class Slow(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
    def __call__(self, x):
        steps = tf.data.Dataset.range(4 + tf.shape(x, tf.int64)[0]).apply(sleep(10_000))
        return {"y": x + tf.cast(steps.reduce(tf.constant(0, tf.int64), lambda a, b: a), x.dtype)}

model = Slow()
tf.saved_model.save(model, sys.argv[1] + "/slow/1", signatures=model.__call__)
"""
"""A model that waits 10 ms for each example and 40 more: whatever else the machine does, and by far
more than a server's own time."""

STUB = """
import asyncio, sys, time

async def main():
    free = 0.0

    async def serve(reader, writer):
        nonlocal free
        while (head := await reader.readline()) or not reader.at_eof():
            while head not in (b"\\r\\n", b""):
                head = await reader.readline()
            await reader.readexactly(2)
            now = time.perf_counter()
            free = max(free, now) + float(sys.argv[1])
            await asyncio.sleep(free - now)
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\n{}")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""
"""One worker that takes a known time for each request of two bytes, one after the other."""


@dataclass(frozen=True, kw_only=True)
class _Both:
    """A load, measured and simulated: seconds at the median, and shares that were refused."""

    measured_p50: float
    simulated_p50: float
    measured_refused: float
    simulated_refused: float

    @property
    def error(self) -> float:
        """Of the simulated p50, in percent."""
        return (self.simulated_p50 / self.measured_p50 - 1) * 100

    @property
    def points(self) -> float:
        """Of the refused share, in percentage points."""
        return (self.simulated_refused - self.measured_refused) * 100


def measure() -> Iterator[Figure | Ratio]:
    """One process, a model that batches and refuses; then fleets of stubs with one worker each."""
    runs = list(_one_process())
    for number, load in enumerate(LOADS):
        yield from _figures(f"one process at {load:.0%} of its best", [run[number] for run in runs])
    for (instances, busy), found in zip(FLEETS, _fleets(), strict=True):
        stubs = f"{instances} stub{'s' if instances > 1 else ''} of {SERVICE_SECONDS * 1000:g} ms"
        yield from _figures(f"{stubs}, {busy:.0%} busy", found)
    yield "a fleet of real instances", "not measured"


def _figures(name: str, runs: Sequence[_Both]) -> Iterator[Figure | Ratio]:
    errors, points = [run.error for run in runs], [run.points for run in runs]
    measured_p50 = statistics.median(run.measured_p50 for run in runs) * 1000
    simulated_p50 = statistics.median(run.simulated_p50 for run in runs) * 1000
    refused = [
        statistics.median(shares) * 100
        for shares in (
            [run.measured_refused for run in runs],
            [run.simulated_refused for run in runs],
        )
    ]
    yield (
        name,
        f"p50 {measured_p50:.1f} ms measured, {simulated_p50:.1f} simulated, "
        f"{min(errors):+.0f} to {max(errors):+.0f} %; refused {refused[0]:.1f} % measured, "
        f"{refused[1]:.1f} simulated, {min(points):+.1f} to {max(points):+.1f} points",
    )
    yield Ratio(
        name=f"{name}: p50, median error of {len(runs)} runs",
        value=abs(statistics.median(errors)),
        at_most=20,
        unit=" %",
    )
    yield Ratio(
        name=f"{name}: refused, median error of {len(runs)} runs",
        value=abs(statistics.median(points)),
        at_most=2,
        unit=" points",
    )


def _one_process() -> Iterator[list[_Both]]:
    """For each run its loads; the curve is measured anew in each, right before them."""
    variables = variables_of(BLOCKS)
    limits = limits_of_variables(variables, processors=os.cpu_count() or 1)
    body = json.dumps({"instances": [0.5]})
    inputs = [BenchInput(name="x", body=body.encode(), content_type="application/json")]
    with _server(variables) as place:
        assert place.port is not None
        for run in range(RUNS):
            curve = measured(
                lambda chosen, callers: load_for(
                    LEVEL_SECONDS, "", lambda: sender(place, chosen), callers=callers
                ),
                inputs,
                of="a model that waits",
                where="this machine",
                blocks=BLOCKS,
                limits=limits,
                most_callers=16,
            )
            both = []
            for load in LOADS:
                arrivals = _arrivals(load * curve.highest, seed=run)
                found = _asked(arrivals, [place.port] * len(arrivals), body)
                plan = FleetPlan(curve=curve, limits=limits, instances=1)
                both.append(_beside(found, _simulated(plan, arrivals, run)))
            yield both


def _fleets() -> list[list[_Both]]:
    """For each fleet its runs. All at the same time: stubs wait, and need no processor."""
    with ThreadPoolExecutor(len(FLEETS) * RUNS) as pool:
        runs = [
            [pool.submit(_stubs, *fleet, seed=seed) for seed in range(RUNS)] for fleet in FLEETS
        ]
        return [[each.result() for each in fleet] for fleet in runs]


def _stubs(instances: int, busy: float, *, seed: int) -> _Both:
    one = Level(callers=1, per_second=1 / SERVICE_SECONDS, quantiles=[SERVICE_SECONDS])
    curve = ServiceCurve(of="a stub", where="", measured="", levels=[one], workers=1)
    rate = busy * instances / SERVICE_SECONDS
    arrivals = _arrivals(rate, seed=seed, seconds=FLEET_SECONDS)
    with ExitStack() as stack:
        ports = [stack.enter_context(_stub()) for _ in range(instances)]
        random = Random(f"routing {seed}")
        found = _asked(arrivals, [random.choice(ports) for _ in arrivals], "{}")
    plan = FleetPlan(curve=curve, limits=ServerLimits(), instances=instances)
    return _beside(found, _simulated(plan, arrivals, seed))


def _beside(found: Sequence[tuple[int, float]], report: SimulationReport) -> _Both:
    p50 = report.percentile(50)
    assert p50 is not None
    return _Both(
        measured_p50=statistics.median(seconds for status, seconds in found if status == 200),
        simulated_p50=p50,
        measured_refused=sum(status == 503 for status, _ in found) / len(found),
        simulated_refused=report.refused / report.arrived,
    )


def _arrivals(per_second: float, *, seed: int, seconds: float = SECONDS) -> list[float]:
    return list(traffic_of(f"constant:{per_second:f}/{seconds}s").arrivals(Random(seed)))


def _simulated(plan: FleetPlan, arrivals: Sequence[float], seed: int) -> SimulationReport:
    traffic = Traffic(
        name="the same times",
        start=traffic_of("constant:1").start,
        seconds=max(arrivals),
        arrivals=lambda _: iter(arrivals),
    )
    return simulate(Setup(title="", plan=plan, instance_type=""), traffic, seed=seed)


def _asked(
    arrivals: Sequence[float], ports: Sequence[int], body: str
) -> Sequence[tuple[int, float]]:
    given = {
        "arrivals": arrivals,
        "ports": ports,
        "path": "/invocations",
        "content_type": "application/json",
        "body": body,
    }
    with tempfile.NamedTemporaryFile("w") as file:
        json.dump(given, file)
        file.flush()
        ended = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("open_load.py")), file.name],
            capture_output=True,
            text=True,
            check=True,
        )
    return [(status, seconds) for status, seconds in json.loads(ended.stdout)]


@contextmanager
def _server(variables: Mapping[str, str]) -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", MODEL, folder], capture_output=True, check=True)
        server = ModelServer.start(
            Path(folder), environment=variables, log_path=Path(folder, "container.log"), port=0
        )
        try:
            server.wait_until_healthy(120)
            yield server.place
        finally:
            server.stop()


@contextmanager
def _stub() -> Iterator[int]:
    process = subprocess.Popen(
        [sys.executable, "-c", STUB, str(SERVICE_SECONDS)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()

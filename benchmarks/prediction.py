"""Seconds until an endpoint is InService, and what a prediction costs on each layer."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.hosting import BODY, REGION, Hosting, model_files
from local_aws import daemon
from local_aws.credentials import Credentials
from local_aws.process.address import Address
from sagemaker_serving.client import Aws, Predictor

WARM_UP = 50
CALLS = 1000

BARE_SERVER = """
import socket
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    lines = connection.makefile("rb")
    while line := lines.readline():
        length = 0
        while line.strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
            line = lines.readline()
        lines.read(length)
        connection.sendall(
            b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n"
            b"Content-Length: 34\\r\\n\\r\\n{\\"predictions\\": [3.5, 4.0, 5.5]}  "
        )
"""


def measure() -> list[tuple[str, str]]:
    """p50 and p99 through the gateway; the model server alone is measured by ``server``.

    Beside them, of boto3 and a server that answers a constant: what no gateway could save.
    """
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        address = daemon.start(state, port=0, with_parent=True)
        try:
            aws = Aws.at(address, REGION)
            at_start = address.status()["memory_bytes"]
            idle = _settled_memory(address)
            in_service, next_in_service = _create_endpoints(Hosting(aws))
            predictor = Predictor("bench", aws)
            through_gateway = _timed(lambda: predictor.invoke(BODY))
            floor = _boto3_alone()
        finally:
            daemon.stop(state)
    return [
        ("CreateEndpoint to InService", f"{in_service:.1f} s"),
        ("the same of the next endpoint", f"{next_in_service:.2f} s"),
        ("local AWS, memory as it first answers", f"{at_start / 1e6:.0f} MB"),
        ("local AWS, idle memory", f"{idle / 1e6:.0f} MB"),
        *_percentiles("through the gateway, by boto3", through_gateway),
        *_percentiles("boto3 and a bare HTTP server", floor),
    ]


def _settled_memory(address: Address) -> int:
    """The memory once what every deploy asks for has been loaded in the background."""
    before, memory = 0, 1
    while memory > before:
        time.sleep(3.0)
        before, memory = memory, int(address.status()["memory_bytes"])
    return memory


def _create_endpoints(hosting: Hosting) -> list[float]:
    """Seconds until each of two is InService; the first one stays."""
    archive = hosting.put("model.tar.gz", model_files(nested=True))
    config = hosting.config("bench", archive)
    seconds = []
    for name in ("bench", "next"):
        began = time.perf_counter()
        hosting.sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=config)
        hosting.in_service(name)
        seconds.append(time.perf_counter() - began)
    hosting.sagemaker.delete_endpoint(EndpointName="next")
    return seconds


def _boto3_alone() -> list[float]:
    """A signed prediction by boto3, of a server that reads it and answers a constant."""
    server = subprocess.Popen([sys.executable, "-c", BARE_SERVER], stdout=subprocess.PIPE)
    assert server.stdout is not None
    try:
        address = Address(
            url=f"http://localhost:{int(server.stdout.readline())}",
            pid=server.pid,
            credentials=Credentials.made(),
        )
        predictor = Predictor("bench", Aws.at(address, REGION))
        return _timed(lambda: predictor.invoke(BODY))
    finally:
        server.kill()
        server.wait()


def _timed(call: Callable[[], object]) -> list[float]:
    seconds = []
    for _ in range(WARM_UP + CALLS):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return seconds[WARM_UP:]


def _percentiles(name: str, seconds: list[float]) -> list[tuple[str, str]]:
    cuts = statistics.quantiles(seconds, n=100)
    return [
        (f"{name}, p50", f"{cuts[49] * 1000:.2f} ms"),
        (f"{name}, p99", f"{cuts[98] * 1000:.2f} ms"),
    ]

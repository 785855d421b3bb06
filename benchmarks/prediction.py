"""Seconds until an endpoint is InService, and what a prediction costs on each layer."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from local_aws import daemon
from local_aws.credentials import Credentials
from local_aws.process.address import Address
from sagemaker_serving.archive import build_archive
from sagemaker_serving.catalog import container_image
from sagemaker_serving.client import Aws, Predictor
from sagemaker_serving.model_server.places import Place
from tools.roles import MODEL_POLICY, trust

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "model_assets" / "half_plus_three" / "model"
BODY = b'{"instances": [1.0, 2.0, 5.0]}'
REGION = "eu-west-1"
WARM_UP = 50
CALLS = 1000

BARE_ENGINE = f"""
import json, sys, time
import tensorflow as tf
began = time.perf_counter()
session = tf.compat.v1.Session(graph=tf.Graph())
with session.graph.as_default():
    loaded = tf.compat.v1.saved_model.load(session, ["serve"], sys.argv[1])
signature = loaded.signature_def["serving_default"]
(x,), (y,) = signature.inputs.values(), signature.outputs.values()
call = session.make_callable(y.name, [x.name])
seconds = []
for _ in range({WARM_UP} + {CALLS}):
    began = time.perf_counter()
    call([1.0, 2.0, 5.0])
    seconds.append(time.perf_counter() - began)
print(json.dumps(seconds[{WARM_UP}:]))
"""

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
    """p50 and p99 of the bare engine, of the model server alone, and through the gateway.

    Beside the last, of boto3 and a server that answers a constant: what no gateway could save.
    """
    bare = _bare_engine()
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        address = daemon.start(state, port=0, with_parent=True)
        try:
            aws = Aws.at(address, REGION)
            at_start = address.status()["memory_bytes"]
            idle = _settled_memory(address)
            in_service, next_in_service = _create_endpoints(aws, state)
            predictor = Predictor("bench", aws)
            through_gateway = _timed(lambda: predictor.invoke(BODY))
            server = _model_server_alone(Path(address.status()["processes"][0]["listens"]))
            floor = _boto3_alone()
        finally:
            daemon.stop(state)
    return [
        ("CreateEndpoint to InService", f"{in_service:.1f} s"),
        ("the same of the next endpoint", f"{next_in_service:.2f} s"),
        ("local AWS, memory as it first answers", f"{at_start / 1e6:.0f} MB"),
        ("local AWS, idle memory", f"{idle / 1e6:.0f} MB"),
        *_percentiles("bare engine call", bare),
        *_percentiles("model server, /invocations", server),
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


def _bare_engine() -> list[float]:
    ended = subprocess.run(
        [sys.executable, "-c", BARE_ENGINE, str(MODEL / "half_plus_three" / "1")],
        capture_output=True,
        text=True,
        check=True,
    )
    seconds: list[float] = json.loads(ended.stdout)
    return seconds


def _create_endpoints(aws: Aws, folder: Path) -> list[float]:
    """Seconds until each of two is InService; the first one stays."""
    archive = build_archive(MODEL, lambda sha256: folder / f"{sha256}.tar.gz")
    s3, sagemaker = aws.client("s3"), aws.client("sagemaker")
    s3.create_bucket(Bucket="models", CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.upload_file(str(archive.path), "models", "model.tar.gz")
    trusting = json.dumps(trust("sagemaker"))
    role = aws.client("iam").create_role(RoleName="bench", AssumeRolePolicyDocument=trusting)
    aws.client("iam").put_role_policy(
        RoleName="bench", PolicyName="model", PolicyDocument=json.dumps(MODEL_POLICY)
    )
    image = container_image(framework="tensorflow", version="2.20", region=REGION).uri
    sagemaker.create_model(
        ModelName="bench",
        ExecutionRoleArn=role["Role"]["Arn"],
        PrimaryContainer={"Image": image, "ModelDataUrl": "s3://models/model.tar.gz"},
    )
    variant = {
        "VariantName": "cpu",
        "ModelName": "bench",
        "InstanceType": "ml.c5.large",
        "InitialInstanceCount": 1,
    }
    sagemaker.create_endpoint_config(EndpointConfigName="bench", ProductionVariants=[variant])
    seconds = []
    for name in ("bench", "next"):
        began = time.perf_counter()
        sagemaker.create_endpoint(EndpointName=name, EndpointConfigName="bench")
        sagemaker.get_waiter("endpoint_in_service").wait(
            EndpointName=name, WaiterConfig={"Delay": 0.02, "MaxAttempts": 6000}
        )
        seconds.append(time.perf_counter() - began)
    sagemaker.delete_endpoint(EndpointName="next")
    return seconds


def _model_server_alone(socket_path: Path) -> list[float]:
    connection = Place(socket_path=socket_path).connection(10)

    def call() -> None:
        connection.request("POST", "/invocations", BODY, {"Content-Type": "application/json"})
        connection.getresponse().read()

    return _timed(call)


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

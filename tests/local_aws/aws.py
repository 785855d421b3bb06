"""What tests of the local AWS share: a stand-in model server, and a gateway through boto3.

The stand-in answers /ping and /invocations as a container does, without
TensorFlow, and without Python's HTTP server, whose import is half of a start.
What it does is set by the model's environment. Tests that are about real
predictions use the project's own server and are marked slow.
"""

from __future__ import annotations

import io
import json
import os
import random
import socket
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

import psutil

from local_aws.credentials import ACCOUNT_ID
from local_aws.gateway import Gateway
from local_aws.process.address import Address
from local_aws.protocol.call import Call
from local_aws.service import Service, output_of
from sagemaker_serving import client
from sagemaker_serving.errors import Failure
from sagemaker_serving.local_sagemaker import service as sagemaker
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.engines.launch import Launch
from sagemaker_serving.model_server.places import Place
from tests.leaving import lives

REGION = "eu-west-1"
IMAGE = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.19-cpu"

GATEWAYS: WeakSet[Gateway] = WeakSet()
"""Every gateway of this process's tests that is still held."""

STAND_IN = r"""
import itertools, json, os, socket, socketserver, sys, threading, time

threading.Thread(target=lambda: os._exit(sys.stdin.read() != ""), daemon=True).start()
print("stand-in: version", os.environ.get("VERSION"), flush=True)
if os.environ.get("EXIT_AT_START"):
    print("stand-in: the model is broken", flush=True)
    sys.exit(3)


models = {}
asked_in_all = itertools.count(1)
adapters = {}
sessions = {}
meeting = []
all_here = threading.Barrier(int(os.environ.get("TOGETHER", 1)))


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        self.close_connection = False
        while not self.close_connection and (line := self.rfile.readline()):
            method, self.path, _ = line.decode("latin-1").split()
            self.headers, self.given = {}, {}
            while header := self.rfile.readline().strip().decode("latin-1"):
                name, _, value = header.partition(":")
                self.headers[name] = self.given[name.lower()] = value.strip()
            self.close_connection = self.given.get("connection") == "close"
            getattr(self, f"do_{method}")()

    def do_GET(self):
        if self.path.startswith("/models/"):
            self.answer(200 if self.path.rpartition("/")[2] in models else 404, b"")
            return
        mute = os.path.exists(os.environ.get("UNHEALTHY_WHILE", ""))
        self.answer(503 if mute or os.environ.get("UNHEALTHY") else 200, b"")

    def do_POST(self):
        body = self.read_chunks() if "transfer-encoding" in self.given else self.rfile.read(
            int(self.given.get("content-length", 0))
        )
        time.sleep(float(os.environ.get("SLEEP", 0)))
        while os.path.exists(os.environ.get("HELD_WHILE", "")):
            time.sleep(0.02)
        if self.path == "/adapters":
            asked = json.loads(body)
            with open(os.path.join(asked["src"], "file"), "rb") as file:
                adapters[asked["name"]] = file.read()
            broken = adapters[asked["name"]] == b"broken"
            self.answer(400 if broken else 200, b"no adapter" if broken else b"")
            return
        if self.path.startswith("/models") and body != b"die":
            self.answer(*self.of_models(body))
            return
        if body.startswith(b"count"):
            print("counted:", body.decode(), flush=True)
        session = self.given.get("x-amzn-sagemaker-session-id")
        if session is not None:
            self.answer_in(session, body)
            return
        named = self.given.get("x-amzn-sagemaker-adapter-identifier")
        if body == b"adapters":
            self.answer(200, json.dumps(sorted(adapters)).encode())
        elif named is not None:
            self.answer(200, os.environ.get("VERSION", "").encode() + adapters[named])
        elif "FAILS" in os.environ and next(asked_in_all) % int(os.environ["FAILS"]) == 0:
            self.answer(500, b"broken each so many times")
        elif body == b"environment":
            self.answer(200, json.dumps(dict(os.environ)).encode(), "application/json")
        elif body == b"headers":
            self.answer(200, json.dumps(self.headers).encode(), "application/json")
        elif body == b"meet":
            self.answer(200, str(self.met()).encode())
        elif body == b"pid":
            self.answer(200, str(os.getpid()).encode())
        elif body == b"die":
            os._exit(1)
        elif body.startswith(b"stream "):
            self.stream(body.decode().split()[1:])
        elif b"refuse" in body:
            self.answer(400, b'{"error": "not a number"}')
        elif b"fail" in body:
            self.answer(500, b"broken")
        elif os.environ.get("APPEND"):
            self.answer(200, body + os.environ["APPEND"].encode(), "text/appended")
        elif os.environ.get("VERSION"):
            self.answer(200, os.environ["VERSION"].encode())
        else:
            self.answer(200, body[::-1], self.given.get("content-type", "text/plain"))

    def answer_in(self, session, body):
        # A session is a list of what was said in it.
        opened, closed = session == "NEW_SESSION", body == b"close"
        if opened:
            session = "session-" + str(len(sessions) + 1)
            sessions[session] = []
        said = sessions.pop(session, None) if closed else sessions.get(session)
        told = b",".join(said or []) if said is not None else b"no such session"
        headers = {"Content-Length": len(told)}
        if opened:
            end = "; Expires=2027-01-01T00:00:00Z"
            headers["X-Amzn-SageMaker-New-Session-Id"] = session + end
        if closed:
            headers["X-Amzn-SageMaker-Closed-Session-Id"] = session
        if said is not None and not opened:
            said.append(body)
        self.begin(404 if said is None else 200, headers)
        self.wfile.write(told)

    def met(self):
        # How many such requests there are at once, TOGETHER of them having come.
        meeting.append(self)
        all_here.wait()
        time.sleep(0.2)
        number = len(meeting)
        meeting.remove(self)
        return number

    def do_DELETE(self):
        kept = adapters if self.path.startswith("/adapters/") else models
        known = kept.pop(self.path.rpartition("/")[2], None)
        self.answer(404 if known is None else 200, b"")

    def of_models(self, body):
        if self.path == "/models":
            asked = json.loads(body)
            if len(models) >= int(os.environ.get("MAX_MODELS", 1000)):
                return 507, b"no room"
            with open(os.path.join(asked["url"], "file"), "rb") as file:
                models[asked["model_name"]] = file.read()
            return 200, b""
        name = self.path.split("/")[2]
        if body == b"lose":
            return 200, models.pop(name)
        return (200, models[name]) if name in models else (404, b"not loaded")

    def read_chunks(self):
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def stream(self, words):
        # Each word is a part of its own, but for those that say what happens next.
        self.begin(200, {"Content-Type": "text/words", "Transfer-Encoding": "chunked"})
        for word in words:
            if word == "HELD":
                while os.path.exists(os.environ["HELD_AT"]):
                    time.sleep(0.02)
            elif word == "BROKEN":
                self.close_connection = True
                return
            elif word == "ENDLESS":
                self.until_it_is_left()
                return
            else:
                self.chunk(word.encode())
        self.chunk(b"")

    def until_it_is_left(self):
        try:
            while True:
                self.chunk(b"on")
                time.sleep(0.02)
        except OSError:
            print("stand-in: the client has left", flush=True)
            self.close_connection = True

    def chunk(self, content):
        self.wfile.write(b"%x\r\n%b\r\n" % (len(content), content))

    def answer(self, status, body, content_type="text/plain"):
        headers = {"Content-Type": content_type, "Content-Length": len(body)}
        if attributes := self.given.get("x-amzn-sagemaker-custom-attributes"):
            headers["X-Amzn-SageMaker-Custom-Attributes"] = attributes
        self.begin(status, headers)
        self.wfile.write(body)

    def begin(self, status, headers):
        lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {headers[name]}" for name in headers)]
        self.wfile.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
server.daemon_threads = True
server.socket.close()
server.socket = socket.socket(fileno=int(sys.argv[1]))
server.serve_forever()
"""


class StandIn:
    """The model server's interface over the script above."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, log_path: Path) -> None:
        self._process = process
        self._log_path = log_path
        self.place = Place(port=port)
        self.pid = process.pid

    @classmethod
    def start(
        cls,
        model_dir: Path,
        *,
        environment: Mapping[str, str],
        log_path: Path,
        container_version: str | None = None,
        program: str = "tensorflow",
        command: str = "",
    ) -> StandIn:
        # The socket itself is handed over: a port that is only named may be another's by then.
        with socket.create_server(("127.0.0.1", 0)) as listener, log_path.open("ab") as log:
            port, number = listener.getsockname()[1], listener.fileno()
            process = subprocess.Popen(
                [sys.executable, "-S", "-E", "-c", STAND_IN, str(number)],
                pass_fds=[number],
                env={
                    **environment,
                    "CONTAINER_VERSION": container_version or "",
                    "CONTAINER_PROGRAM": program,
                },
                cwd=model_dir,
                stdin=subprocess.PIPE,  # it ends when this process does
                stdout=log,
                stderr=log,
            )
        return cls(process, port, log_path)

    def poll(self) -> int | None:
        return self._process.poll()

    def ping(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.place.url}/ping", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def wait_until_healthy(self, deadline_seconds: float) -> None:
        end = time.monotonic() + deadline_seconds
        while not self.ping():
            if self.poll() is not None or time.monotonic() > end:
                raise Failure("the stand-in is not healthy")
            time.sleep(0.02)

    def last_log_lines(self, count: int = 20) -> list[str]:
        return self._log_path.read_text().splitlines()[-count:]

    def stop(self, grace_seconds: float = 2.0) -> None:
        self._process.kill()
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    def memory_bytes(self) -> int:
        try:
            return int(psutil.Process(self.pid).memory_info().rss)
        except psutil.NoSuchProcess:
            return 0


def gateway_of(
    folder: Path,
    port: int = 0,
    *,
    launch: Launch | None = None,
    settings: Settings | None = None,
    region: str = REGION,
) -> Gateway:
    """A gateway with SageMaker; ``launch`` starts model servers, absent the project's own."""
    plugged = partial(sagemaker.services, launch=launch, settings=settings)
    scale = None if settings is None else settings.time_scale
    gateway = Gateway(folder, port, region=region, services=[plugged], time_scale=scale)
    GATEWAYS.add(gateway)
    return gateway


@contextmanager
def running(
    folder: Path,
    *,
    launch: Launch | None = None,
    settings: Settings | None = None,
    region: str = REGION,
) -> Iterator[Gateway]:
    """`gateway_of`, started here and stopped in the end."""
    gateway = gateway_of(folder, launch=launch, settings=settings, region=region)
    gateway.start()
    try:
        yield gateway
    finally:
        gateway.stop()


S = TypeVar("S", bound=Service)


def service_in(gateway: Gateway, kind: type[S]) -> S:
    """The gateway's service of this class."""
    found = gateway.service(kind.name)
    assert isinstance(found, kind)
    return found


class Aws:
    """A gateway and what tests do with it over and over, all through boto3."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.url = gateway.url
        self.sagemaker = self.client("sagemaker")
        self.runtime = self.client("sagemaker-runtime")
        self.s3 = self.client("s3")
        self.s3.create_bucket(
            Bucket="models", CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        self.s3.put_object(Bucket="models", Key="model.tar.gz", Body=archive({"file": b"x"}))
        self.role("model", "sagemaker")
        self.role("states", "states")

    def role(self, name: str, service: str, *statements: Mapping[str, Any]) -> str:
        """A role that a service may assume; it may do everything when no statements are given."""
        given = statements or ({"Effect": "Allow", "Action": "*", "Resource": "*"},)
        trust = {
            "Effect": "Allow",
            "Principal": {"Service": f"{service}.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
        iam = self.client("iam")
        role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=policy(trust))["Role"]
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*given))
        arn: str = role["Arn"]
        return arn

    def client(self, service: str, region: str = REGION) -> Any:
        return self.gateway.context.client(service, region)

    def model(self, name: str, environment: Mapping[str, str] | None = None, **more: Any) -> str:
        container = {
            "Image": IMAGE,
            "ModelDataUrl": "s3://models/model.tar.gz",
            "Environment": dict(environment or {}),
            **more,
        }
        self.sagemaker.create_model(
            ModelName=name,
            ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
            PrimaryContainer=container,
        )
        return name

    def config(self, name: str, variants: Mapping[str, str], **weights: float) -> str:
        """A config of variants by their models' names; weights by variant, 1 when absent."""
        self.sagemaker.create_endpoint_config(
            EndpointConfigName=name,
            ProductionVariants=[
                {
                    "VariantName": variant,
                    "ModelName": model,
                    "InstanceType": "ml.m5.large",
                    "InitialInstanceCount": 1,
                    "InitialVariantWeight": weights.get(variant, 1.0),
                }
                for variant, model in variants.items()
            ],
        )
        return name

    def endpoint(self, name: str, config: str) -> Any:
        self.sagemaker.create_endpoint(EndpointName=name, EndpointConfigName=config)
        return self.settled(name)

    def settled(self, name: str) -> Any:
        """The endpoint's description once it is no longer on its way."""

        def look() -> Any:
            described = self.sagemaker.describe_endpoint(EndpointName=name)
            return described if described["EndpointStatus"] in ("InService", "Failed") else None

        return eventually(look)

    def delete(self, name: str) -> None:
        self.sagemaker.delete_endpoint(EndpointName=name)
        eventually(lambda: name not in [found["name"] for found in self.status()["endpoints"]])

    def ask(self, endpoint: str, body: bytes, **more: Any) -> bytes:
        answer = self.runtime.invoke_endpoint(EndpointName=endpoint, Body=body, **more)
        content: bytes = answer["Body"].read()
        return content

    def status(self) -> Any:
        with self.page("/_local/status") as answer:
            return json.load(answer)

    def page(self, path: str, method: str = "GET", body: bytes | None = None) -> Any:
        """The answer of one of the local AWS's own pages."""
        return address_of(self.gateway).open(path, method, body)


@contextmanager
def stand_in_aws(folder: Path, settings: Settings | None = None) -> Iterator[Aws]:
    """A running gateway with stand-in model servers, stopped in the end."""
    with running(folder, launch=StandIn.start, settings=settings) as gateway:
        yield Aws(gateway)


def do(service: Service, operation: str, **parameters: Any) -> Any:
    """What a service answers to a call that came through no gateway."""
    call = Call(
        service=service.name,
        operation=operation,
        account=ACCOUNT_ID,
        region=REGION,
        parameters=parameters,
    )
    return output_of(service, call)


def address_of(gateway: Gateway) -> Address:
    """A gateway of this process, as users find one that runs."""
    return Address(url=gateway.url, pid=os.getpid(), credentials=gateway.context.credentials)


def client_of(gateway: Gateway) -> client.Aws:
    """It, as a user's program knows an AWS."""
    return client.Aws.at(address_of(gateway), REGION)


def keys_of(gateway: Gateway) -> dict[str, str]:
    """The developer's credentials as boto3's clients take them."""
    credentials = gateway.context.credentials
    return {
        "aws_access_key_id": credentials.access_key_id,
        "aws_secret_access_key": credentials.secret_access_key,
    }


def shell_of(gateway: Gateway) -> dict[str, str]:
    """The variables of a shell that is set up for it, beside the region."""
    credentials = gateway.context.credentials
    return {
        "AWS_ENDPOINT_URL": gateway.url,
        "AWS_ACCESS_KEY_ID": credentials.access_key_id,
        "AWS_SECRET_ACCESS_KEY": credentials.secret_access_key,
    }


def eventually(look: Callable[[], Any], seconds: float = 120.0) -> Any:
    """What ``look`` returns once it is true; fails when that takes too long.

    The longer it takes, the less often it looks: a look may be a call of the local AWS.
    """
    end, pause = time.monotonic() + seconds, 0.01
    while not (found := look()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(pause)
        pause = min(pause * 1.3, 0.1)
    return found


def lasting_port() -> int:
    """A free port for what starts at it again: below those that the kernel gives to anybody."""
    while True:
        port = random.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def policy(*statements: Mapping[str, Any]) -> str:
    """A policy document of these statements."""
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})


def archive(files: Mapping[str, bytes]) -> bytes:
    """A .tar.gz of files by name."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def children() -> set[int]:
    """The processes that this one has started and that still live."""
    return {each.pid for each in psutil.Process().children(recursive=True) if lives(each)}

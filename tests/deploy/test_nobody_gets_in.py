"""A page in a real browser, and another user of this machine, in front of a local AWS that runs."""

from __future__ import annotations

import http.client
import io
import json
import os
import shutil
import socket
import stat
import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import psutil
import pytest

from sagemaker_serving.catalog.images import container_image
from tests.deploy.conftest import REGION, Project
from tests.local_aws.aws import eventually
from tests.local_aws.functions import in_place
from tools.roles import trust

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

NOBODY = 65534
"""A user id that has nothing on any machine."""

STACK = {
    "Action": "CreateStack",
    "StackName": "intruder",
    "TemplateBody": json.dumps({"Resources": {"Q": {"Type": "AWS::SQS::Queue"}}}),
}


@pytest.fixture(scope="module")
def busy(project: Project) -> Project:
    """The project with a function that runs, and a multi-model server, beside its endpoint."""
    aws = project.aws
    roles = {
        service: aws.client("iam").create_role(
            RoleName=service, AssumeRolePolicyDocument=json.dumps(trust(service))
        )["Role"]["Arn"]
        for service in ("lambda", "sagemaker")
    }
    for name in roles:
        everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
        aws.client("iam").put_role_policy(
            RoleName=name,
            PolicyName="own",
            PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [everything]}),
        )
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.writestr("index.py", "def handler(event, context):\n    return event\n")
    functions = aws.client("lambda")
    functions.create_function(
        FunctionName="f",
        Role=roles["lambda"],
        Code={"ZipFile": zipped.getvalue()},
        Handler="index.handler",
        Runtime="python3.11",
    )
    in_place(functions, "f")
    functions.invoke(FunctionName="f", Payload=b"{}")
    (bucket, *_) = (each["Name"] for each in aws.client("s3").list_buckets()["Buckets"])
    aws.client("s3").put_object(Bucket=bucket, Key="many/none.tar.gz", Body=b"")
    sagemaker = aws.client("sagemaker")
    sagemaker.create_model(
        ModelName="many",
        ExecutionRoleArn=roles["sagemaker"],
        PrimaryContainer={
            "Image": container_image(framework="tensorflow", version="2.20", region=REGION).uri,
            "Mode": "MultiModel",
            "ModelDataUrl": f"s3://{bucket}/many/",
        },
    )
    variant = {
        "VariantName": "v",
        "ModelName": "many",
        "InstanceType": "ml.c5.large",
        "InitialInstanceCount": 1,
    }
    sagemaker.create_endpoint_config(EndpointConfigName="many", ProductionVariants=[variant])
    sagemaker.create_endpoint(EndpointName="many", EndpointConfigName="many")
    sagemaker.get_waiter("endpoint_in_service").wait(EndpointName="many", WaiterConfig={"Delay": 1})
    return project


def processes(project: Project) -> list[psutil.Process]:
    daemon = psutil.Process(project.address.pid)
    return [daemon, *daemon.children(recursive=True)]


def ports(project: Project) -> set[int]:
    """Every TCP port that a process of the local AWS listens on."""
    return {
        each.laddr.port
        for process in processes(project)
        for each in process.net_connections("inet")
        if each.status == psutil.CONN_LISTEN
    }


def sockets(project: Project) -> set[str]:
    """Every Unix socket with a name that one of them has."""
    return {
        str(each.laddr)
        for process in processes(project)
        for each in process.net_connections("unix")
        if each.laddr
    }


def gateway_port(project: Project) -> int:
    port = urlsplit(project.address.url).port
    assert port is not None
    return port


def made(project: Project) -> Any:
    """What an intruder could have made."""
    client = project.aws.client
    return (
        [each["StackName"] for each in client("cloudformation").describe_stacks()["Stacks"]],
        [each["Name"] for each in client("s3").list_buckets()["Buckets"]],
        [each["ModelName"] for each in client("sagemaker").list_models()["Models"]],
        client("sqs").list_queues().get("QueueUrls"),
        json.load(project.address.open("/_local/faults")),
        [each["name"] for each in project.status["endpoints"]],
    )


def test_one_port_is_the_gateways_and_the_others_only_predict(busy: Project) -> None:
    inner = ports(busy) - {gateway_port(busy)}
    assert inner, "the engine's REST port, for handlers"
    for port in inner:
        answers = {
            ask(port, method, path)[0]
            for method in ("GET", "POST", "PUT", "DELETE")
            for path in ("/models", "/v1/config", "/v1/models/x:load", "/ping", "/invocations")
        }
        assert answers <= {400, 404}
        assert ask(port, "GET", "/v1/models/half_plus_three")[0] == 200


def test_every_socket_lies_in_a_folder_of_this_users_own(busy: Project) -> None:
    found = sockets(busy)
    assert len(found) >= 4, "fronts, an engine's link, a worker, what loads models"
    for name in found:
        assert name.startswith("/"), "an abstract socket is open to everyone"
        folder = Path(name).parent.stat()
        assert (stat.S_IMODE(folder.st_mode), folder.st_uid) == (0o700, os.getuid())


def ask(
    port: int, method: str, target: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, target, body, dict(headers or {}))
    answer = connection.getresponse()
    return answer.status, answer.read()


def as_another_user(attempt: Callable[[], Any]) -> Any:
    """What ``attempt`` returns, as JSON, in a process of a user who has nothing."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
            os.write(writing, json.dumps(attempt()).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        said = answer.read()
    assert os.waitpid(pid, 0)[1] == 0
    return json.loads(said)


def outcome(attempt: Callable[..., Any], *arguments: Any) -> str:
    try:
        return f"done: {attempt(*arguments)!r:.200}"
    except OSError as error:
        return type(error).__name__


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_another_user_of_this_machine_gets_nothing(busy: Project) -> None:
    before = made(busy)
    folder = busy.folder / ".sagemaker-serving"
    own = folder / "credentials.json"
    names, running, gateway = sorted(sockets(busy)), processes(busy), gateway_port(busy)

    def attempts() -> dict[str, str]:
        done = {
            "read the credentials": outcome(own.read_text),
            "list the folder": outcome(lambda: list(folder.iterdir())),
            **{f"environment of {each.pid}": outcome(_environ, each) for each in running},
            **{f"socket {name}": outcome(_connect, name) for name in names},
        }
        form = urlencode(STACK).encode()
        kind = {"Content-Type": "application/x-www-form-urlencoded"}
        done["a stack"] = str(ask(gateway, "POST", "/", kind, form)[0])
        done["a prediction"] = str(ask(gateway, "POST", "/endpoints/trial-half/invocations")[0])
        done["a fault"] = str(ask(gateway, "PUT", "/_local/faults", body=b'{"faults": []}')[0])
        return done

    done = as_another_user(attempts)
    got_in = {what: how for what, how in done.items() if not _is_refused(how)}
    assert got_in == {}
    assert len(done) > 10
    assert made(busy) == before


def _is_refused(how: str) -> bool:
    return how in ("PermissionError", "FileNotFoundError", "401", "403")


def _environ(process: psutil.Process) -> bytes:
    return Path(f"/proc/{process.pid}/environ").read_bytes()


def _connect(name: str) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(name)


PAGE = """<!doctype html><title>begun</title><body><script>
const targets = TARGETS, stack = STACK;
const form = new URLSearchParams(stack).toString();
let attempts = 0;
const attempt = (what) => { attempts += 1; try { const done = what(); if (done && done.catch) {
  done.catch(() => {}); } } catch (error) {} };
const element = (tag, attributes) => { const made = document.createElement(tag);
  Object.assign(made, attributes); document.body.append(made); return made; };
for (const base of targets) {
  const query = base + "/?" + form;
  attempt(() => { new Image().src = query; });
  attempt(() => element("script", {src: query}));
  attempt(() => element("iframe", {src: query}));
  attempt(() => element("link", {rel: "stylesheet", href: query}));
  attempt(() => element("video", {src: query}));
  attempt(() => fetch(query, {mode: "no-cors", credentials: "include"}));
  attempt(() => fetch(base + "/", {method: "POST", mode: "no-cors", body: form}));
  attempt(() => fetch(base + "/", {method: "POST", mode: "no-cors",
    body: new URLSearchParams(stack)}));
  attempt(() => { const parts = new FormData();
    for (const [name, value] of Object.entries(stack)) { parts.set(name, value); }
    return fetch(base + "/", {method: "POST", mode: "no-cors", body: parts}); });
  attempt(() => fetch(base + "/", {method: "POST", headers: {"Content-Type":
    "application/x-amz-json-1.1", "X-Amz-Target": "SageMaker.DeleteEndpoint"},
    body: JSON.stringify({EndpointName: "trial-half"})}));
  attempt(() => fetch(base + "/intruder", {method: "PUT"}));
  attempt(() => fetch(base + "/_local/faults", {method: "PUT",
    body: JSON.stringify({faults: [{kind: "throttling"}]})}));
  attempt(() => fetch(base + "/endpoints/trial-half/invocations", {method: "POST",
    mode: "no-cors", body: "{}"}));
  attempt(() => fetch(base + "/models", {method: "POST", mode: "no-cors",
    body: JSON.stringify({model_name: "intruder", url: "/tmp"})}));
  attempt(() => fetch(base + "/v1/models/half_plus_three:predict", {method: "POST",
    mode: "no-cors", body: JSON.stringify({instances: [1]})}));
  attempt(() => navigator.sendBeacon(base + "/", form));
  attempt(() => new WebSocket(base.replace("http", "ws") + "/"));
  for (const enctype of ["application/x-www-form-urlencoded", "multipart/form-data",
                         "text/plain"]) {
    attempt(() => { const frame = "f" + attempts; element("iframe", {name: frame});
      const made = element("form", {method: "POST", action: base + "/", enctype, target: frame});
      for (const [name, value] of Object.entries(stack)) {
        made.append(Object.assign(document.createElement("input"), {name, value})); }
      made.submit(); });
  }
}
fetch("/tried", {method: "POST", body: String(attempts)});
</script>"""


class Site:
    """A site of somebody else's: its page, and a port that takes whatever pages send to it."""

    def __init__(self) -> None:
        self.page = ""
        self.attempts = 0
        self.reached: list[str] = []
        self.finished = threading.Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                if self.path == "/page":
                    self._answer(site.page.encode())
                elif self.path == "/tried":
                    site.attempts = int(body)
                    site.finished.set()
                    self._answer(b"")
                else:
                    site.reached.append(f"{self.command} {self.path}")
                    self._answer(b"")

            do_GET = do_POST = do_PUT = do_DELETE = do_OPTIONS = do_HEAD = handle_any

            def _answer(self, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                for name in ("Origin", "Methods", "Headers"):
                    self.send_header(f"Access-Control-Allow-{name}", "*")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@contextmanager
def browser(url: str, profile: Path) -> Iterator[None]:
    """A browser that has opened a page; every name but localhost is this machine, too."""
    chromium = shutil.which("chromium")
    assert chromium is not None
    process = subprocess.Popen(
        [
            chromium,
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP * 127.0.0.1",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            url,
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, 9)
        process.wait()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="Debian's chromium is not installed")
@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "rebound.example"])
def test_no_page_in_a_real_browser_changes_anything(
    busy: Project, site: Site, tmp_path: Path, name: str
) -> None:
    """Pages of another port of this machine, and of a name that resolves to the loopback."""
    before = made(busy)
    own = f"http://{name}:{site.port}"
    places = [own, *(f"http://{name}:{port}" for port in sorted(ports(busy)))]
    site.page = PAGE.replace("TARGETS", json.dumps(places)).replace("STACK", json.dumps(STACK), 1)
    with browser(f"{own}/page", tmp_path / "profile"):
        assert site.finished.wait(120), "the page did not run"
        assert site.attempts >= 18 * len(places)
        # What reached the other site unprotected reached the local AWS as well, which came later.
        eventually(lambda: len([each for each in site.reached if "POST / " in f"{each} "]) >= 6)
        eventually(lambda: any("CreateStack" in each for each in site.reached))
        assert made(busy) == before
    assert made(busy) == before

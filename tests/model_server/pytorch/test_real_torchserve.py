"""The same requests to TorchServe 0.12.0 with AWS's toolkit 2.0.25 and to this server.

Both run on loopback, over the same folder. What the toolkit writes into its properties file is
written by itself, its fault included.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.pytorch.test_server import until
from tools.own_environments.environments import environment_of

pytestmark = [
    pytest.mark.long,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("java") is None, reason="TorchServe needs Java"),
]

SCRIPT = """
import json, os

def model_fn(model_dir, context):
    kind = open(os.path.join(model_dir, "kind")).read()
    if kind != "good":
        exec(kind)
    return context.model_name

def transform_fn(model, data, content_type, accept):
    if content_type == "x/raise":
        error = ValueError("words")
        error.status_code, error.message = 418, "teapot"
        raise error
    if content_type == "x/exit":
        os._exit(1)
    return json.dumps([model, content_type, accept, repr(data)])
"""
KINDS = {
    "a": "good",
    "raises": "raise ValueError('no model')",
    "runtime": "raise RuntimeError('no model')",
    "memory": "raise MemoryError",
}

CONFIGURE = """
import sys
from sagemaker_pytorch_serving_container import handler_service, torchserve
print(torchserve._generate_ts_config_properties(handler_service.__file__))
"""

Request = tuple[str, str, dict[str, str], str]


def post(path: str, body: str = "1", **headers: str) -> Request:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return ("POST", path, named, body)


SINGLE: list[Request] = [
    *(("GET", path, {}, "") for path in ("/ping", "/models/other", "/", "/nope")),
    *(
        post(path, Content_Type="text/csv")
        for path in (
            *("/invocations", "/invocations/", "/invocations/x", "//invocations"),
            *("/models/model/invoke", "/models/other/invoke", "/models/model/x", "/models"),
            *("/models%2Fmodel/inv%6Fke", "/models/m%20/invoke"),
            "/invocations?model_name=other",
        )
    ),
    ("DELETE", "/models/model", {}, ""),
    *(
        ("POST", "/invocations", {name: "text/csv"}, "1")
        for name in ("content-type", "CONTENT-TYPE", "ContentType", "cOntent-Type")
    ),
    *(post("/invocations", **{name: "a/b"}) for name in ("Accept", "accept", "ACCEPT")),
    post("/invocations", "body=q", Content_Type="application/x-www-form-urlencoded"),
    post("/invocations", "a=1", Content_Type="application/x-www-form-urlencoded"),
    post("/invocations", Content_Type="x/raise"),
    post("/invocations", Content_Type="x/exit"),
]


def load(name: str | None, url: str | None) -> Request:
    document = {"model_name": name, "url": url}
    given = {key: value for key, value in document.items() if value is not None}
    return post("/models", json.dumps(given), Content_Type="application/json")


FULL_PAGE: Request = ("GET", "/models?limit=100", {}, "")
"""Asked once, after the loads that fail."""


def many(folder: Path) -> list[Request]:
    def of(name: str) -> Request:
        return load(name, str(folder / name / "model"))

    def show(path: str) -> Request:
        return ("GET", path, {}, "")

    return [
        show("/models"),
        of("a"),
        of("a"),
        show("/models"),
        post("/models/a/invoke", Content_Type="text/csv"),
        post("/invocations"),
        post("/invocations?model_name=a"),
        load("x", "/banana"),
        load("x", "banana"),
        load("x", f"{folder}/../a"),
        load("x", None),
        load(None, str(folder / "a" / "model")),
        of("raises"),
        of("runtime"),
        of("memory"),
        FULL_PAGE,
        show("/models?limit=1"),
        of("runtime"),
        post("/models/runtime/invoke"),
        ("DELETE", "/models/runtime", {}, ""),
        ("DELETE", "/models/none", {}, ""),
        ("DELETE", "/models/a", {}, ""),
        post("/models/a/invoke"),
        show("/models"),
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("ml")
    for name, kind in KINDS.items():
        model = base / "models" / name / "model"
        (model / "code").mkdir(parents=True)
        (model / "code" / "inference.py").write_text(SCRIPT)
        (model / "kind").write_text(kind)
    (base / "model").symlink_to(base / "models" / "a" / "model")
    return base


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({}, "one"),
        ({"SAGEMAKER_MULTI_MODEL": "true"}, "many"),
        ({"SAGEMAKER_MULTI_MODEL": "true", "TS_ENABLE_MODEL_API": "true"}, "many"),
    ],
)
def test_both_answer_alike(
    folder: Path, tmp_path: Path, environment: dict[str, str], asked: str
) -> None:
    models = folder / ("model" if asked == "one" else "models")
    requests = SINGLE if asked == "one" else many(models)
    expected = usual_answers(folder, tmp_path, environment, requests)
    ours = ModelServer.start(
        models,
        environment=environment,
        log_path=tmp_path / "log",
        port=0,
        program="pytorch",
        container_version="2.6",
    )
    try:
        ours.wait_until_healthy(60)
        assert ours.place.port is not None
        for request, wanted in zip(requests, expected, strict=True):
            assert (request, answer(ours.place.port, request)) == (request, wanted)
    finally:
        ours.stop()


def usual_answers(
    folder: Path, scratch: Path, environment: dict[str, str], requests: list[Request]
) -> list[tuple[int, str]]:
    """TorchServe's answers, from a run in which it went on listing models that it failed to load.

    It races with itself there: ``unregisterModel`` runs in the thread of the worker whose death
    interrupts it, so the model stays. Where the process has ended first, the model goes: 1 of 24
    loads on 2 busy cores on 2026-11-26. This server does what TorchServe nearly always does.
    """
    for attempt in range(5):
        place = scratch / f"real-{attempt}"
        place.mkdir()
        with real(folder, place, environment) as port:
            answers = [settled(port, request) for request in requests]
        is_asked_to_load = any(status == 507 for status, _ in answers)
        listed = answers[requests.index(FULL_PAGE)][1] if is_asked_to_load else ""
        if not is_asked_to_load or ('"runtime"' in listed and '"memory"' in listed):
            return answers
    raise AssertionError("TorchServe dropped a model that it failed to load, five times running")


def answer(port: int, request: Request) -> tuple[int, str]:
    """Status and body; of a trace, where it begins."""
    method, path, headers, body = request
    connection = HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, text in headers.items():
            connection.putheader(name, text)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body.encode())
        response = connection.getresponse()
        return response.status, re.sub(r"(?s)Traceback.*", "Traceback", response.read().decode())
    finally:
        connection.close()


def settled(port: int, request: Request) -> tuple[int, str]:
    """The answer; a list once it stays: TorchServe drops a model that raised a little later."""
    came = [answer(port, request)]

    def stays() -> bool:
        came.append(answer(port, request))
        return len(came) >= 10 and len(set(came[-10:])) == 1

    if request in (FULL_PAGE, ("GET", "/models", {}, "")):
        until(stays)
    return came[-1]


@contextmanager
def real(base: Path, scratch: Path, environment: dict[str, str]) -> Iterator[int]:
    """TorchServe as the toolkit starts it, on a loopback port."""
    try:
        home = environment_of("torchserve")
    except subprocess.CalledProcessError:
        pytest.skip("no index that pip knows here has all of tools/own_environments/torchserve.txt")
    port, metrics, grpc, grpc2, worker = (free_port() for _ in range(5))
    package = next(home.glob("lib/python3*/site-packages/sagemaker_pytorch_serving_container"))
    is_multi = "SAGEMAKER_MULTI_MODEL" in environment
    store = scratch / "store"
    store.mkdir()
    variables = {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "HOME": str(scratch),
        "TEMP": str(scratch),
        "TMPDIR": str(scratch),
        "LOG_LOCATION": str(scratch),
        "METRICS_LOCATION": str(scratch),
        "SAGEMAKER_BASE_DIR": str(base),
        "SAGEMAKER_BIND_TO_PORT": str(port),
        "SAGEMAKER_HANDLER": str(package / "handler_service.py"),
        "SAGEMAKER_MODEL_SERVER_WORKERS": "1",
        "PYTHONPATH": str(base / ("models" if is_multi else "model") / "code"),
        **environment,
    }
    python = [str(home / "bin" / "python")]
    written = subprocess.run(
        [*python, "-c", CONFIGURE], env=variables, cwd=scratch, capture_output=True, check=True
    )
    properties = scratch / "ts.properties"
    properties.write_text(
        written.stdout.decode().replace("0.0.0.0", "127.0.0.1")
        + f"metrics_address=http://127.0.0.1:{metrics}\ngrpc_inference_port={grpc}\n"
        + f"grpc_management_port={grpc2}\ninitial_worker_port={worker}\n"
    )
    models = [] if is_multi else ["--models", f"model={base / 'model'}"]
    with (scratch / "torchserve.log").open("wb") as log:
        process = subprocess.Popen(
            [
                *python,
                *("-m", "ts.model_server", "--start", "--foreground"),
                *("--model-store", "/" if is_multi else str(store)),
                *("--ts-config", str(properties), "--log-config", str(package / "etc/log4j2.xml")),
                *models,
            ],
            env=variables,
            cwd=scratch,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until(lambda: process.poll() is not None or is_ready(port, is_multi))
        assert process.poll() is None, (scratch / "torchserve.log").read_text()[-3000:]
        yield port
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def is_ready(port: int, is_multi: bool) -> bool:
    """Whether it listens, and in single mode has its model."""
    path = "ping" if is_multi else "models/model"
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=120) as response:
            return is_multi or b'"READY"' in response.read()
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

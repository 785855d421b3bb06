"""The whole container: front, worker, and what the world does to them.

Statuses and texts are those of TorchServe 0.12.0, asked on 2026-11-21 and 2026-11-23.
"""

from __future__ import annotations

import importlib.util
import json
import tarfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from sagemaker_serving.model_server.process import ModelServer, ServerNotHealthy

pytestmark = pytest.mark.slow

SCRIPT = """
import json, os, threading, time

def model_fn(model_dir):
    return open("weights").read()

def input_fn(data, content_type):
    if content_type == "x/exit":
        os._exit(1)
    if content_type == "x/wait":
        open(data.decode(), "w").close()
        time.sleep(600)
    if content_type == "x/big":
        return "x" * int(data)
    return [os.getpid(), len(data)]

def predict_fn(data, model):
    return data if isinstance(data, str) else [*data, model]

def output_fn(prediction, accept, context):
    if isinstance(prediction, str):
        return prediction
    if context.get_request_header(0, "Content-Type") == "x/headers":
        return context.get_all_request_header(0)
    return json.dumps([*prediction, context.get_request_header(0, "X-Own-Header")])
"""


def a_model(folder: Path, script: str = SCRIPT) -> Path:
    (folder / "code").mkdir(parents=True)
    (folder / "code" / "inference.py").write_text(script)
    (folder / "weights").write_text("3")
    return folder


def started(model: Path, log: Path, **environment: str) -> ModelServer:
    return ModelServer.start(model, environment=environment, log_path=log, program="pytorch")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    folder = tmp_path_factory.mktemp("pytorch")
    server = started(
        a_model(folder / "model"),
        folder / "log",
        TS_JOB_QUEUE_SIZE="3",
        TS_MAX_RESPONSE_SIZE="1000",
    )
    try:
        server.wait_until_healthy(60)
        yield server
    finally:
        server.stop()


def ask(
    server: ModelServer,
    body: bytes = b"[1]",
    content_type: str = "application/json",
    *,
    method: str = "POST",
    path: str = "/invocations",
    **headers: str,
) -> tuple[int, bytes]:
    connection = server.place.connection(60)
    try:
        connection.request(method, path, body, {"Content-Type": content_type, **headers})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def worker_pid(server: ModelServer) -> int:
    pid: int = json.loads(ask(server)[1])[0]
    return pid


def told(code: int, kind: str, message: str) -> tuple[int, bytes]:
    text = json.dumps({"code": code, "type": kind, "message": message}, indent=2) + "\n"
    return code, text.encode()


WORKER_DIED = told(500, "InternalServerException", "Worker died.")


NOT_FOUND = told(
    404,
    "ResourceNotFoundException",
    "Requested resource is not found, please refer to API document.",
)
NOT_ALLOWED = told(
    405,
    "MethodNotAllowedException",
    "Requested method is not allowed, please refer to API document.",
)
UNKNOWN = told(404, "ModelNotFoundException", "Model not found: other")


@pytest.mark.parametrize(
    ("method", "path", "answer"),
    [
        ("GET", "/ping", (200, b'{\n  "status": "Healthy"\n}\n')),
        ("POST", "/ping", (200, b'{\n  "status": "Healthy"\n}\n')),
        *(("GET", path, NOT_FOUND) for path in ("/nope", "/predictions", "/models/model/1.0")),
        *(("POST", path, NOT_FOUND) for path in ("/invocations/x", "//invocations", "/models/m/x")),
        *((method, "/models", NOT_ALLOWED) for method in ("POST", "DELETE", "PUT")),
        *((method, "/models/model", NOT_ALLOWED) for method in ("POST", "DELETE")),
        ("GET", "/", NOT_ALLOWED),
        ("GET", "/models/other", UNKNOWN),
        *(
            ("POST", path, UNKNOWN)
            for path in ("/models/other/invoke", "/invocations?model_name=other")
        ),
    ],
)
def test_paths(server: ModelServer, method: str, path: str, answer: tuple[int, bytes]) -> None:
    """Each was asked of TorchServe 0.12.0 with AWS's toolkit 2.0.25 on 2026-11-23."""
    assert ask(server, method=method, path=path) == answer


@pytest.mark.parametrize(
    "path",
    [
        "/invocations/",
        "/invocations?model_name=model",
        "/models/model/invoke",
        "/models%2Fmodel/inv%6Fke",
    ],
)
def test_every_path_of_a_prediction(server: ModelServer, path: str) -> None:
    status, body = ask(server, content_type="x/headers", path=path)
    assert (status, json.loads(body)["Content-Type"]) == (200, "x/headers")


def test_the_one_model_is_listed_and_described(server: ModelServer) -> None:
    status, body = ask(server, method="GET", path="/models")
    assert (status, json.loads(body)) == (
        200,
        {"models": [{"modelName": "model", "modelUrl": "/opt/ml/model"}]},
    )
    status, body = ask(server, method="GET", path="/models/model")
    (described,) = json.loads(body)
    assert status == 200
    assert (described["modelVersion"], described["loadedAtStartup"]) == ("1.0", True)
    assert [worker["pid"] for worker in described["workers"]] == [worker_pid(server)]


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("path", ["/invocations", "/invocations?a=1"])
def test_a_request_reaches_the_functions_with_its_headers(
    server: ModelServer, method: str, path: str
) -> None:
    status, body = ask(server, b"abc", method=method, path=path, **{"X-Own-Header": "\xe9"})
    assert (status, json.loads(body)[1:]) == (200, [3, "3", "é"])


def test_the_largest_request_is_taken_and_one_byte_more_is_a_413(server: ModelServer) -> None:
    largest = 6_553_500
    assert ask(server, b"1" * largest)[0] == 200
    assert ask(server, b"1" * (largest + 1)) == (413, b"")


def test_an_answer_that_is_too_large_is_the_death_of_the_worker(server: ModelServer) -> None:
    assert ask(server, b"1000", "x/big") == (200, b"x" * 1000)
    assert ask(server, b"1001", "x/big") == WORKER_DIED


def test_a_worker_that_dies_costs_its_own_request_and_is_replaced(server: ModelServer) -> None:
    before = worker_pid(server)
    assert ask(server, content_type="x/exit") == WORKER_DIED
    assert worker_pid(server) != before


def test_a_full_queue_refuses_and_those_in_it_are_answered_afterwards(
    server: ModelServer, tmp_path: Path
) -> None:
    flag = tmp_path / "reached"
    pid = worker_pid(server)
    with ThreadPoolExecutor(6) as pool:
        first = pool.submit(ask, server, str(flag).encode(), "x/wait")
        until(flag.exists)
        others = [pool.submit(ask, server) for _ in range(5)]
        until(lambda: sum(future.done() for future in others) == 3)
        refused = [future.result() for future in others if future.done()]
        psutil.Process(pid).kill()
        assert first.result() == WORKER_DIED
    assert sorted(future.result()[0] for future in others) == [200, 200, 503, 503, 503]
    for status, body in refused:
        document = json.loads(body)
        assert (status, document["type"]) == (503, "ServiceUnavailableException")
        assert document["message"].startswith('Model "model" has no worker to serve')


def until(condition: Any, *, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain"
        time.sleep(0.02)


def test_a_request_that_takes_too_long_ends_its_worker(tmp_path: Path) -> None:
    model = a_model(tmp_path / "model")
    server = started(model, tmp_path / "log", TS_DEFAULT_RESPONSE_TIMEOUT="1")
    try:
        server.wait_until_healthy(60)
        before = worker_pid(server)
        assert ask(server, str(tmp_path / "flag").encode(), "x/wait") == WORKER_DIED
        assert worker_pid(server) != before
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (SCRIPT.replace("weights", "wights"), "FileNotFoundError: [Errno 2] No such file or dir"),
        ("import nothing_of_the_kind", "ModuleNotFoundError: No module named 'nothing_of_the"),
        (
            r"raise OSError('no model\nStack:\n  [bt] (1) lib.so')",
            "OSError: no model Stack: [bt] (1)",
        ),
        pytest.param(
            "from sagemaker_inference import decoder",
            "ModuleNotFoundError: No module named 'sagemaker_inference'; the image has it: "
            "pip install 'sagemaker-serving[torch]'",
            marks=pytest.mark.skipif(
                importlib.util.find_spec("sagemaker_inference") is not None, reason="it is here"
            ),
        ),
    ],
)
def test_a_model_that_cannot_be_loaded_ends_the_start_with_the_reason(
    tmp_path: Path, script: str, said: str
) -> None:
    server = started(a_model(tmp_path / "model", script), tmp_path / "log")
    try:
        with pytest.raises(ServerNotHealthy) as raised:
            server.wait_until_healthy(60)
    finally:
        server.stop()
    assert f"the model cannot be loaded: {said}" in raised.value.log_lines[-1]


def test_an_archive_with_its_script_under_another_name_and_its_requirements(
    tmp_path: Path,
) -> None:
    package = tmp_path / "own_package"
    package.mkdir()
    (package / "pyproject.toml").write_text('[project]\nname = "own-package"\nversion = "1"\n')
    script = "def model_fn(d): pass\ndef transform_fn(m, d, c, a): return 'entry'\n"
    folder = a_model(tmp_path / "model", "raise SystemExit('not this one')")
    (folder / "code" / "entry.py").write_text(script)
    archive = tmp_path / "model.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, ".")
    server = started(
        archive,
        tmp_path / "log",
        SAGEMAKER_PROGRAM="entry.py",
        SAGEMAKER_SUBMIT_DIRECTORY="s3://bucket/source.tar.gz",
        SAGEMAKER_MODEL_SERVER_WORKERS="2",
    )
    try:
        server.wait_until_healthy(60)
        assert ask(server) == (200, b"entry")
        assert "SAGEMAKER_SUBMIT_DIRECTORY is 's3://bucket" in server.log_path.read_text()
        workers = psutil.Process(server.pid).children()[0].children()
        assert len(workers) == 2
    finally:
        server.stop()
    assert not any(process.is_running() for process in workers)


def test_neo_s_image_has_its_module_and_its_name_for_the_model(tmp_path: Path) -> None:
    script = (
        "import os, neopytorch\n"
        "def model_fn(d):\n"
        "    neopytorch.config(model_dir=d, neo_runtime=True)\n"
        "    open('written', 'w').close()\n"
        "    return sorted(os.listdir(d))\n"
        "def transform_fn(m, d, c, a): return ' '.join(m)\n"
    )
    folder = a_model(tmp_path / "model", script)
    (folder / "resnet.pth").write_bytes(b"weights")
    log = tmp_path / "log"
    server = ModelServer.start(folder, environment={}, log_path=log, program="neo-pytorch")
    try:
        server.wait_until_healthy(60)
        assert ask(server) == (200, b"code compiled.pt weights written")
    finally:
        server.stop()
    assert sorted(path.name for path in folder.iterdir()) == ["code", "resnet.pth", "weights"]
    assert "resnet.pth is served as compiled.pt; it is not compiled" in log.read_text()

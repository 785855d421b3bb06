"""Many models in one container of PyTorch's image, as TorchServe loads and unloads them.

Statuses and texts are those of TorchServe 0.11.0 with AWS's toolkit 2.0.24, asked on 2026-11-23;
0.12.0 says the same once its properties file ends with a line break.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.pytorch.test_server import ask, told, until

pytestmark = pytest.mark.slow

SCRIPT = """
import json, os, time

def model_fn(model_dir, context):
    kind = open(os.path.join(model_dir, "kind")).read()
    if kind == "waits":
        open("reached", "w").close()
        while not os.path.exists(os.path.join(model_dir, "..", "go")):
            time.sleep(0.02)
    elif kind == "exits":
        os._exit(7)
    elif kind != "good":
        exec(kind)
    return context.model_name

def transform_fn(model, data, content_type, accept):
    try:
        from common import WORDS
    except ImportError:
        WORDS = "no common code"
    return json.dumps([model, os.getpid(), data, WORDS])
"""

KINDS = {
    "a": "good",
    "b": "good",
    "raises": "raise ValueError('no model')",
    "runtime": "raise RuntimeError('no model')",
    "memory": "raise MemoryError('no more')",
    "cuda": "raise RuntimeError('CUDA out of memory')",
    "exits": "exits",
}


def a_folder(folder: Path) -> Path:
    for name, kind in KINDS.items():
        code = folder / name / "model" / "code"
        code.mkdir(parents=True)
        (code / "inference.py").write_text(SCRIPT)
        (code.parent / "kind").write_text(kind)
    return folder


def started(folder: Path, log: Path, version: str, **environment: str) -> ModelServer:
    server = ModelServer.start(
        folder,
        environment={"SAGEMAKER_MULTI_MODEL": "true", **environment},
        log_path=log,
        program="pytorch",
        container_version=version,
    )
    server.wait_until_healthy(60)
    return server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    folder = tmp_path_factory.mktemp("models")
    server = started(a_folder(folder / "models"), folder / "log", "2.3")
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(autouse=True)
def nothing_is_left(server: ModelServer) -> Iterator[None]:
    yield
    for name in listed(server):
        assert unload(server, name)[0] == 200


def load(server: ModelServer, name: str, url: str | None = None) -> tuple[int, bytes]:
    document = {"model_name": name, "url": f"/opt/ml/models/{name}/model" if url is None else url}
    return ask(server, json.dumps(document).encode(), path="/models")


def unload(server: ModelServer, name: str) -> tuple[int, bytes]:
    return ask(server, method="DELETE", path=f"/models/{name}")


def invoke(server: ModelServer, name: str) -> tuple[int, Any]:
    status, body = ask(server, b"1", path=f"/models/{name}/invoke")
    return status, json.loads(body)


def listed(server: ModelServer) -> list[str]:
    status, body = ask(server, method="GET", path="/models")
    assert status == 200
    return [each["modelName"] for each in json.loads(body)["models"]]


def not_started(name: str, status: int = 500) -> tuple[int, bytes]:
    message = f"Failed to start workers for model {name} version: 1.0"
    return told(status, "InternalServerException", message)


def status_of(answer: tuple[int, bytes]) -> tuple[int, str]:
    return answer[0], json.loads(answer[1])["status"]


def test_models_are_loaded_listed_invoked_and_unloaded(server: ModelServer) -> None:
    assert listed(server) == []
    registered = 'Model "{}" Version: 1.0 registered with 1 initial workers'
    for name in ("b", "a"):
        assert status_of(load(server, name)) == (200, registered.format(name))
    assert listed(server) == ["a", "b"]
    (status, (name, pid, *_)), (_, (_, other, *_)) = invoke(server, "a"), invoke(server, "b")
    assert (status, name) == (200, "a")
    assert pid != other
    assert status_of(unload(server, "a")) == (200, 'Model "a" unregistered')
    assert not psutil.pid_exists(pid)
    assert listed(server) == ["b"]
    unknown = told(404, "ModelNotFoundException", "Model not found: a")
    assert unload(server, "a") == unknown
    assert ask(server, path="/models/a/invoke") == unknown
    assert invoke(server, "b")[1][1] == other


def test_a_list_has_pages(server: ModelServer) -> None:
    load(server, "a")
    load(server, "b")
    first = json.loads(ask(server, method="GET", path="/models?limit=1")[1])
    assert [first["nextPageToken"], first["models"][0]["modelName"]] == ["1", "a"]
    second = ask(server, method="GET", path="/models?limit=2&next_page_token=1")[1]
    assert json.loads(second) == {
        "models": [{"modelName": "b", "modelUrl": "/opt/ml/models/b/model"}]
    }


def test_a_loaded_model_is_described(server: ModelServer) -> None:
    load(server, "a")
    (described,) = json.loads(ask(server, method="GET", path="/models/a")[1])
    assert described["modelUrl"] == "/opt/ml/models/a/model"
    assert described["loadedAtStartup"] is False
    assert [each["pid"] for each in described["workers"]] == [invoke(server, "a")[1][1]]


@pytest.mark.parametrize(
    ("name", "answer", "is_kept"),
    [
        ("raises", not_started("raises"), False),
        ("exits", not_started("exits"), False),
        ("runtime", not_started("runtime"), True),
        ("memory", not_started("memory", 507), True),
        ("cuda", not_started("cuda", 507), True),
    ],
)
def test_a_model_that_cannot_be_loaded(
    server: ModelServer, name: str, answer: tuple[int, bytes], is_kept: bool
) -> None:
    assert load(server, name) == answer
    assert listed(server) == ([name] if is_kept else [])
    assert load(server, name)[0] == (409 if is_kept else 500)
    if is_kept:
        status, said = invoke(server, name)
        assert (status, said["type"]) == (503, "ServiceUnavailableException")


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        (b'{"model_name": "x", "url": "/banana"}',
         told(404, "ModelNotFoundException", "Model not found at: /banana")),
        (b'{"model_name": "x", "url": "/opt/ml/models/a/model/kind"}',
         told(404, "ModelNotFoundException", "Model not found at: /opt/ml/models/a/model/kind")),
        (b'{"model_name": "x", "url": "/opt/ml/models/../a"}',
         told(404, "ModelNotFoundException",
          "Relative path is not allowed in url: /opt/ml/models/../a")),
        (b'{"url": "/opt/ml/models/a/model"}',
         told(400, "InvalidModelException", "Model name is not defined.")),
        (b'{"model_name": "x"}', told(400, "BadRequestException", "Parameter url is required.")),
        (b"[]", told(500, "JsonSyntaxException", "Expected BEGIN_OBJECT")),
        (b"nope", told(500, "JsonSyntaxException", "Expected BEGIN_OBJECT")),
    ],
)  # fmt: skip
def test_a_load_that_asks_for_nothing_there_is(
    server: ModelServer, body: bytes, answer: tuple[int, bytes]
) -> None:
    assert ask(server, body, path="/models") == answer
    assert listed(server) == []


def test_a_model_is_loaded_once_wherever_it_lies(server: ModelServer) -> None:
    load(server, "a")
    message = "Model version 1.0 is already registered for model a"
    again = told(409, "ConflictStatusException", message)
    assert load(server, "a") == again
    assert load(server, "a", "/opt/ml/models/b/model") == again


def test_a_model_may_be_named_in_the_query_and_lie_in_the_store(server: ModelServer) -> None:
    (folder_of(server) / "flat").mkdir(exist_ok=True)
    for entry in ("code", "kind"):
        link = folder_of(server) / "flat" / entry
        if not link.exists():
            link.symlink_to(folder_of(server) / "a" / "model" / entry)
    for url in ("/flat", "flat"):
        answer = ask(server, b"", "text/csv", path=f"/models?model_name=q&url={url}")
        assert answer[0] == 200
        assert unload(server, "q")[0] == 200


def folder_of(server: ModelServer) -> Path:
    return server.log_path.parent / "models"


def test_invocations_want_a_model_s_name(server: ModelServer) -> None:
    load(server, "a")
    wanted = told(400, "BadRequestException", "Parameter model_name is required.")
    assert ask(server) == wanted
    assert ask(server, path="/invocations?model_name=a")[0] == 200


def test_a_request_waits_for_a_model_that_is_still_loading(server: ModelServer) -> None:
    folder = folder_of(server) / "late"
    (folder / "model" / "code").mkdir(parents=True)
    (folder / "model" / "code" / "inference.py").write_text(
        SCRIPT.replace('os.path.join(model_dir, "..", "go")', repr(str(folder / "go"))).replace(
            'open("reached"', f"open({str(folder / 'reached')!r}"
        )
    )
    (folder / "model" / "kind").write_text("waits")
    with ThreadPoolExecutor(2) as pool:
        loading = pool.submit(load, server, "late")
        until((folder / "reached").exists)
        asked = pool.submit(invoke, server, "late")
        assert load(server, "late")[0] == 409
        assert not asked.done()
        (folder / "go").touch()
        assert loading.result()[0] == 200
        assert asked.result()[1][0] == "late"


def test_code_beside_the_models_comes_before_their_own(tmp_path: Path) -> None:
    """sys.path of a worker was asked of TorchServe 0.12.0, 0.11.0, 0.8.2 and 0.6.1."""
    folder = a_folder(tmp_path / "models")
    (folder / "code").mkdir()
    (folder / "code" / "common.py").write_text("WORDS = 'of all'")
    (folder / "a" / "model" / "code" / "common.py").write_text("WORDS = 'own'")
    server = started(folder, tmp_path / "log", "2.3")
    try:
        load(server, "a")
        assert invoke(server, "a")[1][3] == "of all"
    finally:
        server.stop()


def test_today_s_image_refuses_to_load_and_says_how_it_would(tmp_path: Path) -> None:
    server = started(a_folder(tmp_path / "models"), tmp_path / "log", "2.6")
    try:
        assert listed(server) == []
        assert load(server, "a")[0] == 405
        assert unload(server, "a")[0] == 405
        assert "add TS_ENABLE_MODEL_API=true to the environment" in server.log_path.read_text()
    finally:
        server.stop()


def test_a_variable_mends_today_s_image(tmp_path: Path) -> None:
    server = started(
        a_folder(tmp_path / "models"),
        tmp_path / "log",
        "2.6",
        TS_ENABLE_MODEL_API="true",
        SAGEMAKER_SERVING_MEMORY_LIMIT_MB="1",
    )
    try:
        # The limit of this machine's own is exceeded by any process.
        assert load(server, "a") == not_started("a", 507)
        assert "SAGEMAKER_SERVING_MEMORY_LIMIT_MB is 1" in server.log_path.read_text()
    finally:
        server.stop()

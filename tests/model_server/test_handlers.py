"""A model with code: gunicorn, gevent and falcon around the user's handlers."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import requests

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import log_of, processes_of, running

pytestmark = pytest.mark.slow

ATTRIBUTES = "X-Amzn-SageMaker-Custom-Attributes"

HANDLER = """
import importlib.util
import json
import os
import time

import requests
from helper import GREETING

ODD = {"x/array": bytearray(b"a"), "x/view": memoryview(b"a"), "x/dict": {"a": 1}, "x/list": ["a"]}

print("inference.py is imported")


def handler(data, context):
    body = data.read()
    return globals()[context.request_content_type.partition("/")[2]](body, context)


def context(body, context):
    return json.dumps(context._asdict() | {"channel": type(context.channel).__name__}), "x/context"


def plain(body, context):
    answer = requests.post(context.rest_uri, data=body)
    return answer.content, context.accept_header


def raising(body, context):
    raise ValueError("no " + body.decode())


def falcon(body, context):
    import falcon
    raise falcon.HTTPError("418", description="short and stout")


def odd(body, context):
    return ODD[context.accept_header], "x/y"


def unpaired(body, context):
    return "just text"


def nothing(body, context):
    return None, "x/empty"


def environment(body, context):
    return json.dumps(dict(os.environ)), "x/env"


def tensorflow(body, context):
    import tensorflow


def pillow(body, context):
    import PIL


def asked(body, context):
    return str(importlib.util.find_spec("tensorflow")), "x/text"


def greeting(body, context):
    from lib_helper import NAME
    return GREETING + NAME, "x/text"


def sleeping(body, context):
    time.sleep(float(body))
    return b"slept", "x/text"


def hanging(body, context):
    while True:
        pass
"""

PAIR = """
import json

import tiny_package


def input_handler(data, context):
    if context.request_content_type == "application/x-number":
        return json.dumps({"instances": [float(data.read())]})
    return data.read()


def output_handler(response, context):
    return json.dumps({"status": response.status_code, "said": response.json()}), tiny_package.TYPE
"""


def model_with(folder: Path, saved_models: Path, code: Mapping[str, str]) -> Path:
    """half_plus_three with these files in its code folder."""
    for name, text in code.items():
        path = folder / "code" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "half_plus_three").symlink_to(saved_models / "half_plus_three")
    return folder


def wheel(folder: Path) -> Path:
    """A package of one module, ``tiny_package``, as a wheel."""
    path = folder / "tiny_package-1.0-py3-none-any.whl"
    information = "tiny_package-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_package.py", "TYPE = 'x/pair'\n")
        archive.writestr(f"{information}/METADATA", "Name: tiny-package\nVersion: 1.0\n")
        archive.writestr(
            f"{information}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{information}/RECORD", "")
    return path


@pytest.fixture(scope="module")
def handler(saved_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """One ``handler`` that does whatever the content type asks for."""
    folder = tmp_path_factory.mktemp("handler")
    code = {
        "inference.py": HANDLER,
        "helper.py": 'GREETING = "hello "\n',
        "lib/lib_helper.py": 'NAME = "library"\n',
    }
    model = model_with(folder / "model", saved_models, code)
    environment = {
        "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": "3",
        "MY_VARIABLE": "mine",
    }
    os.environ["AWS_SECRET_ACCESS_KEY"] = "never to be seen"
    try:
        with running(model, folder, environment, fork_server=None) as server:
            yield server
    finally:
        del os.environ["AWS_SECRET_ACCESS_KEY"]


@pytest.fixture(scope="module")
def pair(saved_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    """An ``input_handler`` and an ``output_handler``, with a requirements.txt."""
    folder = tmp_path_factory.mktemp("pair")
    code = {"inference.py": PAIR, "requirements.txt": f"{wheel(folder)}\n"}
    model = model_with(folder / "model", saved_models, code)
    with running(model, folder) as server:
        yield server


def ask(server: ModelServer, what: str, body: str | bytes = b"", **headers: str) -> Any:
    return requests.post(
        f"{server.place.url}/invocations",
        data=body,
        headers={"Content-Type": f"do/{what}", **headers},
        timeout=120,
    )


def test_a_handler_answers_for_itself(handler: ModelServer) -> None:
    response = ask(handler, "plain", '{"instances": [1.0]}', Accept="x/mine")
    assert (response.status_code, response.json()) == (200, {"predictions": [3.5]})
    assert response.headers["Content-Type"] == "x/mine"


def test_the_context_tells_the_request(handler: ModelServer) -> None:
    context = ask(handler, "context", b"12345", **{ATTRIBUTES: "k=v,tfs-model-version=122"}).json()
    rest_uri = context.pop("rest_uri")
    assert rest_uri.startswith("http://localhost:")
    assert rest_uri.endswith("/v1/models/half_plus_three/versions/122:predict")
    assert context.pop("grpc_port").isdecimal()
    assert context == {
        "model_name": None,
        "model_version": "122",
        "method": None,
        "channel": "Channel",
        "custom_attributes": "k=v,tfs-model-version=122",
        "request_content_type": "do/context",
        "accept_header": "*/*",
        "content_length": 5,
        "timeout": 60,
    }


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("raising", "no good"),
        ("unpaired", "too many values to unpack (expected 2)"),
        ("tensorflow", "No module named 'tensorflow'"),
        ("pillow", "No module named 'PIL'"),
    ],
)
def test_an_exception_is_a_500_with_its_text(handler: ModelServer, what: str, error: str) -> None:
    response = ask(handler, what, b"good")
    assert (response.status_code, response.json()) == (500, {"error": error})
    assert response.headers["Content-Type"] == "application/json"


def test_the_log_says_what_to_put_into_requirements_txt(handler: ModelServer) -> None:
    ask(handler, "pillow")
    said = "the code imports PIL, which the image has not: put into code/requirements.txt pillow"
    assert said in log_of(handler)


@pytest.mark.parametrize("what", ["x/array", "x/view", "x/dict", "x/list"])
def test_of_what_is_no_bytes_gunicorn_sends_the_headers_alone(
    handler: ModelServer, what: str
) -> None:
    response = ask(handler, "odd", Accept=what)
    assert (response.status_code, "502 Bad Gateway" in response.text) == (502, True)
    assert "which the image does not send" in log_of(handler)


def test_asking_whether_tensorflow_is_there_says_no(handler: ModelServer) -> None:
    assert ask(handler, "asked").text == "None"


def test_code_and_its_lib_are_importable(handler: ModelServer) -> None:
    assert ask(handler, "greeting").text == "hello library"


def test_the_environment_is_the_container_s_and_nobody_else_s(handler: ModelServer) -> None:
    environment = ask(handler, "environment").json()
    assert environment["MY_VARIABLE"] == "mine"
    assert environment["OMP_NUM_THREADS"] == "1"
    assert Path(environment["SM_MODEL_DIR"], "code", "inference.py").exists()
    assert environment["HOME"] != os.environ["HOME"]
    assert "AWS_SECRET_ACCESS_KEY" not in environment
    assert "PYTEST_CURRENT_TEST" not in environment


def test_the_model_s_folder_is_left_as_it_was(handler: ModelServer) -> None:
    model = Path(ask(handler, "environment").json()["SM_MODEL_DIR"])
    assert list(model.rglob("__pycache__")) == []


def test_what_the_code_prints_is_in_the_log(handler: ModelServer) -> None:
    assert "inference.py is imported" in log_of(handler)


def test_sleeping_handlers_do_not_hold_each_other_up(handler: ModelServer) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: ask(handler, "sleeping", b"0.5"), range(8)))
    assert [answer.text for answer in answers] == ["slept"] * 8
    assert max(answer.elapsed.total_seconds() for answer in answers) < 2.5


def test_a_handler_that_hangs_ends_at_gunicorn_s_timeout_and_the_server_lives_on(
    handler: ModelServer,
) -> None:
    response = ask(handler, "hanging")
    assert response.status_code == 502
    assert ask(handler, "greeting").text == "hello library"


def test_a_pair_of_handlers_stands_around_the_engine(pair: ModelServer) -> None:
    response = requests.post(
        f"{pair.place.url}/invocations",
        data=b"5",
        headers={"Content-Type": "application/x-number"},
        timeout=120,
    )
    # The content type comes from the package in requirements.txt.
    assert response.headers["Content-Type"] == "x/pair"
    assert response.json() == {"status": 200, "said": {"predictions": [5.5]}}


def test_the_rest_api_stays_reachable_beside_the_code(pair: ModelServer) -> None:
    response = requests.get(f"{pair.place.url}/tfs/v1/models/half_plus_three", timeout=60)
    assert response.status_code == 200


def test_requirements_are_installed_for_this_run_alone(pair: ModelServer) -> None:
    scratch = Path(processes_of(pair)[1].cwd())
    assert (scratch / "packages" / "tiny_package.py").exists()
    assert find_spec("tiny_package") is None

"""Multi-model mode with TensorFlow: processes, memory, code, and models that die."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import boto3
import pytest
import requests
from moto import mock_aws

from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.discovery import Code
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.plan import make_plan, require_model
from sagemaker_serving.model_server.process import ModelServer
from sagemaker_serving.model_server.settings import read_settings
from sagemaker_serving.model_server.universal_code import CodeNotFetched, fetch_universal_code
from tests.model_server.servers import processes_of, running, until

ROOM = 5
MODELS = 15
MULTI = {"SAGEMAKER_MULTI_MODEL": "true"}
RANGE = {"SAGEMAKER_SAFE_PORT_RANGE": "9000-9999"}
IN_S3 = {
    "SAGEMAKER_MULTI_MODEL_UNIVERSAL_BUCKET": "scripts",
    "SAGEMAKER_MULTI_MODEL_UNIVERSAL_PREFIX": "v1/",
}

UNIVERSAL = """
from helper import TYPE


def input_handler(data, context):
    return data.read()


def output_handler(response, context):
    return response.content, TYPE
"""
OWN = """
import requests


def handler(data, context):
    return requests.post(context.rest_uri, data=b'{"instances": [7.0]}').content, "x/own"
"""


@dataclass(frozen=True, kw_only=True)
class Served:
    server: ModelServer
    folder: Path

    def load(self, name: str) -> requests.Response:
        url = f"/opt/ml/models/{name}/model"
        body = {"model_name": name, "url": url}
        return requests.post(f"{self.server.place.url}/models", json=body, timeout=60)

    def unload(self, name: str) -> requests.Response:
        return requests.delete(f"{self.server.place.url}/models/{name}", timeout=60)

    def invoke(self, name: str) -> requests.Response:
        url = f"{self.server.place.url}/models/{name}/invoke"
        return requests.post(url, data=b'{"instances": [1.0]}', timeout=60)

    def unload_all(self) -> None:
        for name in requests.get(f"{self.server.place.url}/models", timeout=60).json():
            self.unload(name)


@pytest.fixture(scope="module")
def running_server(
    saved_models: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """Room for `ROOM` models, and universal code."""
    folder = tmp_path_factory.mktemp("multi")
    models, code = folder / "models", folder / "code"
    for name in [*(f"m{number}" for number in range(MODELS)), "own"]:
        (models / name / "model").mkdir(parents=True)
        target = models / name / "model" / "123"
        target.symlink_to(saved_models / "half_plus_three" / "123")
    (models / "own" / "model" / "code").mkdir()
    (models / "own" / "model" / "code" / "inference.py").write_text(OWN)
    code.mkdir()
    (code / "inference.py").write_text(UNIVERSAL)
    (code / "helper.py").write_text("TYPE = 'x/universal'")
    # Nine tenths of the range are 10 ports: five for REST, five for gRPC.
    environment = MULTI | {
        "SAGEMAKER_SAFE_PORT_RANGE": "19300-19312",
        "SAGEMAKER_SERVING_UNIVERSAL_CODE": str(code),
    }
    with running(models, folder, environment) as server:
        yield Served(server=server, folder=models)


@pytest.fixture
def served(running_server: Served) -> Iterator[Served]:
    yield running_server
    running_server.unload_all()


@pytest.mark.slow
@pytest.mark.long
def test_models_go_through_room_for_five_in_bounded_memory(served: Served) -> None:
    loaded: list[str] = []
    refused = 0
    megabytes = []
    for name in (f"m{number}" for number in range(MODELS)):
        if len(loaded) == ROOM:
            assert served.load(name).status_code == 507
            refused += 1
            assert served.unload(loaded.pop(0)).status_code == 200
        assert served.load(name).status_code == 200
        loaded.append(name)
        assert served.invoke(name).json() == {"predictions": [3.5]}
        if len(loaded) == ROOM:
            megabytes.append(served.server.memory_bytes() / 1e6)
    assert refused == MODELS - ROOM
    assert max(megabytes) < megabytes[0] * 1.2
    # The front, gunicorn and its worker, the one with TensorFlow, and the models.
    assert len(processes_of(served.server)) == 4 + ROOM


@pytest.mark.slow
def test_a_model_has_its_own_code_or_the_universal_one(served: Served) -> None:
    for name in ("own", "m0"):
        assert served.load(name).status_code == 200
    own, universal = served.invoke("own"), served.invoke("m0")
    assert (own.headers["Content-Type"], own.json()) == ("x/own", {"predictions": [6.5]})
    assert (universal.headers["Content-Type"], universal.json()) == (
        "x/universal",
        {"predictions": [3.5]},
    )


@pytest.mark.slow
@pytest.mark.long
def test_stopping_ends_the_models_too(saved_models: Path, tmp_path: Path) -> None:
    models = tmp_path / "models"
    (models / "m" / "model").mkdir(parents=True)
    (models / "m" / "model" / "1").symlink_to(saved_models / "half_plus_three" / "123")
    with running(models, tmp_path, MULTI, container_version="2.19") as server:
        served = Served(server=server, folder=models)
        # Whatever the platform does not set is set as it would be.
        assert served.load("m").status_code == 200
        assert served.invoke("m").json() == {"predictions": [3.5]}
        processes = processes_of(server)
        assert len(processes) == 5
        os.kill(server.pid, signal.SIGKILL)
        until(lambda: not any(process.is_running() for process in processes[1:]))


def test_a_folder_is_served_whatever_is_in_it(tmp_path: Path) -> None:
    require_model(tmp_path, MULTI)
    plan = make_plan(tmp_path, tmp_path, MULTI | RANGE, None)
    assert (plan.models, plan.wants_worker) == ([], True)


def test_an_archive_is_not_served(tmp_path: Path) -> None:
    archive = tmp_path / "model.tar.gz"
    archive.touch()
    with pytest.raises(Mistake, match=r"is no folder; SAGEMAKER_MULTI_MODEL serves a folder"):
        require_model(archive, MULTI)
    with pytest.raises(NotFound):
        require_model(tmp_path / "nowhere", MULTI)


@pytest.mark.parametrize(
    ("version", "in_models", "paths"),
    [
        ("2.0", True, ["lib"]),
        ("2.8", True, ["lib"]),
        ("2.19", False, ["lib"]),
        ("2.20", False, ["", "lib"]),
    ],
)
def test_where_universal_code_lies_and_what_it_can_import(
    tmp_path: Path, version: str, in_models: bool, paths: list[str]
) -> None:
    image, models = tmp_path / "image", tmp_path / "models"
    for code in (image, models / "code"):
        (code / "lib").mkdir(parents=True)
    environ = MULTI | RANGE | {"SAGEMAKER_SERVING_UNIVERSAL_CODE": str(image)}
    plan = make_plan(models, tmp_path, environ, version)
    folder = models / "code" if in_models else image
    assert plan.code.folder == folder
    assert plan.worker_paths() == [folder / path for path in paths]


@pytest.mark.parametrize("multi", [MULTI | RANGE, {}])
def test_code_in_s3_starts_the_python_service_unless_there_is_a_folder(
    tmp_path: Path, multi: dict[str, str]
) -> None:
    (tmp_path / "m" / "1").mkdir(parents=True)
    (tmp_path / "m" / "1" / "saved_model.pb").touch()
    plan = make_plan(tmp_path, tmp_path / "scratch", multi | IN_S3, "2.20")
    assert plan.wants_worker
    assert plan.code.folder == tmp_path / "scratch" / "code"


@pytest.mark.parametrize(
    ("generation", "files"),
    [
        (Generation.A, ["v1/helper.py", "v1/inference.py"]),
        (Generation.B2, ["helper.py", "inference.py"]),
        (Generation.C, ["helper.py", "inference.py"]),
    ],
)
def test_universal_code_comes_from_s3(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    generation: Generation,
    files: list[str],
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    code = Code(tmp_path / "code")
    with mock_aws(), caplog.at_level(logging.INFO):
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="scripts")
        for key in ("v1/", "v1/inference.py", "v1/helper.py", "v1/sub/deeper.py", "v2/other.py"):
            s3.put_object(Bucket="scripts", Key=key, Body=key.encode())
        source = read_settings(IN_S3).universal_code
        asyncio.run(fetch_universal_code(source, code, CONTRACTS[generation]))
    found = [path for path in code.folder.rglob("*") if path.is_file()]
    assert sorted(str(path.relative_to(code.folder)) for path in found) == files
    assert "downloading universal scripts" in caplog.text


def test_a_bucket_that_is_not_there_ends_the_start_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    source, contract = read_settings(IN_S3).universal_code, CONTRACTS[Generation.C]
    with mock_aws(), pytest.raises(CodeNotFetched, match=r"s3://scripts/v1/: .*NoSuchBucket"):
        asyncio.run(fetch_universal_code(source, Code(tmp_path / "code"), contract))


def test_code_that_is_there_is_not_fetched(tmp_path: Path) -> None:
    source, contract = read_settings(IN_S3).universal_code, CONTRACTS[Generation.C]
    asyncio.run(fetch_universal_code(source, Code(tmp_path), contract))

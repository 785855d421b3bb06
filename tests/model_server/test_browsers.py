"""A web page reaches no port of a model server, and a port does nothing but predict."""

from __future__ import annotations

import http.client
import stat
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import processes_of, running

pytestmark = pytest.mark.slow

FOREIGN = [
    {"Host": "evil.example"},
    {"Host": "localhost.evil.example:8080"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost:3000"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]
PREDICTION = b'{"instances": [1.0]}'


def ports_of(process: psutil.Process) -> set[int]:
    """The ports that a process listens on."""
    return {
        each.laddr.port
        for each in process.net_connections("inet")
        if each.status == psutil.CONN_LISTEN
    }


@pytest.fixture(scope="module")
def ports(without_code: ModelServer) -> dict[str, int]:
    """The port of the front, and the REST port of its engine."""
    front, *others = processes_of(without_code)
    (rest,) = set().union(*map(ports_of, others))
    assert without_code.place.port is not None
    assert ports_of(front) == {without_code.place.port}
    return {"front": without_code.place.port, "engine": rest}


def ask(
    port: int, method: str, path: str, headers: dict[str, str], body: bytes = b""
) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read()


PATHS = {"front": "/invocations", "engine": "/v1/models/half_plus_three:predict"}


@pytest.mark.parametrize("which", PATHS)
@pytest.mark.parametrize("headers", FOREIGN)
def test_another_sites_page_is_answered_by_no_port(
    ports: dict[str, int], which: str, headers: dict[str, str]
) -> None:
    status, answer = ask(ports[which], "POST", PATHS[which], headers, PREDICTION)
    assert status == 403
    assert f"the {next(iter(headers))} header is" in answer.decode()


@pytest.mark.parametrize("which", PATHS)
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]:1", "localhost:1"])
def test_programs_of_this_machine_are_answered(
    ports: dict[str, int], which: str, host: str
) -> None:
    headers = {"Host": host, "Content-Type": "application/json"}
    status, answer = ask(ports[which], "POST", PATHS[which], headers, PREDICTION)
    assert status == 200, answer


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "PATCH"])
@pytest.mark.parametrize(
    "path",
    [
        *("/v1/models", "/v1/models/another", "/v1/config", "/v1/config/reload", "/v1"),
        *("/v1/models/half_plus_three:load", "/v1/models/half_plus_three:unload", "/models"),
    ],
)
def test_the_engines_port_loads_and_changes_nothing(
    ports: dict[str, int], method: str, path: str
) -> None:
    body = b'{"model_name": "another", "url": "/tmp", "config": {}}'
    assert ask(ports["engine"], method, path, {}, body)[0] in (400, 404)
    status, answer = ask(ports["engine"], "GET", "/v1/models/half_plus_three", {})
    assert (status, b"AVAILABLE" in answer) == (200, True)


@pytest.fixture
def private(saved_models: Path, tmp_path: Path) -> Iterator[ModelServer]:
    """A server such as the local AWS starts for itself."""
    with running(saved_models / "half_plus_three", tmp_path, port=None) as server:
        yield server


def test_without_a_port_only_this_user_can_reach_it(private: ModelServer) -> None:
    path = private.place.socket_path
    assert path is not None
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    front, *others = processes_of(private)
    assert ports_of(front) == set()
    assert len(set().union(*map(ports_of, others))) == 1, "the engine's REST port alone"
    connection = private.place.connection(30)
    headers = {"Content-Type": "application/json", "Host": "container.example"}
    connection.request("POST", "/invocations", PREDICTION, headers)
    assert connection.getresponse().status == 200
    private.stop()
    assert not path.exists()

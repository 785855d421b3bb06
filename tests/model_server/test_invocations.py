"""/ping and /invocations of a model without code, as nginx and its JavaScript answer."""

from __future__ import annotations

import socket

import pytest
import requests

from sagemaker_serving.model_server.process import ModelServer
from tests.model_server.servers import log_of, processes_of, until

pytestmark = pytest.mark.slow


def invoke(
    server: ModelServer,
    body: str | bytes,
    content_type: str | None = "application/json",
    *,
    method: str = "POST",
    path: str = "/invocations",
    **headers: str,
) -> requests.Response:
    """A request with these headers and no other."""
    wanted = {"Content-Type": content_type, "Accept": None, "User-Agent": None, **headers}
    return requests.request(method, server.place.url + path, data=body, headers=wanted, timeout=60)


@pytest.mark.parametrize(
    ("body", "content_type", "predictions"),
    [
        ('{"instances": [1.0, 2.0, 5.0]}', "application/json", [3.5, 4.0, 5.5]),
        ("[1.0]\n[2.0]\n", "application/jsons", [[3.5], [4.0]]),
        ("1.0,2.0\n5.0,1.0", "text/csv", [[3.5, 4.0], [5.5, 3.5]]),
    ],
)
def test_a_body_is_converted_by_its_content_type(
    without_code: ModelServer, body: str, content_type: str, predictions: list[object]
) -> None:
    response = invoke(without_code, body, content_type)
    assert (response.status_code, response.json()) == (200, {"predictions": predictions})
    assert response.headers["Content-Type"] == "application/json"


def test_a_large_body_is_taken(without_code: ModelServer) -> None:
    count = 300_000
    rows = "1.0\n" * count
    response = invoke(without_code, rows, "text/csv")
    assert response.json() == {"predictions": [3.5] * count}


@pytest.mark.parametrize(("content_type", "status"), [("application/json", 400), ("x/y", 415)])
def test_200_mb_are_taken_answered_and_survived(
    without_code: ModelServer, content_type: str, status: int
) -> None:
    response = invoke(without_code, bytes(200 * 1024 * 1024), content_type)
    assert response.status_code == status
    assert len(response.content) < 1000
    assert invoke(without_code, "5.0").json() == {"predictions": [5.5]}


def test_a_caller_that_waits_for_continue_is_told_to_go_on(without_code: ModelServer) -> None:
    body = b'{"instances": [1.0]}'
    with socket.create_connection(("127.0.0.1", without_code.place.port), timeout=60) as connection:
        connection.sendall(
            b"POST /invocations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n" % len(body)
        )
        assert connection.recv(1024) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(1024).startswith(b"HTTP/1.1 200 OK\r\n")


def test_broken_http_is_one_line_of_log_and_hurts_nobody(without_code: ModelServer) -> None:
    with socket.create_connection(("127.0.0.1", without_code.place.port), timeout=60) as connection:
        connection.sendall(b"GET /ping HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n")
        assert b" 400 " in connection.recv(1024).splitlines()[0]
    until(
        lambda: 'client sent invalid "Content-Length" header' in without_code.last_log_lines()[-1]
    )
    assert "Traceback" not in log_of(without_code)
    assert invoke(without_code, "5.0").status_code == 200


def test_the_log_has_the_lines_that_people_wait_for(without_code: ModelServer) -> None:
    until(lambda: "started nginx (pid: " in log_of(without_code))
    lines = log_of(without_code).splitlines()
    awaited = [
        "[evhttp_server.cc : 261] NET_LOG: Entering the event loop ...",
        "error_log  /dev/stderr error;",
        "proxy_read_timeout 60;",
        f"{without_code.pid} ",
    ]
    places = [max(at for at, line in enumerate(lines) if line.startswith(text)) for text in awaited]
    assert places == sorted(places)
    assert all(lines.count(text) == 1 for text in awaited[:3])
    assert f"started nginx (pid: {without_code.pid})" in log_of(without_code)


def test_there_is_no_worker_without_code(without_code: ModelServer) -> None:
    commands = [" ".join(process.cmdline()) for process in processes_of(without_code)]
    assert len(commands) == 2
    assert not any("server.handler" in command for command in commands)


def test_memory_is_that_of_all_processes(without_code: ModelServer) -> None:
    invoke(without_code, "5.0")
    taken = [process.memory_full_info() for process in processes_of(without_code)]
    own, mapped = sum(each.uss for each in taken), sum(each.rss for each in taken)
    # What is shared with servers of other tests is theirs as well: no number of bytes stays true.
    assert max(each.rss for each in taken) < mapped
    assert 0.9 * own < without_code.memory_bytes() < 1.1 * mapped

"""The adapter of Ray Serve's image, before a server that says what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from sagemaker_serving.model_server.ports import free_port
from sagemaker_serving.model_server.ray_serve.supervisor import Front

OWN = {"X-Amzn-SageMaker-Custom-Attributes": "k=v"}


async def application(request: web.BaseRequest) -> web.StreamResponse:
    """Stands where Ray Serve stands; the body says what it does."""
    if request.path == "/-/healthz":
        return web.Response(text="success")
    body = await request.read()
    if body == b"silent":
        await asyncio.sleep(60)
    if body.startswith(b"parts"):
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        await answer.write(b"one")
        if body == b"parts and no end":
            assert request.transport is not None
            request.transport.abort()
        elif body == b"parts, held":
            await asyncio.sleep(60)
        await answer.write(b"two")
        return answer
    told = {"path": request.path, "headers": dict(request.headers), "body": body.decode()}
    return web.json_response(told, status=int(body or b"200"), headers={**OWN, "X-Own": "no"})


@asynccontextmanager
async def serving(
    handle: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]], port: int
) -> AsyncIterator[None]:
    runner = web.ServerRunner(web.Server(handle, handler_cancellation=True), shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield
    finally:
        await runner.cleanup()


@asynccontextmanager
async def adapter(
    *, streams: bool = False, timeout_seconds: int = 30, backend: bool = True
) -> AsyncIterator[tuple[aiohttp.ClientSession, str]]:
    """A client, and where the adapter is; without ``backend`` nothing listens behind it."""
    behind, port = free_port(), free_port()
    front = Front(streams=streams, timeout_seconds=timeout_seconds)
    front.open(behind)
    async with (
        serving(application, behind if backend else free_port()),
        serving(front.handle, port),
        aiohttp.ClientSession() as session,
    ):
        yield session, f"http://127.0.0.1:{port}"
    await front.close()


async def asked(
    body: bytes,
    method: str = "POST",
    path: str = "/invocations",
    headers: dict[str, str] | None = None,
    *,
    streams: bool = False,
    timeout_seconds: int = 30,
    backend: bool = True,
) -> tuple[int, dict[str, str], bytes]:
    async with (
        adapter(streams=streams, timeout_seconds=timeout_seconds, backend=backend) as (client, url),
        client.request(method, url + path, data=body, headers=headers) as reply,
    ):
        return reply.status, dict(reply.headers), await reply.read()


def test_a_request_goes_to_the_root_with_sagemaker_s_headers_and_no_others() -> None:
    sent = {**OWN, "Content-Type": "text/csv", "Accept": "text/plain", "X-Own": "no"}
    status, headers, body = asyncio.run(asked(b"418", headers=sent))
    told = json.loads(body)
    given = {name.lower(): text for name, text in told["headers"].items()}
    assert (status, told["path"], told["body"]) == (418, "/", "418")
    assert (given["content-type"], given["accept"]) == ("text/csv", "text/plain")
    assert given["x-amzn-sagemaker-custom-attributes"] == "k=v"
    assert "x-own" not in given
    assert headers["X-Amzn-SageMaker-Custom-Attributes"] == "k=v"
    assert headers["Content-Type"].startswith("application/json")
    assert "X-Own" not in headers


def test_aws_s_adapter_sends_a_streamed_answer_once_it_is_whole() -> None:
    _, headers, body = asyncio.run(asked(b"parts"))
    assert (body, headers["Content-Length"]) == (b"onetwo", "6")
    assert headers["Content-Type"] == "text/event-stream; charset=utf-8"


def test_an_adapter_of_one_s_own_sends_each_part_as_it_comes() -> None:
    async def first_part() -> bytes:
        async with (
            adapter(streams=True) as (client, url),
            client.post(f"{url}/invocations", data=b"parts, held") as reply,
        ):
            return await reply.content.readany()

    assert asyncio.run(first_part()) == b"one"


def test_a_stream_that_breaks_off_does_not_pass_for_whole() -> None:
    with pytest.raises(aiohttp.ClientPayloadError):
        asyncio.run(asked(b"parts and no end", streams=True))


def test_an_answer_that_breaks_off_is_an_error_of_aws_s_adapter() -> None:
    status, _, body = asyncio.run(asked(b"parts and no end"))
    assert status == 500
    assert "error" in json.loads(body)


def test_ray_serve_that_is_silent_or_gone_is_told_as_the_adapter_tells_it() -> None:
    status, _, body = asyncio.run(asked(b"silent", timeout_seconds=1))
    assert (status, json.loads(body)) == (504, {"error": "Request timeout"})
    status, _, body = asyncio.run(asked(b"200", backend=False))
    assert (status, json.loads(body)) == (503, {"error": "Service unavailable"})


@pytest.mark.parametrize(
    ("method", "path", "backend", "status"),
    [
        ("GET", "/ping", True, 200),
        ("GET", "/ping", False, 503),
        ("POST", "/ping", True, 405),
        ("GET", "/invocations", True, 405),
        ("GET", "/models", True, 404),
    ],
)
def test_ping_asks_ray_serve_and_other_paths_are_not_there(
    method: str, path: str, backend: bool, status: int
) -> None:
    assert asyncio.run(asked(b"", method, path, backend=backend))[0] == status

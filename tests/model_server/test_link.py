from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.model_server.link import LinkClient, LinkLost, LinkServer, Reply
from sagemaker_serving.model_server.racing import all_of, first_of


async def echo(method: str, path: str, body: bytes) -> Reply:
    """200 for the body; /slow waits for ever."""
    if path == "/slow":
        await asyncio.Event().wait()
    return Reply(200, f"{method} {path} ".encode() + body, "x/echo")


@asynccontextmanager
async def linked(
    folder: Path, *, read_timeout: float = 10
) -> AsyncIterator[tuple[LinkClient, list[LinkServer]]]:
    path = folder / "s"
    ends: list[LinkServer] = []

    def end() -> LinkServer:
        ends.append(LinkServer(echo))
        return ends[-1]

    server = await asyncio.get_running_loop().create_unix_server(end, str(path))
    client = await LinkClient.connect(path, read_timeout=read_timeout)
    try:
        yield client, ends
    finally:
        client.close()
        server.close()


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 20))


def test_a_request_gets_its_own_reply(tmp_path: Path) -> None:
    async def work() -> None:
        async with linked(tmp_path) as (client, _):
            replies = await asyncio.gather(
                *(client.request("POST", f"/é{number}", b"x" * number) for number in range(50))
            )
        for number, reply in enumerate(replies):
            assert reply.body == f"POST /é{number} ".encode() + b"x" * number
            assert (reply.status, reply.content_type) == (200, "x/echo")

    run(work())


def test_a_slow_request_does_not_hold_up_the_others(tmp_path: Path) -> None:
    async def work() -> None:
        async with linked(tmp_path) as (client, _):
            slow = asyncio.ensure_future(client.request("GET", "/slow"))
            assert (await client.request("GET", "/quick")).status == 200
            assert not slow.done()
            slow.cancel()

    run(work())


def test_a_body_of_many_megabytes_arrives_whole(tmp_path: Path) -> None:
    async def work() -> None:
        body = bytes(range(256)) * 100_000
        async with linked(tmp_path) as (client, _):
            reply = await client.request("POST", "/", body)
        assert reply.body == b"POST / " + body

    run(work())


def test_a_late_reply_is_a_timeout(tmp_path: Path) -> None:
    async def work() -> None:
        async with linked(tmp_path, read_timeout=0.05) as (client, _):
            with pytest.raises(TimeoutError):
                await client.request("GET", "/slow")
            assert (await client.request("GET", "/quick")).status == 200

    run(work())


def test_requests_fail_when_the_other_end_is_gone(tmp_path: Path) -> None:
    async def work() -> None:
        async with linked(tmp_path) as (client, ends):
            waiting = asyncio.ensure_future(client.request("GET", "/slow"))
            await client.request("GET", "/quick")
            assert ends[0].transport is not None
            ends[0].transport.abort()
            with pytest.raises(LinkLost):
                await waiting
            with pytest.raises(LinkLost):
                await client.request("GET", "/quick")

    run(work())


async def fail() -> None:
    raise ValueError("failed")


class Endless:
    """Runs until it is cancelled, and says whether it was."""

    ended = False

    async def run(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True


def test_the_first_to_end_ends_the_others() -> None:
    other = Endless()

    async def work() -> None:
        await first_of(asyncio.sleep(0), other.run())

    asyncio.run(work())
    assert other.ended


def test_the_first_to_fail_ends_the_others_and_is_raised() -> None:
    others = Endless(), Endless()

    async def work() -> None:
        with pytest.raises(ValueError, match="failed"):
            await first_of(others[0].run(), fail())
        with pytest.raises(ValueError, match="failed"):
            await all_of(others[1].run(), fail())

    asyncio.run(work())
    assert others[0].ended
    assert others[1].ended


def test_all_are_waited_for() -> None:
    ended: list[int] = []

    async def one(number: int) -> None:
        await asyncio.sleep(0)
        ended.append(number)

    async def work() -> None:
        await all_of(one(1), one(2))

    asyncio.run(work())
    assert ended == [1, 2]

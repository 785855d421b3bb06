"""Loading and unloading models, with processes that only say that they are ready."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from sagemaker_serving.model_server.discovery import Model
from sagemaker_serving.model_server.engine_forks.client import EngineForksClient
from sagemaker_serving.model_server.engine_forks.forks import Become, EngineForks
from sagemaker_serving.model_server.multi_model import Outcome
from sagemaker_serving.model_server.parent_watch import report
from sagemaker_serving.model_server.settings import read_settings

T = TypeVar("T")

ROOM_FOR_TWO = "19000-19005"
ROOM_FOR_MANY = "19000-19999"


def become(model: Model) -> Become:
    """What the model's name asks for."""
    if model.name == "on a full disk":
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def engine(rest: socket.socket, grpc: socket.socket, report_fd: int) -> int:
        if model.name == "broken":
            report(report_fd, event="failed", reason="no graph in it")
        elif model.name == "dying":
            os.kill(os.getpid(), signal.SIGKILL)
        elif model.name == "held":
            while not (model.base_path / "go").exists():
                time.sleep(0.01)
            report(report_fd, event="ready")
        elif model.name != "slow":
            report(report_fd, event="ready")
        while model.name != "broken":
            signal.pause()
        return 1

    return engine


@pytest.fixture
def base_path(tmp_path: Path) -> Path:
    (tmp_path / "m" / "1").mkdir(parents=True)
    return tmp_path / "m"


def with_engine_forks(
    work: Callable[[EngineForks], Awaitable[T]],
    *,
    instances: int = 1,
    wait_seconds: int = 60,
    **environ: str,
) -> T:
    """What ``work`` returns; every engine is ended."""

    async def run() -> T:
        settings = read_settings({"SAGEMAKER_SAFE_PORT_RANGE": ROOM_FOR_MANY} | environ)
        engine_forks = EngineForks(
            settings, instances=instances, wait_seconds=wait_seconds, become=become
        )
        try:
            return await work(engine_forks)
        finally:
            await engine_forks.end()

    return asyncio.run(run())


def test_models_take_the_highest_ports_and_give_them_back(base_path: Path) -> None:
    async def work(engine_forks: EngineForks) -> None:
        for name in ("a", "b"):
            assert await engine_forks.load(name, base_path) is Outcome.LOADED
        assert await engine_forks.load("c", base_path) is Outcome.NO_PORTS
        ports = {name: (e[0]["rest"], e[0]["grpc"]) for name, e in engine_forks.loaded().items()}
        assert ports == {"a": (19001, 19003), "b": (19000, 19002)}
        assert await engine_forks.unload("a")
        assert await engine_forks.load("c", base_path) is Outcome.LOADED
        assert engine_forks.loaded()["c"][0]["rest"] == 19001

    with_engine_forks(work, SAGEMAKER_SAFE_PORT_RANGE=ROOM_FOR_TWO)


def test_every_engine_of_a_model_takes_a_pair_of_ports_and_all_or_none_are_kept(
    base_path: Path,
) -> None:
    async def work(engine_forks: EngineForks) -> None:
        assert await engine_forks.load("a", base_path) is Outcome.LOADED
        assert len(engine_forks.loaded()["a"]) == 2
        assert await engine_forks.load("b", base_path) is Outcome.NO_PORTS
        assert list(engine_forks.loaded()) == ["a"]

    with_engine_forks(work, instances=2, SAGEMAKER_SAFE_PORT_RANGE="19000-19007")


def test_a_model_is_loaded_once_and_unloaded_once(base_path: Path) -> None:
    async def work(engine_forks: EngineForks) -> None:
        both = await asyncio.gather(
            engine_forks.load("a", base_path), engine_forks.load("a", base_path)
        )
        assert sorted(both) == [Outcome.LOADED, Outcome.LOADING]
        assert [await engine_forks.unload("a"), await engine_forks.unload("a")] == [True, False]
        assert engine_forks.loaded() == {}

    with_engine_forks(work)


def test_what_concerns_a_model_waits_until_it_is_loaded(base_path: Path, tmp_path: Path) -> None:
    async def work(engine_forks: EngineForks) -> None:
        path = tmp_path / "forks.sock"
        client = EngineForksClient(path, math.inf)
        async with await asyncio.start_unix_server(engine_forks.handle, path):
            first = asyncio.create_task(engine_forks.load("held", base_path))
            await asyncio.sleep(0)
            works = [
                lambda: list(client.loaded("held")),
                lambda: list(client.loaded()),
                lambda: client.load("held", base_path),
            ]
            waiting = [asyncio.create_task(asyncio.to_thread(work)) for work in works]
            assert await asyncio.to_thread(lambda: list(client.loaded("another"))) == []
            assert await asyncio.to_thread(client.load, "another", base_path) is Outcome.LOADED
            assert not any(task.done() for task in [first, *waiting])
            (base_path / "go").touch()
            assert await first is Outcome.LOADED
            one, all_, again = await asyncio.gather(*waiting)
            assert ("held" in one, "held" in all_) == (True, True)
            assert again is Outcome.LOADED_ALREADY

    with_engine_forks(work)


def test_a_second_load_tries_again_when_the_first_has_failed(base_path: Path) -> None:
    async def work(engine_forks: EngineForks) -> None:
        both = await asyncio.gather(
            engine_forks.load("broken", base_path, 60.0), engine_forks.load("broken", base_path, 60)
        )
        assert set(both) == {Outcome.FAILED}

    with_engine_forks(work)


def test_nobody_waits_for_a_load_that_the_machine_let_down(
    base_path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As a full disk does: the model's unload, and other models' loads, begin at once."""

    async def work(engine_forks: EngineForks) -> list[object]:
        path = tmp_path / "forks.sock"
        client = EngineForksClient(path, 60.0)
        async with await asyncio.start_unix_server(engine_forks.handle, path):
            with pytest.raises(ConnectionError, match="no answer"):
                await asyncio.to_thread(client.load, "on a full disk", base_path)
            return [
                await asyncio.to_thread(client.unload, "on a full disk"),
                await asyncio.to_thread(client.load, "other", base_path),
            ]

    assert with_engine_forks(work) == [False, Outcome.LOADED]
    assert "load of model on a full disk: [Errno 28] No space left" in caplog.text


def test_nobody_waits_longer_than_told(base_path: Path, tmp_path: Path) -> None:
    async def work(engine_forks: EngineForks) -> None:
        path = tmp_path / "forks.sock"
        async with await asyncio.start_unix_server(engine_forks.handle, path):
            loading = asyncio.create_task(engine_forks.load("slow", base_path))
            await asyncio.sleep(0)
            with pytest.raises(TimeoutError):
                await asyncio.to_thread(EngineForksClient(path, 0.1).loaded, "slow")
            loading.cancel()

    with_engine_forks(work)


def test_unloading_ends_the_process(base_path: Path) -> None:
    async def work(engine_forks: EngineForks) -> int:
        await engine_forks.load("a", base_path)
        pid: int = engine_forks.loaded()["a"][0]["pid"]
        assert psutil.pid_exists(pid)
        await engine_forks.unload("a")
        return pid

    assert not psutil.pid_exists(with_engine_forks(work))


@pytest.mark.parametrize("made", [None, "m", "m/variables"])
def test_a_base_path_has_a_version_somewhere_below(tmp_path: Path, made: str | None) -> None:
    if made is not None:
        (tmp_path / made).mkdir(parents=True)
    load = partial(EngineForks.load, name="m", base_path=tmp_path / "m")
    assert with_engine_forks(load) is Outcome.NO_BASE_PATH


def test_a_version_may_lie_deeper(tmp_path: Path) -> None:
    (tmp_path / "m" / "export" / "7").mkdir(parents=True)
    load = partial(EngineForks.load, name="m", base_path=tmp_path / "m")
    assert with_engine_forks(load) is Outcome.LOADED


@pytest.mark.parametrize(
    ("name", "said"),
    [("broken", "model broken: no graph in it"), ("dying", "model dying: its engine")],
)
def test_a_model_that_cannot_be_loaded_leaves_nothing_behind(
    base_path: Path, caplog: pytest.LogCaptureFixture, name: str, said: str
) -> None:
    async def work(engine_forks: EngineForks) -> None:
        assert await engine_forks.load(name, base_path) is Outcome.FAILED
        assert engine_forks.loaded() == {}
        assert await engine_forks.load("fine", base_path) is Outcome.LOADED

    with_engine_forks(work)
    assert said in caplog.text


def test_a_model_that_takes_too_long_is_given_up(
    base_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    load = partial(EngineForks.load, name="slow", base_path=base_path)
    assert with_engine_forks(load, wait_seconds=1) is Outcome.FAILED
    assert "model slow: it was not loaded within 1 seconds" in caplog.text


def test_a_model_over_the_memory_limit_is_not_kept(
    base_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(engine_forks: EngineForks) -> None:
        assert await engine_forks.load("a", base_path) is Outcome.NO_MEMORY
        assert engine_forks.loaded() == {}

    with_engine_forks(work, SAGEMAKER_SERVING_MEMORY_LIMIT_MB="1")
    assert "MB are taken, SAGEMAKER_SERVING_MEMORY_LIMIT_MB is 1" in caplog.text


def test_an_engine_that_dies_is_known_to_be_dead_and_takes_no_other_with_it(
    base_path: Path,
) -> None:
    async def work(engine_forks: EngineForks) -> None:
        for name in ("a", "b"):
            await engine_forks.load(name, base_path)
        os.kill(engine_forks.loaded()["a"][0]["pid"], signal.SIGKILL)
        while engine_forks.loaded()["a"][0]["alive"]:
            await asyncio.sleep(0)
        assert engine_forks.loaded()["b"][0]["alive"]
        assert await engine_forks.unload("a")

    with_engine_forks(work)


def test_a_port_that_is_taken_on_this_machine_is_told_and_another_one_served(
    base_path: Path,
) -> None:
    async def work(engine_forks: EngineForks) -> None:
        highest = engine_forks._settings.model_ports.rest[-1]
        with socket.create_server(("127.0.0.1", highest)):
            await engine_forks.load("a", base_path)
        (engine,) = engine_forks.loaded()["a"]
        assert engine["rest"] == highest
        assert engine["served"] not in (0, highest)

    with_engine_forks(work, SAGEMAKER_SAFE_PORT_RANGE="19200-19299")

"""Which models stay, which go, and who waits for whom."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer
from sagemaker_serving.local_sagemaker.hosting.model_cache import (
    NO_ROOM,
    LoadRefused,
    ModelCache,
    NotLoaded,
)
from tests.local_aws.aws import eventually

SIZE = 100


class Server:
    """A server with room for some models; it notes what it does."""

    def __init__(self, folder: Path, *, room: int = 1000, status: int = 200) -> None:
        self.folder = folder
        self.room = room
        self.status = status
        self.loaded: dict[str, str] = {}
        self.unloaded = threading.Event()
        self.did: list[str] = []
        self.may_load = threading.Event()
        self.may_load.set()

    def fetch(self, target: str, folder: Path) -> None:
        if target == "missing":
            raise LookupError(target)
        self.did.append(f"fetch {target}")
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * SIZE)

    def load(self, target: str, name: str, folder: Path) -> ModelAnswer:
        assert self.may_load.wait(120)
        status = NO_ROOM if len(self.loaded) >= self.room else self.status
        if status == 200:
            self.did.append(f"load {target}")
            self.loaded[name] = target
        return ModelAnswer(status=status, headers={}, body=b"said")

    def unload(self, name: str) -> None:
        self.did.append(f"unload {self.loaded.pop(name)}")
        self.unloaded.set()

    def cache(self, *, limit: float | None = None, keeps: bool = True) -> ModelCache:
        return ModelCache(
            fetch=self.fetch,
            load=self.load,
            unload=self.unload,
            folder=self.folder,
            limit_bytes=limit,
            keeps=keeps,
            patience_seconds=30,
        )


Make = Callable[..., Server]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda **settings: Server(tmp_path, **settings)


def ask(cache: ModelCache, *targets: str) -> list[bool]:
    """Whether each target was there already."""
    found = []
    for target in targets:
        with cache.holding(target, 30) as held:
            found.append(not held.was_waited_for)
    return found


def test_a_model_is_fetched_and_loaded_once(make: Make) -> None:
    server = make()
    assert ask(server.cache(), "a", "b", "a", "a") == [False, False, True, True]
    assert server.did == ["fetch a", "load a", "fetch b", "load b"]


@pytest.mark.parametrize("by", ["the server's word", "the limit"])
def test_the_one_asked_longest_ago_goes(make: Make, by: str) -> None:
    server = make(room=2) if by == "the server's word" else make()
    cache = server.cache(limit=None if by == "the server's word" else 2 * SIZE)
    ask(cache, "a", "b", "a", "c")
    assert set(server.loaded.values()) == {"a", "c"}
    assert len(cache) == 2


def test_what_went_comes_back_without_another_download(make: Make) -> None:
    server = make(room=1)
    assert ask(server.cache(), "a", "b", "a") == [False, False, False]
    assert server.did.count("fetch a") == 1
    assert server.did.count("load a") == 2


def test_one_that_is_answering_stays(make: Make) -> None:
    server = make(room=2)
    cache = server.cache()
    with cache.holding("a", 30):
        ask(cache, "b", "c")
        assert set(server.loaded.values()) == {"a", "c"}


def test_one_that_finds_all_in_use_waits_for_one_to_be_done(make: Make) -> None:
    server = make(room=1)
    cache = server.cache()
    done = threading.Event()
    with ExitStack() as busy:
        busy.enter_context(cache.holding("a", 30))

        def second() -> None:
            ask(cache, "b")
            done.set()

        threading.Thread(target=second, daemon=True).start()
        assert set(server.loaded.values()) == {"a"}
    assert done.wait(120)
    assert set(server.loaded.values()) == {"b"}


def test_a_model_above_the_limit_is_refused(make: Make) -> None:
    cache = make().cache(limit=SIZE / 2)
    with pytest.raises(LoadRefused) as refused:
        ask(cache, "a")
    assert refused.value.answer.status == NO_ROOM
    assert b"the memory limit of the local AWS" in refused.value.answer.body


def test_what_the_server_refuses_is_tried_again_the_next_time(make: Make) -> None:
    server = make(status=400)
    cache = server.cache()
    with pytest.raises(LoadRefused) as refused:
        ask(cache, "a")
    assert (refused.value.answer.status, len(cache)) == (400, 0)
    server.status = 200
    assert ask(cache, "a") == [False]


def test_a_model_that_cannot_be_fetched_leaves_nothing(make: Make) -> None:
    cache = make().cache()
    with pytest.raises(LookupError):
        ask(cache, "missing")
    assert len(cache) == 0


def test_a_request_does_not_wait_for_ever_and_loading_goes_on(make: Make) -> None:
    server = make()
    server.may_load.clear()
    cache = server.cache()
    with (
        pytest.raises(NotLoaded, match="Model a is still being downloaded or loaded"),
        cache.holding("a", 0.01),
    ):
        pass
    server.may_load.set()
    assert ask(cache, "a") in ([True], [False])
    assert server.did == ["fetch a", "load a"]


def test_without_a_cache_a_model_goes_after_its_request(make: Make) -> None:
    server = make()
    cache = server.cache(keeps=False)
    ask(cache, "a")
    assert server.unloaded.wait(120)
    assert server.loaded == {}
    eventually(lambda: len(cache) == 0)


def test_a_server_that_started_anew_has_nothing(make: Make) -> None:
    server = make()
    cache = server.cache()
    ask(cache, "a")
    cache.forget()
    server.loaded.clear()
    assert len(cache) == 0
    assert ask(cache, "a") == [False]


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=40),
    st.integers(min_value=1, max_value=5),
)
def test_never_more_than_fit_and_always_the_latest(
    tmp_path_factory: pytest.TempPathFactory, targets: list[str], room: int
) -> None:
    server = Server(tmp_path_factory.mktemp("models"))
    cache = server.cache(limit=room * SIZE)
    latest: list[str] = []
    for target in targets:
        ask(cache, target)
        latest = [target, *(other for other in latest if other != target)][:room]
        assert set(server.loaded.values()) == set(latest)

"""A save is of one moment; nobody waits for ever."""

from __future__ import annotations

import threading

import pytest

from local_aws import write_lock
from local_aws.write_lock import WriteLock


def in_background(work: object) -> threading.Thread:
    assert callable(work)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_save_waits_for_the_change_under_way() -> None:
    gate, changing, order = WriteLock(), threading.Event(), list[str]()

    def change() -> None:
        with gate.change():
            changing.set()
            release.wait()
            order.append("changed")

    release = threading.Event()
    thread = in_background(change)
    changing.wait()
    threading.Timer(0.05, release.set).start()
    with gate.still() as still:
        order.append("saved")
    thread.join()
    assert still
    assert order == ["changed", "saved"]


def test_a_change_waits_for_the_save_under_way() -> None:
    gate, order = WriteLock(), list[str]()

    def change() -> None:
        with gate.change():
            order.append("changed")

    with gate.still():
        thread = in_background(change)
        thread.join(0.1)
        order.append("saved")
    thread.join()
    assert order == ["saved", "changed"]


def test_a_save_does_not_wait_for_a_change_that_only_waits() -> None:
    gate, waiting, release = WriteLock(), threading.Event(), threading.Event()

    def wait() -> None:
        with gate.change(), gate.aside():
            waiting.set()
            release.wait()

    thread = in_background(wait)
    waiting.wait()
    with gate.still() as still:
        assert still
    release.set()
    thread.join()
    with gate.aside(), gate.still() as still:  # by a thread that changes nothing
        assert still


def test_a_step_may_make_changes_while_a_save_waits_for_it() -> None:
    gate, inside, done = WriteLock(), threading.Event(), list[str]()

    def step() -> None:
        with gate.step():
            inside.set()
            release.wait()
            inner = in_background(change)
            inner.join()
            done.append("step")

    def change() -> None:
        with gate.change():
            done.append("change")

    release = threading.Event()
    thread = in_background(step)
    inside.wait()
    threading.Timer(0.05, release.set).start()
    with gate.still() as still:
        assert still
        assert done == ["change", "step"]
    thread.join()


def test_a_save_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_lock, "_PATIENCE_SECONDS", 0.01)
    monkeypatch.setattr(write_lock, "_BETWEEN_SECONDS", 0.01)
    gate = WriteLock()
    with gate.change(), gate.still() as still:
        assert not still


def test_a_change_that_the_save_needs_does_not_wait_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(write_lock, "STILL_SECONDS", 0.05)
    gate = WriteLock()
    with gate.still(), gate.change():
        pass

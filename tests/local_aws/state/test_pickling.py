"""Kept files make the emulator's objects and plain values, and nothing else."""

from __future__ import annotations

import io
import pickle
import threading
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from moto.ecr.models import RepoTagMutability
from moto.ssm.models import SimpleSystemManagerBackend, ssm_backends

from local_aws.credentials import ACCOUNT_ID
from local_aws.state.objects import ObjectStore
from local_aws.state.pickling import dump, load


@pytest.fixture
def objects(tmp_path: Path) -> ObjectStore:
    return ObjectStore(tmp_path / "objects")


def again(value: Any, objects: ObjectStore) -> Any:
    return load(dump(value, SimpleSystemManagerBackend, objects)[0], objects)[0]


def test_a_choice_of_the_emulators_is_kept_by_its_value(objects: ObjectStore) -> None:
    """Not as a getattr, which Python 3.11.2 would write and `load` refuses."""
    choice = RepoTagMutability.IMMUTABLE
    data, _ = dump({"kind": choice}, SimpleSystemManagerBackend, objects)
    assert b"getattr" not in data
    assert load(data, objects)[0] == {"kind": choice}


@pytest.mark.parametrize(
    "value",
    [
        {"a": [1, 2.5, None, True, b"bytes", "text"]},
        {"set": {1, 2}, "frozen": frozenset({3})},
        datetime(2026, 11, 21, tzinfo=UTC),
        defaultdict(list, a=[1]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_plain_values_come_back(value: Any, objects: ObjectStore) -> None:
    assert again(value, objects) == value


def test_what_runs_is_made_anew(objects: ObjectStore) -> None:
    held = threading.RLock()
    held.acquire()
    thread, lock, condition = again(
        (threading.current_thread(), held, threading.Condition()), objects
    )
    assert thread is None
    assert lock.acquire(blocking=False)
    assert isinstance(condition, threading.Condition)


def test_another_services_backend_is_named_and_not_copied(objects: ObjectStore) -> None:
    from moto.sns.models import sns_backends

    backend = sns_backends[ACCOUNT_ID]["eu-west-1"]
    assert again({"backend": backend}, objects)["backend"] is backend


def test_a_default_without_a_name_still_makes_defaults(objects: ObjectStore) -> None:
    backend = ssm_backends[ACCOUNT_ID]["eu-west-1"]
    restored = again(backend, objects)
    for name, value in vars(backend).items():
        if isinstance(value, defaultdict) and value.default_factory is not None:
            assert type(vars(restored)[name]["new"]) is type(value.default_factory())


class Harm:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self._call = (function, arguments)

    def __reduce__(self) -> Any:
        return self._call


@pytest.mark.parametrize(
    "harm",
    [
        Harm(eval, "1"),
        Harm(getattr, "a", "upper"),
        Harm(io.open, "/etc/hostname"),
        Harm(__import__, "os"),
        Harm(pickle.loads, b"N."),
    ],
    ids=["eval", "getattr", "open", "import", "loads"],
)
def test_a_file_that_names_anything_else_is_refused(harm: Harm, objects: ObjectStore) -> None:
    with pytest.raises(pickle.UnpicklingError, match="is nothing that is kept here"):
        load(pickle.dumps(harm), objects)


@pytest.mark.parametrize("name", ["../manifest.json", "x", "/etc/passwd", "0" * 32])
def test_an_object_is_read_by_no_other_name_than_its_own(name: str, objects: ObjectStore) -> None:
    with pytest.raises(ValueError, match="names no object"):
        objects.open(name)

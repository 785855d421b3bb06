"""Asynchronous events that wait for their next attempt, on a local AWS with one worker for all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.aws import eventually, running
from tests.local_aws.functions import Functions


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr("local_aws.services.lambda_.asynchronous.WORKERS", 1)
        with running(tmp_path_factory.mktemp("one-worker")) as started:
            yield started


def test_an_event_that_waits_holds_up_no_other(functions: Functions, tmp_path: Path) -> None:
    record = tmp_path / "record"

    def seen(name: str) -> bool:
        return record.exists() and name in record.read_text()

    for name, then in (("fails", "raise RuntimeError"), ("overtakes", "return 1")):
        source = (
            "def handler(event, context):\n"
            f"    with open('{record}', 'a') as file: file.write('{name} ')\n"
            f"    {then}\n"
        )
        functions.create(name, source)
        functions.api.invoke(FunctionName=name, InvocationType="Event")
        eventually(partial(seen, name))
    assert record.read_text() == "fails overtakes "

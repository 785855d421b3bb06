"""What the containers of a pipeline are asked."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local_sagemaker.hosting import Invocation, KeptContainer, Pipeline


class Answering:
    """A container that says one thing, and what it was asked."""

    def __init__(self, status: int, body: bytes, content_type: str | None = "text/x") -> None:
        self._answer = ModelAnswer(
            status=status,
            headers={} if content_type is None else {"Content-Type": content_type},
            body=body,
        )
        self.container = SimpleNamespace(plan=SimpleNamespace(name="container-1"))
        self.asked: list[tuple[bytes, Mapping[str, str]]] = []

    def ask(self, body: bytes, headers: Mapping[str, str], **_: Any) -> ModelAnswer:
        self.asked.append((body, dict(headers)))
        return self._answer


def ask(*containers: Answering, timeout_seconds: float = 60.0) -> ModelAnswer:
    headers = {"Content-Type": "text/csv", "Accept": "application/json", "X-Other": "kept"}
    pipeline = Pipeline(cast(list[KeptContainer], list(containers)))
    return pipeline.ask(Invocation(body=b"in", headers=headers, timeout_seconds=timeout_seconds))


def test_only_the_last_is_told_what_is_accepted() -> None:
    first, second = Answering(200, b"between", "text/between"), Answering(200, b"out")
    assert ask(first, second).body == b"out"
    assert first.asked == [(b"in", {"Content-Type": "text/csv", "X-Other": "kept"})]
    told = {"Content-Type": "text/between", "X-Other": "kept", "Accept": "application/json"}
    assert second.asked == [(b"between", told)]


def test_an_answer_without_a_type_is_bytes() -> None:
    second = Answering(200, b"out")
    ask(Answering(200, b"between", None), second)
    assert second.asked[0][1]["Content-Type"] == "application/octet-stream"


@pytest.mark.parametrize("status", [400, 500])
def test_an_error_ends_the_way(status: int) -> None:
    second = Answering(200, b"out")
    assert ask(Answering(status, b"no"), second).status == status
    assert second.asked == []


def test_the_time_is_for_all_of_them() -> None:
    with pytest.raises(NoAnswer, match="took all the time") as late:
        ask(Answering(200, b"out"), timeout_seconds=0.0)
    assert (late.value.timed_out, late.value.container) == (True, "container-1")

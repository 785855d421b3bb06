"""What every kind of variant offers: start, answer, rest, wake, stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sagemaker_serving.local_sagemaker.containers.container import Container
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer, Part

Observe = Callable[[str, float, str], None]
"""Counts one value of a variant's metric: its name, the value, CloudWatch's unit."""


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One request on its way to a variant: bytes, and the headers that models are given.

    With ``stream_seconds`` the answer is wanted in parts, for that long at most. ``path`` is the
    container's. With ``sent`` it is a WebSocket's, over which these go in place of ``body``.
    """

    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float
    stream_seconds: float | None = None
    target_model: str | None = None
    path: str = "/invocations"
    sent: Iterator[Part] | None = None


class Host(Protocol):
    """Stands behind one variant; any number of threads may ask."""

    @property
    def containers(self) -> Sequence[Container]:
        """Its containers, the first one first."""

    @property
    def restarts(self) -> int:
        """How often a server of its has died and was started again."""

    def start(self, deadline_seconds: float) -> None:
        """Return when it could answer; raises `ContainerFailed` with nothing left running."""

    def ask(self, invocation: Invocation) -> ModelAnswer:
        """What the model says; raises `NoAnswer`, and `AwsError` for what SageMaker refuses."""

    def kill(self) -> None:
        """End the processes as a crash would."""

    def rest(self) -> None:
        """End the processes until `wake`: the variant has no instances."""

    def wake(self, deadline_seconds: float) -> None:
        """Start again what rested; raises `ContainerFailed`."""

    def stop(self) -> None:
        """End everything for good."""

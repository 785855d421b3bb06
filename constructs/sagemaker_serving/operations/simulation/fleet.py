"""A variant's instances: who gets a request, and how they come and go."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Protocol

from local_aws.scaling import Change, ScaledTarget
from sagemaker_serving.operations.simulation.curve import ServiceCurve
from sagemaker_serving.operations.simulation.instance import (
    Answered,
    BatchingInstance,
    Instance,
    ServerLimits,
)
from sagemaker_serving.operations.simulation.report import Minute

if TYPE_CHECKING:
    from simpy import Environment, Event

LEAST_OUTSTANDING = "LEAST_OUTSTANDING_REQUESTS"


class _Server(Protocol):
    outstanding: int

    def take(self, arrived: float) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class FleetPlan:
    """How a fleet is: its servers, how many at first, and what it takes to have another."""

    curve: ServiceCurve
    limits: ServerLimits
    instances: int
    routing: str = "RANDOM"
    scale: float = 1.0
    start_seconds: float = 300.0


class Fleet:
    """Instances in a simpy ``environment``; minutes of ``minutes`` are filled in as they pass.

    A new instance takes requests ``start_seconds`` after it was asked for. One that is given back
    takes none from then on, and is paid for until its last request is answered.
    """

    def __init__(
        self, environment: Environment, plan: FleetPlan, minutes: list[Minute], random: Random
    ) -> None:
        self.changes: list[Change] = []
        self.paid_seconds = 0.0
        self.waited_seconds = 0.0
        """Of all requests together, in the servers: divided by the time, how many there were."""
        self._environment = environment
        self._plan = plan
        self._minutes = minutes
        self._random = random
        self._ready: list[_Server] = [self._server() for _ in range(plan.instances)]
        self._draining: list[_Server] = []
        self._starting = 0
        self._outstanding = 0
        self._last = 0.0
        self._paid_until = 0.0

    def arrive(self) -> None:
        """A request comes, now."""
        now = self._environment.now
        minute = self._minute(now)
        minute.arrived += 1
        self._count(now)
        server = self._chosen()
        if server is None or not server.take(now):
            minute.refused += 1
            return
        self._outstanding += 1
        minute.most_at_once = max(minute.most_at_once, self._outstanding / len(self._ready))

    def follow(
        self, target: ScaledTarget, progress: Callable[[int], None]
    ) -> Generator[Event, Any, None]:
        """Each minute what policies and schedules ask for; a process of simpy.

        ``progress`` is told how many minutes have passed.
        """
        for number, minute in enumerate(self._minutes):
            yield self._environment.timeout(60 * (number + 1) - self._environment.now)
            minute.instances = len(self._ready)
            minute.paid = minute.instances + self._starting + len(self._draining)
            self._pay()
            for change in target.step(number, busy=self._starting > 0):
                self.changes.append(change)
                self._change(change, target)
            progress(number + 1)

    def _change(self, change: Change, target: ScaledTarget) -> None:
        more = change.after - len(self._ready)
        if more > 0:
            self._starting += more
            self._environment.process(self._start(more, target))
            return
        for _ in range(-more):
            server = self._ready.pop()
            if server.outstanding:
                self._draining.append(server)
        target.fulfil(self._environment.now)

    def _start(self, more: int, target: ScaledTarget) -> Generator[Event, Any, None]:
        yield self._environment.timeout(self._plan.start_seconds)
        self._pay()
        self._starting -= more
        self._ready.extend(self._server() for _ in range(more))
        target.fulfil(self._environment.now)

    def _chosen(self) -> _Server | None:
        if len(self._ready) < 2:
            return self._ready[0] if self._ready else None
        if self._plan.routing == LEAST_OUTSTANDING:
            fewest = min(server.outstanding for server in self._ready)
            return self._random.choice([each for each in self._ready if each.outstanding == fewest])
        return self._random.choice(self._ready)

    def _server(self) -> _Server:
        plan = self._plan
        if plan.limits.batching is not None:
            return BatchingInstance(
                self._environment,
                plan.curve,
                scale=plan.scale,
                batching=plan.limits.batching,
                random=self._random,
                answered=self._answered(),
            )
        return Instance(
            self._environment,
            plan.curve,
            scale=plan.scale,
            workers=plan.curve.at_once if plan.limits.workers is None else plan.limits.workers,
            random=self._random,
            answered=self._answered(),
        )

    def _answered(self) -> Answered:
        timeout = self._plan.limits.timeout_seconds
        environment = self._environment

        def answered(arrived: float) -> None:
            now = environment.now
            self._count(now)
            self._outstanding -= 1
            minute = self._minute(arrived)
            if now - arrived > timeout:
                minute.timed_out += 1
            else:
                minute.seconds.append(now - arrived)
            if self._draining:
                self._pay()
                self._draining = [each for each in self._draining if each.outstanding]

        return answered

    def _minute(self, arrived: float) -> Minute:
        """The last one for what rounding has put behind it."""
        return self._minutes[min(int(arrived // 60), len(self._minutes) - 1)]

    def _count(self, now: float) -> None:
        self.waited_seconds += self._outstanding * (now - self._last)
        self._last = now

    def _pay(self) -> None:
        """For the time since it was last paid, with as many as there were."""
        now = min(self._environment.now, 60.0 * len(self._minutes))
        there = len(self._ready) + self._starting + len(self._draining)
        self.paid_seconds += there * (now - self._paid_until)
        self._paid_until = now

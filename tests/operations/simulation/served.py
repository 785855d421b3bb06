"""Servers whose service times are known, and fleets of them under a steady load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sagemaker_serving.operations.simulation import (
    Batching,
    BatchTime,
    FleetPlan,
    Level,
    ServerLimits,
    ServiceCurve,
    Setup,
    SimulationReport,
    simulate,
    traffic_of,
)

EXPONENTIAL = [-math.log(1 - place / 2000) for place in range(2000)] + [math.log(4000)]
"""Quantiles of the exponential distribution with a mean of 1; the last one would be endless."""


def server(
    seconds: float, *, workers: int = 1, quantiles: Sequence[float] = (1.0,), **more: Any
) -> ServiceCurve:
    """One that takes so long for a request on average, in each of its workers."""
    levels = [
        Level(
            callers=callers,
            per_second=callers / seconds,
            quantiles=[seconds * quantile for quantile in quantiles],
        )
        for callers in range(1, workers + 1)
    ]
    return ServiceCurve(
        of="a model",
        where="a machine",
        measured="2026-11-25T12:00:00+00:00",
        levels=levels,
        workers=workers,
        **more,
    )


def batches(seconds_by_examples: dict[int, float]) -> list[BatchTime]:
    return [BatchTime(examples=each, seconds=took) for each, took in seconds_by_examples.items()]


def under(
    traffic: str,
    curve: ServiceCurve,
    *,
    instances: int = 1,
    routing: str = "RANDOM",
    batching: Batching | None = None,
    timeout_seconds: float = 60,
    seed: int = 1,
    scale: float = 1.0,
    goal_seconds: float | None = None,
) -> SimulationReport:
    plan = FleetPlan(
        curve=curve,
        limits=ServerLimits(batching=batching, timeout_seconds=timeout_seconds),
        instances=instances,
        routing=routing,
        scale=scale,
    )
    setup = Setup(title="a fleet", plan=plan, instance_type="ml.c5.large")
    return simulate(setup, traffic_of(traffic), seed=seed, goal_seconds=goal_seconds)

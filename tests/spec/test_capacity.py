"""How much of AWS an environment takes."""

from __future__ import annotations

from typing import Any

import pytest

from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.capacity import Need, needs

CPU = {"name": "cpu", "instance_type": "ml.c5.large", "initial_instance_count": 2}


def of(**model: Any) -> dict[str, Need]:
    environment = Environment.model_validate(
        {
            "name": "prod",
            "region": "eu-west-1",
            "models": {"digits": {"artifact": "model", **model}},
        }
    )
    return {need.thing: need for need in needs(environment)}


def amounts(need: Need) -> tuple[int, int, int]:
    return need.floor, need.ceiling, need.peak


def test_a_blue_green_update_keeps_both_fleets_for_a_while() -> None:
    assert amounts(of(variants=[CPU])["endpoint-instances"]) == (2, 2, 4)


def test_a_rolling_update_takes_a_batch_more() -> None:
    found = of(
        variants=[CPU], scaling={"cpu": {"min": 2, "max": 10}}, update={"rolling_percent": 25}
    )
    assert amounts(found["endpoint-instances"]) == (2, 10, 13)


def test_scaling_sets_the_floor_and_the_ceiling() -> None:
    found = of(variants=[CPU], scaling={"cpu": {"min": 1, "max": 8}})
    assert amounts(found["endpoint-instances"]) == (1, 8, 16)


def test_a_floor_of_zero_is_kept() -> None:
    found = of(
        variants=[CPU],
        asynchronous={},
        scaling={"cpu": {"min": 0, "max": 3, "backlog_per_instance": 5}},
    )
    assert amounts(found["endpoint-instances"])[0] == 0


def test_a_batch_takes_all_the_jobs_that_run_at_once() -> None:
    batch = {"instance_type": "ml.m5.large", "instance_count": 2, "max_concurrent_jobs": 3}
    assert amounts(of(batch_transform=batch)["transform-instances"]) == (0, 6, 6)
    arriving = {**batch, "max_concurrent_executions": 5}
    for arrivals, most in (("objects", 10), ("manifests", 30)):
        found = of(batch_transform={**arriving, "arrivals": arrivals})["transform-instances"]
        assert amounts(found) == (0, most, most)


def test_serverless_takes_concurrency_and_no_instances() -> None:
    variant = {
        "name": "s",
        "memory_size_in_mb": 2048,
        "max_concurrency": 20,
        "provisioned_concurrency": 5,
    }
    found = of(variants=[variant])
    assert "endpoint-instances" not in found
    assert amounts(found["serverless-concurrency"]) == (20, 20, 20)
    assert amounts(found["provisioned-concurrency"]) == (5, 5, 5)
    assert found["serverless-endpoints"].floor == 1


@pytest.mark.parametrize("count", [0, 1])
def test_only_a_model_with_variants_takes_an_endpoint(count: int) -> None:
    assert ("endpoints" in of(variants=[CPU] * count)) is bool(count)

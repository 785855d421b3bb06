"""A variant of an environment file, simulated: its scaling, its limits, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Mistake, NotFound
from sagemaker_serving.operations.simulation import Setup, setup_of, simulate, traffic_of
from sagemaker_serving.spec import Environment
from tests.operations.simulation.served import server

CPU = {"name": "cpu", "instance_type": "ml.c5.xlarge"}


def environment(**model: Any) -> Environment:
    given = {"artifact": "m", "framework": "tensorflow", "variants": [CPU], **model}
    return Environment.model_validate(
        {"name": "prod", "region": "eu-west-1", "models": {"digits": given}}
    )


def setup(seconds: float = 0.02, **model: Any) -> Setup:
    return setup_of(environment(**model), "digits", server(seconds), start_seconds=250)


def test_a_fleet_too_small_names_the_minute_in_which_requests_began_to_fail() -> None:
    batching = {"max_batch_size": 1, "num_batch_threads": 1, "max_enqueued_batches": 8}
    report = simulate(setup(batching=batching), traffic_of("ramp:0-100/10m"))
    (found,) = report.beginnings
    assert found.what == "requests were refused"
    assert report.minutes[1].refused == 0
    assert 2 <= (found.at - report.start).total_seconds() / 60 <= 5  # it answers 50 a second


def test_a_goal_that_is_missed_names_its_first_minute() -> None:
    report = simulate(setup(), traffic_of("ramp:0-60/10m"), goal_seconds=0.1)
    assert report.beginnings[0].what == "p99 was over 100 ms"
    assert 3 <= (report.beginnings[0].at - report.start).total_seconds() / 60 <= 9


def test_target_tracking_adds_instances_which_take_their_time_to_start() -> None:
    scaling = {"cpu": {"min": 1, "max": 4, "invocations_per_instance": 660}}
    report = simulate(setup(scaling=scaling), traffic_of("constant:30/30m"))
    assert [(each.minute, each.before, each.after) for each in report.changes] == [(2, 1, 3)]
    assert [minute.instances for minute in report.minutes[:9]] == [1] * 7 + [3] * 2
    assert report.minutes[4].paid == 3  # from the moment it was asked for
    assert report.instance_hours == pytest.approx((3 * 1 + 27 * 3) / 60)


def test_a_quiet_fleet_shrinks_to_its_least_and_what_leaves_answers_first() -> None:
    scaling = {"cpu": {"min": 1, "max": 4, "concurrent_requests": 5}}
    given = setup(5.0, scaling=scaling, variants=[{**CPU, "initial_instance_count": 4}])
    report = simulate(given, traffic_of("constant:0.02/30m"))
    assert [(each.before, each.after) for each in report.changes] == [(4, 1)]
    assert report.timed_out == report.refused == 0
    assert report.arrived == report.answered


def test_steps_and_schedules_move_the_fleet_too() -> None:
    scaling = {
        "cpu": {
            "min": 1,
            "max": 6,
            "step_policies": [
                {
                    "metric_name": "Invocations",
                    "statistic": "Sum",
                    "steps": [
                        {"lower": 1000, "upper": 2000, "change": 1},
                        {"lower": 2000, "change": 2},
                    ],
                }
            ],
            "schedules": [{"name": "morning", "schedule": "cron(15 8 * * ? *)", "min": 5}],
        }
    }
    monday = datetime(2026, 11, 23, 8, tzinfo=UTC)
    report = simulate(setup(scaling=scaling), traffic_of("constant:20/30m", monday))
    found = [(each.minute, each.before, each.after) for each in report.changes]
    # At a quarter past eight an instance is starting: one change at a time.
    assert found[:3] == [(0, 1, 2), (11, 2, 3), (16, 3, 5)]
    assert report.changes[2].because == "morning"


def test_a_policy_on_a_metric_that_nothing_here_tells_is_said() -> None:
    metric = {"metric_name": "CPUUtilization", "target": 60}
    given = setup(scaling={"cpu": {"min": 1, "max": 2, "tracked_metrics": [metric]}})
    report = simulate(given, traffic_of("constant:1/1m"))
    assert any("CPUUtilization does nothing here" in each for each in report.assumptions)


def test_a_variant_gets_its_share_by_weight() -> None:
    other = {"name": "gpu", "instance_type": "ml.g4dn.xlarge", "weight": 3}
    given = environment(variants=[CPU, other])
    chosen = setup_of(given, "digits", server(0.02), variant="gpu")
    report = simulate(chosen, traffic_of("constant:20/10m"))
    assert report.arrived == pytest.approx(0.75 * 12000, rel=0.03)


def test_what_nobody_said_is_told_as_an_assumption() -> None:
    given = setup_of(environment(scaling={"cpu": {"min": 1, "max": 2}}), "digits", server(0.02))
    text = "\n".join(given.assumptions)
    assert "give --scale" in text
    assert "300 s after it was asked for; nobody said so" in text
    said = setup_of(
        environment(), "digits", server(0.02), scale=0.5, start_seconds=100, instances=3
    )
    assert "nobody said so" not in "\n".join(said.assumptions)
    assert said.plan.instances == 3


def test_a_curve_with_other_settings_than_the_files_is_told() -> None:
    assert any(
        "measured with batching left out" in each
        for each in setup(batching={"max_batch_size": 4}).assumptions
    )


@pytest.mark.parametrize(
    ("model", "variant", "given", "said"),
    [
        ("digit", None, {}, "did you mean digits"),
        ("digits", "gpu", {}, "digits has no variant 'gpu'"),
        ("digits", None, {"variants": []}, "no variants, so no endpoint"),
        ("digits", None, {"variants": [CPU, {**CPU, "name": "b"}]}, "name one with --variant"),
        ("digits", None, {"asynchronous": {}}, "digits has asynchronous; only real-time"),
        (
            "digits",
            None,
            {"variants": [{"name": "s", "memory_size_in_mb": 1024, "max_concurrency": 2}]},
            "s is serverless; only instances are simulated",
        ),
    ],
)
def test_what_cannot_be_simulated_is_refused_by_name(
    model: str, variant: str | None, given: dict[str, Any], said: str
) -> None:
    with pytest.raises((Mistake, NotFound)) as raised:
        setup_of(environment(**given), model, server(0.02), variant=variant)
    assert said in str(raised.value)


def test_shipped_environments_are_simulated() -> None:
    from sagemaker_serving.spec import read_environment

    production = read_environment(Path("environments/prod.yaml")).sound
    given = setup_of(production, "digits", server(0.02), variant="cpu")
    assert given.plan.limits.batching is not None
    assert given.plan.limits.batching.max_enqueued_batches == 64
    assert given.share == pytest.approx(0.1)

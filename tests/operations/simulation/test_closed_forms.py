"""Where queueing theory has a formula, the simulation says the same."""

from __future__ import annotations

import math

import pytest

from sagemaker_serving.operations.simulation import Batching
from tests.operations.simulation.served import EXPONENTIAL, batches, server, under

SERVICE = 0.02


@pytest.mark.parametrize("busy", [0.3, 0.7])
def test_one_worker_and_a_fixed_time_wait_as_in_m_d_1(busy: float) -> None:
    report = under(f"constant:{busy / SERVICE}/10m", server(SERVICE))
    waits = busy * SERVICE / (2 * (1 - busy))  # Pollaczek-Khinchine
    assert report.mean_seconds == pytest.approx(SERVICE + waits, rel=0.05)


@pytest.mark.parametrize(("workers", "busy"), [(1, 0.5), (3, 0.7)])
def test_several_workers_and_exponential_times_wait_as_in_m_m_c(workers: int, busy: float) -> None:
    curve = server(SERVICE, workers=workers, quantiles=EXPONENTIAL)
    report = under(f"constant:{workers * busy / SERVICE}/5m", curve)
    offered = workers * busy
    no_wait = sum(offered**each / math.factorial(each) for each in range(workers))
    all_busy = offered**workers / math.factorial(workers) / (1 - busy)
    waits = all_busy / (no_wait + all_busy) * SERVICE / (workers * (1 - busy))  # Erlang C
    assert report.mean_seconds == pytest.approx(SERVICE + waits, rel=0.07)


def test_a_fleet_with_random_routing_is_so_many_queues_of_their_own() -> None:
    report = under(f"constant:{3 * 0.7 / SERVICE}/3m", server(SERVICE), instances=3)
    waits = 0.7 * SERVICE / (2 * (1 - 0.7))
    assert report.mean_seconds == pytest.approx(SERVICE + waits, rel=0.05)


def test_the_fewest_open_requests_wait_less_than_chance() -> None:
    traffic = f"constant:{3 * 0.8 / SERVICE}/2m"
    by_chance = under(traffic, server(SERVICE), instances=3)
    by_fewest = under(traffic, server(SERVICE), instances=3, routing="LEAST_OUTSTANDING_REQUESTS")
    assert by_chance.mean_seconds is not None
    assert by_fewest.mean_seconds is not None
    assert by_fewest.mean_seconds < 0.7 * by_chance.mean_seconds


def test_as_many_are_there_as_arrive_times_how_long_they_stay() -> None:
    report = under("constant:30/2m", server(SERVICE))
    assert report.mean_seconds is not None
    littles = report.answered / 120 * report.mean_seconds
    assert report.mean_outstanding == pytest.approx(littles, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_every_request_is_answered_refused_or_timed_out(seed: int) -> None:
    batching = Batching(
        max_batch_size=4, batch_timeout_seconds=0.01, num_batch_threads=1, max_enqueued_batches=3
    )
    curve = server(SERVICE, batches=batches({1: 0.05, 4: 0.08}))
    report = under(
        "ramp:10-200/5m", curve, batching=batching, timeout_seconds=0.2, instances=2, seed=seed
    )
    assert report.refused > 0
    assert report.timed_out > 0
    assert report.arrived == report.answered + report.refused + report.timed_out
    assert sum(quarter.arrived for quarter in report.quarters) == report.arrived


def test_what_is_over_the_capacity_is_refused_once_the_queue_is_full() -> None:
    batching = Batching(
        max_batch_size=4, batch_timeout_seconds=0, num_batch_threads=1, max_enqueued_batches=2
    )
    curve = server(0.02, batches=batches({4: 0.08}))  # 50 a second
    report = under("constant:100/3m", curve, batching=batching)
    assert report.refused / report.arrived == pytest.approx(0.5, abs=0.01)
    slowest = max(seconds for minute in report.minutes for seconds in minute.seconds)
    assert slowest <= 0.08 * 4  # the one that runs, two that wait, and its own


def test_without_a_limit_what_is_over_the_capacity_times_out_and_work_is_lost_on_it() -> None:
    report = under("constant:100/6m", server(SERVICE))
    assert report.refused == 0
    assert report.beginnings[0].what == "requests timed out"
    assert report.beginnings[0].at == report.at(1)  # the queue grows by a second in each second
    assert report.minutes[5].timed_out == report.minutes[5].arrived


def test_the_same_seed_gives_the_same_and_another_gives_another() -> None:
    first, again, other = (
        under("constant:30/1m", server(SERVICE), seed=each) for each in (1, 1, 2)
    )
    assert first.as_dict() == again.as_dict()
    assert first.as_dict() != other.as_dict()


def test_half_as_fast_takes_twice_as_long() -> None:
    report = under("constant:0.5/10m", server(SERVICE), scale=0.5)
    assert report.percentile(50) == pytest.approx(2 * SERVICE)


def test_a_batch_waits_for_its_timeout_unless_it_is_full() -> None:
    batching = Batching(
        max_batch_size=2, batch_timeout_seconds=0.5, num_batch_threads=1, max_enqueued_batches=9
    )
    curve = server(0.01, batches=batches({1: 0.01, 2: 0.01}))
    alone = under("constant:0.01/2h", curve, batching=batching)
    assert alone.percentile(50) == pytest.approx(0.51, rel=0.05)
    joined = under("constant:90/1m", curve, batching=batching)
    assert joined.mean_seconds is not None
    assert joined.mean_seconds < 0.1

"""Which settings are tried and taken, by a model whose answers to load are known."""

from __future__ import annotations

import pytest

from sagemaker_serving.operations.bench import VariantReport
from sagemaker_serving.operations.tuning import Settings, Trial, tune


def answering(per_second: float, p99: float, errors: int = 0) -> VariantReport:
    return VariantReport(
        name="",
        seconds=[p99] * round(per_second * 10),
        duration_seconds=10.0,
        errors={"refused": errors} if errors else {},
    )


def server(settings: Settings) -> VariantReport:
    """Batches pay up to 16; a time-out of 2000 fills them best; larger ones are slow."""
    size = settings.max_batch_size
    if size is None:
        return answering(100, 0.010)
    gain = min(size, 16) * 20 - max(0, size - 16) * 10
    if settings.batch_timeout_micros is not None:
        gain += 50 if settings.batch_timeout_micros == 2000 else -20
    return answering(100 + gain, 0.010 + size * 0.001)


def test_the_settings_that_answer_most_within_the_goal_win() -> None:
    found = tune(server, goal_seconds=0.1, has_handler=False, callers=9)
    assert found.reached
    assert found.best.settings == Settings(
        max_batch_size=16, batch_timeout_micros=2000, max_enqueued_batches=9
    )
    assert found.best.settings.block == {
        "batching": {
            "max_batch_size": 16,
            "batch_timeout_micros": 2000,
            "max_enqueued_batches": 9,
        }
    }


def test_a_goal_that_large_batches_miss_takes_smaller_ones() -> None:
    found = tune(server, goal_seconds=0.020, has_handler=False, callers=9)
    assert found.reached
    assert found.best.settings.max_batch_size == 8


def test_where_batching_never_pays_nothing_is_to_be_set() -> None:
    def slow(settings: Settings) -> VariantReport:
        return answering(100 if settings == Settings() else 90, 0.010)

    assert tune(slow, goal_seconds=0.1, has_handler=False, callers=9).best.settings.block == {}


def test_a_goal_that_nothing_keeps_is_said_and_the_nearest_taken() -> None:
    found = tune(server, goal_seconds=0.001, has_handler=False, callers=9)
    assert not found.reached
    assert found.best.settings == Settings()


def test_settings_that_refuse_requests_do_not_win() -> None:
    def refusing(settings: Settings) -> VariantReport:
        large = settings.max_batch_size is not None
        return answering(1000 if large else 100, 0.010, errors=5 if large else 0)

    assert (
        tune(refusing, goal_seconds=0.1, has_handler=False, callers=9).best.settings == Settings()
    )


def test_a_gain_within_the_noise_is_no_gain() -> None:
    def same(settings: Settings) -> VariantReport:
        return answering(101 if settings.gunicorn_threads == 4 else 100, 0.010)

    tried: list[Trial] = []
    tune(same, goal_seconds=0.1, has_handler=True, callers=9, tried=tried.append)
    assert [
        trial.settings.gunicorn_threads for trial in tried if trial.settings.max_batch_size
    ] == [None] * len([trial for trial in tried if trial.settings.max_batch_size])


def test_batching_that_won_by_chance_is_left_out() -> None:
    lucky = iter([150.0])

    def by_chance(settings: Settings) -> VariantReport:
        return answering(next(lucky, 100) if settings.max_batch_size == 4 else 100, 0.010)

    tried: list[Trial] = []
    found = tune(by_chance, goal_seconds=0.1, has_handler=False, callers=9, tried=tried.append)
    assert max(trial.result.per_second for trial in tried) == pytest.approx(150)
    assert found.best.settings == Settings()


def test_with_a_handler_its_threads_come_first() -> None:
    def handler(settings: Settings) -> VariantReport:
        threads = settings.gunicorn_threads
        at_once = 1 if threads is None else threads
        batch = 1 if settings.max_batch_size is None else settings.max_batch_size
        return answering(50 * min(at_once, 16) * (2 if min(batch, at_once) > 4 else 1), 0.010)

    best = tune(handler, goal_seconds=0.1, has_handler=True, callers=9).best.settings
    assert best.gunicorn_threads == 16
    assert best.block["server"] == {"gunicorn_threads": 16}
    assert best.max_batch_size is not None


def test_settings_become_the_containers_variables() -> None:
    assert Settings(max_batch_size=8, gunicorn_threads=4).variables == {
        "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
        "SAGEMAKER_TFS_MAX_BATCH_SIZE": "8",
        "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "64",
        "SAGEMAKER_GUNICORN_THREADS": "4",
    }

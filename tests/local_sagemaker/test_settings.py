"""What can be set of the local SageMaker, read from the environment."""

from __future__ import annotations

import pytest

from sagemaker_serving.errors import Mistake
from sagemaker_serving.local_sagemaker.common.settings import Settings


@pytest.fixture(autouse=True)
def no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another test may have called one, by which variables are named."""
    monkeypatch.delenv("LOCAL_AWS_PROGRAM", raising=False)


def test_nothing_is_compressed_unless_it_is_asked_for() -> None:
    settings = Settings.from_environment({})
    assert (settings.time_scale, settings.multi_model_memory_mb) == (1.0, None)
    assert settings.seconds(300) == 300


def test_a_scale_makes_waits_shorter() -> None:
    settings = Settings.from_environment({"LOCAL_AWS_TIME_SCALE": "60"})
    assert settings.seconds(300) == 5


def test_the_variable_is_named_by_the_program_that_was_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOCAL_AWS_PROGRAM", "sagemaker-serving local")
    settings = Settings.from_environment({"SAGEMAKER_SERVING_TIME_SCALE": "60"})
    assert settings.seconds(300) == 5


def test_a_memory_limit_is_megabytes() -> None:
    settings = Settings.from_environment({"SAGEMAKER_SERVING_MULTI_MODEL_MEMORY_MB": "0.5"})
    assert settings.multi_model_memory_mb == 0.5


@pytest.mark.parametrize("text", ["0", "-1", "fast", "nan", "inf"])
@pytest.mark.parametrize(
    "name", ["LOCAL_AWS_TIME_SCALE", "SAGEMAKER_SERVING_MULTI_MODEL_MEMORY_MB"]
)
def test_what_is_no_positive_number_is_a_mistake(name: str, text: str) -> None:
    with pytest.raises(Mistake, match=f"{name} is '{text}'; it must be a number above 0"):
        Settings.from_environment({name: text})


def test_engines_are_declared_one_a_line() -> None:
    text = "mine=stub\nother=command:python a.py, b"
    settings = Settings.from_environment({"SAGEMAKER_SERVING_ENGINES": text})
    assert settings.engines == {"mine": "stub", "other": "command:python a.py, b"}
    assert Settings.from_environment({}).engines == {}


@pytest.mark.parametrize(("text", "is_off"), [("1", True), ("0", False), ("", None)])
def test_engines_are_switched_off_and_on(text: str, is_off: bool | None) -> None:
    settings = Settings.from_environment({"SAGEMAKER_SERVING_WITHOUT_ENGINES": text})
    assert settings.without_engines is is_off


def test_another_value_of_the_switch_is_a_mistake() -> None:
    with pytest.raises(Mistake, match="WITHOUT_ENGINES is 'yes'; it must be 1 or 0"):
        Settings.from_environment({"SAGEMAKER_SERVING_WITHOUT_ENGINES": "yes"})

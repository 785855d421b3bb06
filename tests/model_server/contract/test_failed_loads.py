"""Loads in multi-model mode that fail or wait, and what each generation leaves behind."""

from __future__ import annotations

from math import inf

import pytest

from sagemaker_serving.model_server.contract import CONTRACTS
from sagemaker_serving.model_server.generations import Generation
from sagemaker_serving.model_server.multi_model import Outcome
from tests.model_server.contract.light import HALF, Light
from tests.model_server.contract.multi import B1, B2, A, C, Multi, meant, uncaught

TWICE = {
    A: "Model half_plus_three is already loaded. "
    "[Errno 17] File exists: '/sagemaker/tfs-config/half_plus_three'",
    B2: "Model half_plus_three is already loaded.",
}


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.NO_MEMORY])
@pytest.mark.parametrize("generation", [A, B1, B2])
def test_up_to_2_19_a_load_that_failed_keeps_the_name(
    container: Light, generation: Generation, outcome: Outcome
) -> None:
    multi = Multi(container, generation, outcome=outcome)
    multi.load()
    multi.engine_forks.outcome = Outcome.LOADED
    assert meant(multi.load()) == (409, {"error": TWICE[B2 if generation is B2 else A]})
    assert "Max retries exceeded" in meant(multi.invoke())[1]["error"]
    assert meant(multi.ask("GET", "/models")) == uncaught(generation)
    assert meant(multi.ask("GET", f"/models/{HALF}")) == uncaught(generation)
    assert meant(multi.ask("DELETE", f"/models/{HALF}")) == (
        (500, {"error": "[Errno 3] No such process"})
        if generation is B2
        else (404, {"error": f"Model {HALF} is not loaded yet"})
    )


def test_from_2_9_to_2_19_the_first_load_that_succeeds_frees_the_names(container: Light) -> None:
    multi = Multi(container, B2, outcome=Outcome.FAILED)
    multi.load()
    multi.engine_forks.outcome = Outcome.LOADED
    assert multi.load("another").status_code == 200
    assert meant(multi.invoke())[0] == 404
    assert multi.load().status_code == 200


def test_since_2_20_a_load_that_failed_leaves_nothing(container: Light) -> None:
    multi = Multi(container, C, outcome=Outcome.FAILED)
    multi.load()
    assert multi.invoke().status_code == 404
    assert meant(multi.ask("GET", "/models")) == (200, {})
    multi.engine_forks.outcome = Outcome.LOADED
    assert multi.load().status_code == 200


@pytest.mark.parametrize("generation", Generation)
def test_a_second_load_that_waits_for_nobody_is_a_409(
    container: Light, generation: Generation
) -> None:
    multi = Multi(container, generation, outcome=Outcome.LOADING)
    status, said = meant(multi.load())
    assert (status, "[Errno 17] File exists" in said["error"]) == (409, True)


def test_who_waits_for_a_load() -> None:
    waits = {each: CONTRACTS[each].multi_model.waits for each in Generation}
    assert [waits[each](1) for each in Generation] == [0.0, 0.0, 0.0, 60.0]
    assert [waits[each](2) for each in Generation] == [0.0, 0.0, inf, 60.0]

"""Fewer requests at a time after a refusal, more again as they are taken."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from itertools import islice, pairwise
from math import inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.client import Retries
from sagemaker_serving.client.pace import Pace
from sagemaker_serving.errors import Failure

PATIENCE = 60.0


def round_of(pace: Pace, requests: int, *, refused: int) -> None:
    """So many requests that are under way together, of which some are refused."""
    with ExitStack() as stack:
        turns = [stack.enter_context(pace.turn()) for _ in range(requests)]
        for number, turn in enumerate(turns):
            turn.refused() if number < refused else turn.answered()


@given(requests=st.integers(1, 40), refused=st.integers(1, 40))
def test_refusals_together_halve_what_was_under_way_once(requests: int, refused: int) -> None:
    pace = Pace()
    round_of(pace, requests, refused=min(refused, requests))
    assert max(1.0, requests / 2) <= pace.most < requests / 2 + 2
    assert pace.refusals == min(refused, requests)


def test_each_round_of_refusals_halves_down_to_one() -> None:
    pace = Pace()
    for at_once, most in ((8, 4.0), (4, 2.0), (2, 1.0), (1, 1.0)):
        round_of(pace, at_once, refused=at_once)
        assert pace.most == most


def test_a_round_of_answers_lets_one_more_go() -> None:
    pace = Pace(most=4.0)
    for _ in range(4):
        round_of(pace, 1, refused=0)
    assert 4.8 < pace.most < 5.1


def test_without_refusals_there_is_no_limit() -> None:
    pace = Pace()
    round_of(pace, 100, refused=0)
    assert pace.most == inf


def test_who_comes_too_many_waits_for_a_turn() -> None:
    pace, there, ended = Pace(most=1.0), threading.Event(), []

    def second() -> None:
        there.set()
        with pace.turn():
            ended.append("second")

    thread = threading.Thread(target=second)
    with pace.turn():
        thread.start()
        assert there.wait(PATIENCE)
        ended.append("first")
    thread.join(PATIENCE)
    assert ended == ["first", "second"]


def test_closing_ends_the_wait_for_a_turn() -> None:
    pace, told = Pace(most=1.0), []

    def second() -> None:
        try:
            with pace.turn():
                told.append("taken")
        except Failure as error:
            told.append(str(error))

    thread = threading.Thread(target=second)
    with pace.turn():
        thread.start()
        pace.close()
        thread.join(PATIENCE)
    assert told == ["the predictor was closed while it waited"]
    with pytest.raises(Failure, match="closed"), pace.turn():
        pass


@given(
    seed=st.integers(), base=st.floats(0.001, 5), cap=st.floats(0.001, 60), count=st.integers(1, 40)
)
def test_waits_are_anywhere_below_what_doubles_up_to_the_cap(
    seed: int, base: float, cap: float, count: int
) -> None:
    retries = Retries(base_seconds=base, cap_seconds=cap, random=Random(seed))
    for number, wait in enumerate(islice(retries.waits(), count)):
        assert 0 <= wait <= min(cap, base * 2**number)


def test_waits_are_spread_over_the_whole_width() -> None:
    retries = Retries(base_seconds=1.0, cap_seconds=1.0, random=Random(1))
    waits = sorted(islice(retries.waits(), 1000))
    assert waits[0] < 0.01
    assert waits[-1] > 0.99
    assert max(after - before for before, after in pairwise(waits)) < 0.02

from __future__ import annotations

from itertools import islice, pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.client import Retries


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

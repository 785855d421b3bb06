from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform.sharding import Input, shards

SIZES = st.lists(st.integers(0, 50), max_size=200)


@given(sizes=SIZES, max_objects=st.integers(1, 20), max_bytes=st.integers(1, 100))
def test_every_input_is_in_one_shard_in_order_and_limits_are_kept(
    sizes: list[int], max_objects: int, max_bytes: int
) -> None:
    inputs = [Input(name=str(n), size=size, modified=0) for n, size in enumerate(sizes)]
    cut = list(shards(inputs, max_objects=max_objects, max_bytes=max_bytes))
    assert [entry for shard in cut for entry in shard] == inputs
    for shard in cut:
        assert 1 <= len(shard) <= max_objects
        assert len(shard) == 1 or sum(entry.size for entry in shard) <= max_bytes


@given(sizes=SIZES, max_objects=st.integers(1, 20), max_bytes=st.integers(1, 100))
def test_no_shard_is_cut_before_it_is_full(
    sizes: list[int], max_objects: int, max_bytes: int
) -> None:
    inputs = [Input(name=str(n), size=size, modified=0) for n, size in enumerate(sizes)]
    cut = list(shards(inputs, max_objects=max_objects, max_bytes=max_bytes))
    for shard, following in pairwise(cut):
        size = sum(entry.size for entry in shard)
        assert len(shard) == max_objects or size + following[0].size > max_bytes

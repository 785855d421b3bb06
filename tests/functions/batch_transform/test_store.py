from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform.seen import Seen
from sagemaker_serving.functions.batch_transform.store import Place, Store
from tests.functions.batch_transform.memory import MemoryS3

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)


@given(there=st.sets(NAMES, max_size=30), wanted=st.sets(NAMES, max_size=30))
def test_a_look_up_finds_what_is_there_and_nothing_else(there: set[str], wanted: set[str]) -> None:
    s3 = MemoryS3()
    for name in there:
        s3.put_object(Bucket="b", Key=f"out/{name}", Body=b"")
    found = Store(s3).found(Place("b", "out/"), sorted(f"out/{name}" for name in wanted))
    assert {key.removeprefix("out/") for key in found} == there & wanted


def test_a_look_up_asks_for_no_more_pages_than_there_are_nor_than_names(s3: MemoryS3) -> None:
    for number in range(5000):
        s3.put_object(Bucket="b", Key=f"out/{number:05}", Body=b"")
    s3.lists = 0
    Store(s3).found(Place("b", "out/"), [f"out/{number:05}" for number in range(5000)])
    assert s3.lists <= 5
    s3.lists = 0
    Store(s3).found(Place("b", "out/"), ["out/00007", "out/04000"])
    assert s3.lists == 2


def test_of_two_that_write_the_same_new_object_one_is_told_so(s3: MemoryS3) -> None:
    store = Store(s3)
    assert store.write_if(Place("b", "lock"), b"1", etag=None)
    assert not store.write_if(Place("b", "lock"), b"2", etag=None)
    assert store.read(Place("b", "lock")) == b"1"


@given(names=st.lists(NAMES, max_size=300))
def test_a_name_is_new_once(names: list[str]) -> None:
    seen, known = Seen(), set()
    for name in names:
        assert seen.add(name) is (name not in known)
        known.add(name)


def test_many_names_are_told_apart() -> None:
    seen = Seen()
    assert all(seen.add(f"images/{number}.png") for number in range(20_000))
    assert not any(seen.add(f"images/{number}.png") for number in range(20_000))

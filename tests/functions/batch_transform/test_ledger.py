"""Which inputs are done, by the seconds that S3 tells of them and of what was made of them."""

from __future__ import annotations

import pytest

from sagemaker_serving.functions.batch_transform.ledger import stale
from sagemaker_serving.functions.batch_transform.quarantine import OBJECTS, RECORDS
from sagemaker_serving.functions.batch_transform.sharding import Input
from tests.functions.batch_transform.memory import MemoryS3
from tests.functions.batch_transform.runs import begun, put


@pytest.mark.parametrize("kind", [OBJECTS, RECORDS])
@pytest.mark.parametrize(("later", "is_done"), [(-1, False), (0, True), (1, True)])
def test_what_has_its_output_since_it_was_put_stands_on_no_list(
    s3: MemoryS3, kind: str, later: int, is_done: bool
) -> None:
    put(s3, {"a": b"x"})
    run = begun(s3)
    entry = Input(name="a", size=1, modified=s3.now)
    assert stale(run, [entry]) == set(), "it is on no list"
    put(s3, {"a.jsonl": b"{}"}, (run.quarantined / kind).key)
    assert stale(run, [entry]) == set(), "it has no output"
    s3.now += later
    put(s3, {"a.out": b"y"}, run.output_place.key)
    assert stale(run, [entry]) == ({"a"} if is_done else set())

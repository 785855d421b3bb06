"""Lines are counted alike, however their bytes come."""

from __future__ import annotations

import json
from dataclasses import asdict

from hypothesis import given
from hypothesis import strategies as st

from sagemaker_serving.functions.batch_transform.line_count import LineCount
from tests.functions.batch_transform.pieces import pieces

PARTS = st.lists(
    st.sampled_from([b"\n", b"\r\n", b" ", b"\t", b"a", b'{"x": 1}', b'"instances" :', b"\x00"]),
    max_size=40,
).map(b"".join)


@given(body=PARTS, seed=st.integers(0, 1000))
def test_lines_blanks_and_requests_are_those_of_the_whole(body: bytes, seed: int) -> None:
    lines = body.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    counted = LineCount()
    for block in pieces(body, seed):
        counted.feed(block)
        counted = LineCount(**json.loads(json.dumps(asdict(counted))))
    assert counted.offset == len(body)
    counted.end()
    assert counted.lines == len(lines)
    assert counted.blanks == sum(not line.strip() for line in lines)
    assert counted.has_requests is (b'"instances" :' in body)

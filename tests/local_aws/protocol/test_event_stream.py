"""Event streams, as botocore reads them."""

from __future__ import annotations

import json

from botocore.eventstream import EventStreamBuffer
from hypothesis import given
from hypothesis import strategies as st

from local_aws.protocol.event_stream import event, exception

NAMES = st.text("abcXYZ", min_size=1, max_size=40)


@given(parts=st.lists(st.tuples(NAMES, st.binary(max_size=200))), cut=st.integers(1, 64))
def test_events_are_read_as_they_were_written_wherever_they_are_cut(
    parts: list[tuple[str, bytes]], cut: int
) -> None:
    written = b"".join(event(name, content) for name, content in parts)
    buffer = EventStreamBuffer()
    for start in range(0, len(written), cut):
        buffer.add_data(written[start : start + cut])
    read = [(message.headers, message.payload) for message in buffer]
    assert read == [
        (
            {
                ":event-type": name,
                ":content-type": "application/octet-stream",
                ":message-type": "event",
            },
            content,
        )
        for name, content in parts
    ]


@given(members=st.dictionaries(NAMES, st.text(max_size=40)))
def test_an_error_carries_its_members(members: dict[str, str]) -> None:
    buffer = EventStreamBuffer()
    buffer.add_data(exception("ModelStreamError", members))
    (message,) = buffer
    assert message.headers == {
        ":exception-type": "ModelStreamError",
        ":content-type": "application/json",
        ":message-type": "exception",
    }
    assert json.loads(message.payload) == members

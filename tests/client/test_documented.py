"""The blocks of docs/client.md, run one after the other as a reader would."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy
import pytest

from local_aws.protocol.event_stream import event
from tests.client.fake_runtime import Answer, Asked, FakeRuntime, fake_runtime, refusal

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def answer(asked: Asked) -> Answer:
    """Adds three to halves where it can tell rows, else names the type it got."""
    if asked.path == "/":
        return refusal("AccessDeniedException", 400)
    if asked.path.endswith("stream"):
        parts = event("PayloadPart", b"one\ntwo\nth") + event("PayloadPart", b"ree")
        return Answer(body=parts, content_type="application/vnd.amazon.eventstream")
    content_type = asked.headers["Content-Type"]
    if content_type == "application/json":
        given = json.loads(asked.body)
        key, rows = next((k, given[k]) for k in ("instances", "examples") if k in given)
        told = [3 + (row["x"] if key == "examples" else float(numpy.sum(row))) / 2 for row in rows]
        named = {"instances": "predictions", "examples": "results"}[key]
        return Answer(body=json.dumps({named: told}).encode())
    if content_type == "text/csv":
        rows = numpy.loadtxt(io.StringIO(asked.body.decode()), delimiter=",", ndmin=2)
        return Answer(body=json.dumps({"predictions": (rows.sum(1) / 2 + 3).tolist()}).encode())
    return Answer(body=json.dumps(content_type).encode())


@pytest.fixture
def runtime() -> Iterator[FakeRuntime]:
    with fake_runtime(answer) as runtime:
        yield runtime


def test_every_block_of_the_page_runs(
    runtime: FakeRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("AWS_ENDPOINT_URL", runtime.url),
        ("AWS_ACCESS_KEY_ID", "test"),
        ("AWS_SECRET_ACCESS_KEY", "test"),
        ("AWS_DEFAULT_REGION", "eu-west-1"),
    ):
        monkeypatch.setenv(name, value)
    for name in ("environments", "model_assets"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("seven.png", "eight.png"):
        (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "many.csv").write_text("1.0\n2.0\n")
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) == 9
    names: dict[str, object] = {}
    for number, block in enumerate(BLOCKS, start=1):
        exec(compile(block, f"docs/client.md, block {number}", "exec"), names)

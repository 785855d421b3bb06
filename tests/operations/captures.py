"""Data capture as SageMaker writes it, for the tests that read it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


def side(data: str, mode: str, content_type: str) -> dict[str, str]:
    """One side of an event, in the encoding that is configured for its type."""
    encoding = "CSV" if content_type == "text/csv" else "JSON"
    return {"observedContentType": content_type, "mode": mode, "data": data, "encoding": encoding}


def event(
    at: datetime = NOON,
    asked: Any = "1",
    answered: Any = "2",
    content_type: str = "text/csv",
    **metadata: Any,
) -> str:
    """A line; a side is its data, or the side itself as a mapping, or None where there is none."""
    sides = {
        key: side(given, mode, content_type) if isinstance(given, str) else given
        for key, mode, given in (
            ("endpointInput", "INPUT", asked),
            ("endpointOutput", "OUTPUT", answered),
        )
        if given is not None
    }
    named = {"eventId": "e", "inferenceTime": at.strftime("%Y-%m-%dT%H:%M:%SZ"), **metadata}
    return json.dumps({"captureData": sides, "eventMetadata": named, "eventVersion": "0"})


def write(path: Path, *lines: str) -> Path:
    """A file with these lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")
    return path


def exchanges(path: Path, pairs: Iterable[tuple[Any, Any]]) -> Path:
    """A capture of requests and answers in JSON."""
    events = (
        event(asked=json.dumps(one), answered=json.dumps(other), content_type="application/json")
        for one, other in pairs
    )
    return write(path, *events)

"""Containers as functions: what each makes of a payload, and the rows that a record is due.

A row echoes what it answers, so that a test can tell whose answer it is: that as many rows came
out as records went in would not tell whether they are the right ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sagemaker_serving.local_sagemaker.records import split
from sagemaker_serving.model_server.conversion import CONVERSION_TODAY

Answer = bytes | None
"""None is a refusal, with status 400."""

_DECODER = json.JSONDecoder()


@dataclass(frozen=True, kw_only=True)
class Container:
    """``ask`` answers a payload; ``due`` has the rows that one record alone is due."""

    ask: Callable[[bytes], Answer]
    due: Callable[[bytes], list[Any]]
    read: Callable[[bytes], list[Any]]
    """The rows of an output, as whoever asked for it reads them."""


def tensorflow(content_type: str, *, strict: bool) -> Container:
    """TensorFlow Serving behind its front, with a model that answers what it is asked.

    ``strict`` is how its parser was up to 2.17: it refuses what follows the first document; later
    ones never look at it.
    """

    def ask(payload: bytes) -> Answer:
        text = CONVERSION_TODAY.to_tfs_json(content_type, payload).decode()
        try:
            document, end = _DECODER.raw_decode(text.lstrip())
        except ValueError:
            return None
        if strict and text.lstrip()[end:].strip():
            return None
        instances = document.get("instances") if isinstance(document, dict) else None
        if not isinstance(instances, list) or not instances or REFUSED in text:
            return None
        return json.dumps({"predictions": instances}, indent=4).encode()

    def due(record: bytes) -> list[Any]:
        answer = ask(record)
        return [] if answer is None else json.loads(answer)["predictions"]

    return Container(ask=ask, due=due, read=lambda body: rows(body, "predictions"))


def joined(container: Container) -> Container:
    """A container whose answers SageMaker joins to their records, which have to be JSON."""

    def due(record: bytes) -> list[Any]:
        try:
            json.loads(record)
        except ValueError:
            return []
        return container.due(record)

    def read(body: bytes) -> list[Any]:
        found = [each["SageMakerOutput"] for each in documents(body)]
        return [row for each in found for row in each["predictions"]]

    return Container(ask=container.ask, due=due, read=read)


REFUSED = "refuse"
"""Whatever has this in it, no container answers."""

SKIPPED = "skip"
"""A record that `careless` forgets without a word."""


def careless(*, accept: str) -> Container:
    """A script of somebody's: it answers line by line, as ``accept`` says, and forgets some.

    Blank lines are lines to it.
    """

    def answered(line: str) -> str | None:
        return None if SKIPPED in line else f"<{line}>"

    def ask(payload: bytes) -> Answer:
        text = payload.decode()
        if REFUSED in text:
            return None
        lines = text.removesuffix("\n").split("\n")
        values = [value for value in map(answered, lines) if value is not None]
        if accept == "text/csv":
            return "\n".join(values).encode()
        if accept == "application/jsonlines":
            return "\n".join(map(json.dumps, values)).encode()
        return json.dumps(values).encode()

    def due(record: bytes) -> list[Any]:
        value = answered(record.decode())
        return [] if value is None or REFUSED in record.decode() else [value]

    if accept == "application/json":
        return Container(ask=ask, due=due, read=lambda body: rows(body, None))
    return Container(ask=ask, due=due, read=lambda body: lines_of(body, accept))


def framed(split_type: str, *, together: bool) -> Container:
    """A script that reads records with their frames, or bare ones, and answers in JSON."""

    def of(payload: bytes) -> Sequence[bytes]:
        return [each.data for each in split(payload, split_type)] if together else [payload]

    def ask(payload: bytes) -> Answer:
        records = [record.decode("latin-1") for record in of(payload)]
        if any(REFUSED in record for record in records):
            return None
        answered = [f"<{record}>" for record in records if SKIPPED not in record]
        none: dict[str, Any] = {"predictions": []}
        alone = {"answer": answered[0]} if answered else none
        return json.dumps(answered if together else alone).encode()

    def due(record: bytes) -> list[Any]:
        text = record.decode("latin-1")
        return [] if SKIPPED in text or REFUSED in text else [f"<{text}>"]

    def read(body: bytes) -> list[Any]:
        found = documents(body)
        return [
            row
            for each in found
            for row in (each if isinstance(each, list) else [each.get("answer")])
            if row is not None
        ]

    return Container(ask=ask, due=due, read=read)


def documents(body: bytes) -> list[Any]:
    """The JSON documents of an output, one after the other."""
    text, found = body.decode().strip(), []
    while text:
        document, end = _DECODER.raw_decode(text)
        found.append(document)
        text = text[end:].strip()
    return found


def rows(body: bytes, name: str | None) -> list[Any]:
    """All rows of all documents: of lists, or of what stands under a name."""
    return [
        row for each in documents(body) for row in (each if name is None else each.get(name, []))
    ]


def lines_of(body: bytes, accept: str) -> list[Any]:
    """The answers of an output with one in each line."""
    text = [line for line in body.decode().split("\n") if line.strip()]
    return [json.loads(line) for line in text] if accept == "application/jsonlines" else text

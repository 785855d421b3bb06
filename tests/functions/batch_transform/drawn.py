"""Inputs drawn at random, odd ones among them, and who says independently what became of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.functions.batch_transform.containers import (
    REFUSED,
    SKIPPED,
    Container,
    careless,
    framed,
    joined,
    tensorflow,
)
from tests.local_sagemaker.record_files import recordio, tfrecord

LIMIT = 1024 * 1024
"""The most bytes of a record, with max_payload_in_mb 1."""

NAMES = (
    "plain.jsonl",
    "with blanks.csv",
    "deep/er/über.txt",
    "_batch/report.json",
    "old/_batch/quarantine.jsonl",
    "a+b&c=d%20e?.x",
    "x.out",
    "…/….jsonl",
    "'quoted\".csv",
    "double//slash",
)


@dataclass(frozen=True, kw_only=True)
class Case:
    """A way to cut and to ask, the container that is asked, and how its records look."""

    fields: Mapping[str, Any]
    requests_alone: bool = False
    container: Container
    record: Callable[[Random, int], bytes]

    @property
    def split_type(self) -> str:
        """How objects are cut."""
        return str(self.fields["split_type"])

    def body(self, chance: Random, records: Sequence[bytes]) -> bytes:
        """An object of these records; lines end as lines do somewhere."""
        if self.split_type == "RecordIO":
            return recordio(records)
        if self.split_type == "TFRecord":
            return tfrecord(records)
        ending = chance.choice([b"\n", b"\n", b"\n", b"\r\n"])
        body = ending.join(records)
        return body if not records or chance.random() < 0.3 else body + ending

    def records(self, body: bytes, written: Sequence[bytes]) -> Sequence[bytes]:
        """The records that an object has, as whoever reads its lines sees them."""
        if self.split_type != "Line":
            return written
        lines = body.split(b"\n")
        return lines[:-1] if lines[-1] == b"" else lines


def instance(chance: Random, number: int) -> bytes:
    """A line that is an instance, or something odd."""
    return chance.choices(
        [
            json.dumps({"id": number}).encode(),
            b"[%d, 1.5]" % number,
            b"",
            b"  ",
            b"{}",
            b'{"id": %d},{"also": 1}' % number,
            b'{"id": ',
            b'{"id": "%s"}' % REFUSED.encode(),
            b'{"big": "%s"}' % (b"x" * LIMIT),
        ],
        [60, 20, 4, 2, 4, 1, 2, 2, 1],
    )[0]


def request(chance: Random, number: int) -> bytes:
    """A line that is a whole request, or something odd."""
    return chance.choices(
        [
            json.dumps({"instances": [{"id": number}]}).encode(),
            json.dumps({"instances": [number, number + 0.5]}).encode(),
            instance(chance, number),
        ],
        [60, 10, 20],
    )[0]


def row(chance: Random, number: int) -> bytes:
    """A line of CSV, or something odd."""
    texts = [b"%d,2.5" % number, b"%d" % number, b"", b"a,%d" % number, REFUSED.encode()]
    return chance.choices(texts, [60, 20, 4, 8, 2])[0]


def text(chance: Random, number: int) -> bytes:
    """A line for a script, which may be forgotten."""
    texts = [b"line %d" % number, b"", b"%b %d" % (SKIPPED.encode(), number), REFUSED.encode()]
    return chance.choices(texts, [60, 6, 4, 2])[0]


def frame(chance: Random, number: int) -> bytes:
    """A binary record, which may be forgotten, or empty."""
    texts = [b"%d\n\x00\xff" % number, b"", b"%b%d" % (SKIPPED.encode(), number), REFUSED.encode()]
    return chance.choices(texts, [60, 4, 4, 2])[0]


def cases() -> list[Case]:
    """Splits, strategies, content types, and containers that are right, new, old or careless."""
    json_types = ("application/jsonlines", "application/json")
    lines = {"split_type": "Line", "max_payload_in_mb": 1}
    found = [
        Case(
            fields={
                **lines,
                "content_type": content_type,
                "batch_strategy": strategy,
                "assemble_with": assembled,
            },
            requests_alone=True,
            container=tensorflow(content_type, strict=strict),
            record=record,
        )
        for content_type, record in (
            (json_types[0], instance),
            (json_types[0], request),
            (json_types[1], instance),
            ("text/csv", row),
        )
        for strategy in ("MultiRecord", "SingleRecord")
        for assembled in ("Line", "None")
        for strict in (False, True)
    ]
    found += [
        Case(
            fields={
                **lines,
                "content_type": "application/jsonlines",
                "accept": "application/jsonlines",
                "batch_strategy": strategy,
                "assemble_with": "Line",
                "join_source": "Input",
                "compression_type": "Gzip",
            },
            requests_alone=True,
            container=joined(tensorflow("application/jsonlines", strict=True)),
            record=instance,
        )
        for strategy in ("MultiRecord", "SingleRecord")
    ]
    found += [
        Case(
            fields={
                **lines,
                "accept": accept,
                "batch_strategy": strategy,
                "assemble_with": "Line",
            },
            container=careless(accept=accept),
            record=text,
        )
        for accept in ("text/csv", "application/jsonlines", "application/json")
        for strategy in ("MultiRecord", "SingleRecord")
        if (accept, strategy) != ("application/json", "SingleRecord")
    ]
    found += [
        Case(
            fields={
                "split_type": split_type,
                "batch_strategy": strategy,
                "accept": "application/json",
                "max_payload_in_mb": 1,
            },
            container=framed(split_type, together=strategy == "MultiRecord"),
            record=frame,
        )
        for split_type in ("RecordIO", "TFRecord")
        for strategy in ("MultiRecord", "SingleRecord")
    ]
    return found


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Objects by their names, and the records that each has."""

    files: Mapping[str, bytes]
    records: Mapping[str, Sequence[bytes]]


def draw(
    chance: Random, case: Case, *, names: Sequence[str] | None = None, most: int = 70
) -> Drawn:
    """Objects of up to ``most`` records, under ``names`` or one to three odd ones, and one more.

    The first of them by name has one: an execution begins by looking at it, and refuses lines that
    are whole requests where they would share a payload.
    """
    files, records = {}, {}
    drawn = chance.sample(NAMES, chance.randint(1, 3)) if names is None else names
    for name in ("!", *drawn):
        count = 1 if name == "!" else chance.choice([0, 1, 2, 5, most // 2, most])
        written = [case.record(chance, number) for number in range(count)]
        if case.split_type == "Line":
            written = [record.replace(b"\n", b" ") for record in written]
        body = case.body(chance, written)
        records[name] = case.records(body, written)
        files[name] = gzip.compress(body) if "compression_type" in case.fields else body
    return Drawn(files=files, records=records)


def unaccounted(
    case: Case,
    drawn: Drawn,
    outputs: Mapping[str, bytes],
    listed: Sequence[Mapping[str, Any]],
    *,
    line_per_record: bool = False,
) -> list[str]:
    """What is wrong: records with neither an answer nor a place on the list, or with both.

    Told from outputs and the list alone, by reading them as whoever gets them does.
    """
    wrong = [f"{name}: an output to no input" for name in outputs.keys() - drawn.files.keys()]
    for name, records in drawn.records.items():
        lines = [line for line in listed if line["object"] == name]
        whole = [line for line in lines if "record" not in line]
        if whole:
            if name in outputs:
                wrong.append(f"{name}: listed whole, and answered")
            if whole[0].get("records", len(records)) != len(records):
                wrong.append(f"{name}: {whole[0]['records']} of {len(records)} records are listed")
            continue
        numbers = [
            number
            for line in lines
            for number in range(line["record"], line["record"] + line.get("records", 1))
        ]
        if len(set(numbers)) != len(numbers) or not set(numbers) <= set(range(1, len(records) + 1)):
            wrong.append(f"{name}: {numbers} are listed of {len(records)} records")
        answered = [
            record for number, record in enumerate(records, start=1) if number not in numbers
        ]
        if name not in outputs:
            if answered:
                wrong.append(f"{name}: {len(answered)} records are lost")
            continue
        if line_per_record:
            wrong += _out_of_line(case, name, records, numbers, outputs[name])
            continue
        due = [row for record in answered for row in case.container.due(record)]
        if any(not case.container.due(record) for record in answered):
            wrong.append(f"{name}: a record that has no answer is taken for answered")
        if case.container.read(outputs[name]) != due:
            wrong.append(f"{name}: {case.container.read(outputs[name])!r:.300} for {due!r:.300}")
    return wrong


def _out_of_line(
    case: Case, name: str, records: Sequence[bytes], numbers: Sequence[int], output: bytes
) -> list[str]:
    """Lines of an output that are not what their records are due."""
    *lines, end = output.split(b"\n")
    if end or len(lines) != len(records):
        return [f"{name}: {len(lines)} lines and {end!r} for {len(records)} records"]
    is_text = case.fields.get("accept") == "text/csv"
    wrong = []
    for number, (line, record) in enumerate(zip(lines, records, strict=True), start=1):
        if number in numbers:
            is_right = line == b"" if is_text else [*json.loads(line)] == ["error"]
        else:
            due = case.container.due(record)
            alone = due[0] if len(due) == 1 else due
            is_right = line == str(alone).encode() if is_text else False
            if not is_text:
                value = json.loads(line)
                is_right = value in (alone, due) or case.container.read(line) == due
        if not is_right:
            wrong.append(f"{name}: line {number} is {line!r:.200} for {record!r:.200}")
    return wrong

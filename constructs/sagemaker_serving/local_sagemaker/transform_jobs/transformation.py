"""One object of a transform job: its bytes into payloads, and answers into its output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from isal import igzip, igzip_lib

from sagemaker_serving.catalog.json_path import JsonPath, NothingSelected
from sagemaker_serving.local_sagemaker.common.jobs import ObjectRefused
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.records import (
    Payload,
    Record,
    assemble,
    batch,
    separator_of,
    split,
)
from sagemaker_serving.local_sagemaker.transform_jobs.documents import (
    Format,
    format_of,
    write_lines,
)

DEFAULT_MAX_PAYLOAD_MB = 6
DEFAULT_BATCH_STRATEGY = "MultiRecord"
"""SageMaker API reference, CreateTransformJob; the strategy as jobs without one
log it (github.com/aws/amazon-sagemaker-examples/issues/1620)."""

_NOT_GZIP = cast(tuple[type[Exception], ...], (OSError, EOFError, igzip_lib.IsalError))


@dataclass(frozen=True)
class Cut:
    """An object's records as they came, and the payloads that hold them."""

    records: Sequence[Record]
    payloads: Sequence[Payload]


@dataclass(frozen=True, kw_only=True)
class Transformation:
    """How a job cuts and assembles its objects; the job itself asks the model.

    ``limit`` is the most bytes of a payload; None for MaxPayloadInMB 0.
    """

    split_type: str
    is_gzip: bool
    strategy: str
    limit: int | None
    assemble_with: str
    processing: DataProcessing

    @classmethod
    def of(cls, job: Resource) -> Transformation:
        """What CreateTransformJob was given; raises `InvalidJsonPath`."""
        source = job["TransformInput"]
        megabytes = job.get("MaxPayloadInMB", DEFAULT_MAX_PAYLOAD_MB)
        return cls(
            split_type=source.get("SplitType", "None"),
            is_gzip=source.get("CompressionType", "None") == "Gzip",
            strategy=job.get("BatchStrategy", DEFAULT_BATCH_STRATEGY),
            limit=None if megabytes == 0 else megabytes * 1024 * 1024,
            assemble_with=job["TransformOutput"].get("AssembleWith", "None"),
            processing=DataProcessing.of(job),
        )

    def cut(self, body: bytes) -> Cut:
        """The payloads of an object; raises `ObjectRefused`."""
        records = list(split(_gunzip(body) if self.is_gzip else body, self.split_type))
        asked = (self.processing.filter_input(record) for record in records)
        payloads = batch(
            asked,
            strategy=self.strategy,
            limit=self.limit,
            separator=separator_of(self.split_type),
        )
        return Cut(records, list(payloads))

    def output(self, cut: Cut, answers: Iterable[bytes]) -> bytes:
        """An object's output, of one answer for each payload; raises `ObjectRefused`."""
        processed = (
            self.processing.process_answer(
                cut.records[payload.records.start : payload.records.stop], answer
            )
            for payload, answer in zip(cut.payloads, answers, strict=True)
        )
        return assemble(processed, self.assemble_with)


def _gunzip(body: bytes) -> bytes:
    if not body:
        raise ObjectRefused("not a gzip file (it is empty)")
    try:
        unpacked: bytes = igzip.decompress(body)
    except _NOT_GZIP as error:
        raise ObjectRefused(f"not a gzip file ({error})") from None
    return unpacked


# A job's DataProcessing: filter what the model is asked, join and filter what it answers.
#
# SageMaker developer guide, "Associate Prediction Results with Input Records".

ROOT = "$"
"""The filter that lets everything through, the default of both."""


@dataclass(frozen=True, kw_only=True)
class DataProcessing:
    """What a job does with records and answers; without a format, it leaves them as they are."""

    input_format: Format | None
    output_format: Format | None
    input_filter: JsonPath
    output_filter: JsonPath
    joins_input: bool

    @classmethod
    def of(cls, job: Resource) -> DataProcessing:
        """What CreateTransformJob was given; raises `InvalidJsonPath`."""
        given = job.get("DataProcessing", {})
        return cls(
            input_format=format_of(job["TransformInput"].get("ContentType")),
            output_format=format_of(job["TransformOutput"].get("Accept")),
            input_filter=JsonPath.parse(given.get("InputFilter", ROOT)),
            output_filter=JsonPath.parse(given.get("OutputFilter", ROOT)),
            joins_input=given.get("JoinSource", "None") == "Input",
        )

    def filter_input(self, record: Record) -> Record:
        """The record as the model sees it; raises `ObjectRefused`."""
        if self.input_filter.is_root or self.input_format is None:
            return record
        values = self.input_format.read_input(record.data)
        chosen = [_selected(self.input_filter, value) for value in values]
        data = write_lines(self.input_format, chosen)
        return replace(record, data=data, framed=data)

    def process_answer(self, records: Sequence[Record], answer: bytes) -> bytes:
        """The output for ``records``, as they were before the filter; raises `ObjectRefused`.

        A join needs as many values in the answer as in the records.
        """
        if self.output_format is None or (self.output_filter.is_root and not self.joins_input):
            return answer
        values = self.output_format.read_answer(answer)
        if self.joins_input:
            values = self._join(records, values)
        chosen = [_selected(self.output_filter, value) for value in values]
        return write_lines(self.output_format, chosen)

    def _join(self, records: Sequence[Record], answers: list[object]) -> list[object]:
        assert self.input_format is not None
        read = self.input_format.read_input
        asked = [value for record in records for value in read(record.data)]
        if len(asked) != len(answers):
            raise ObjectRefused(
                f"the input has {len(asked)} records and the output of the algorithm "
                f"{len(answers)}; they cannot be joined"
            )
        return [
            self.input_format.join(value, answer)
            for value, answer in zip(asked, answers, strict=True)
        ]


def _selected(path: JsonPath, value: Any) -> Any:
    try:
        return path.select(value)
    except NothingSelected as error:
        raise ObjectRefused(str(error)) from None

"""A job's DataProcessing: filter what the model is asked, join and filter what it answers.

SageMaker developer guide, "Associate Prediction Results with Input Records".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sagemaker_serving.catalog.json_path import JsonPath, NothingSelected
from sagemaker_serving.local_sagemaker.common.jobs import ObjectRefused
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.records import Record
from sagemaker_serving.local_sagemaker.transform_jobs.documents import (
    Format,
    format_of,
    write_lines,
)

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

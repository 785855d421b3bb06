"""One object of a transform job: its bytes into payloads, and answers into its output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from isal import igzip, igzip_lib

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
from sagemaker_serving.local_sagemaker.transform_jobs.data_processing import DataProcessing

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

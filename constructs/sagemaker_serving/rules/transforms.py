"""Rules on transform jobs."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import TransformFacts
from sagemaker_serving.rules.numbers import at_least, between

_SOURCE = "botocore CreateTransformJob, read 2026-11-21"
_DEFAULT_PAYLOAD_MB = 6


@rule("transform-ranges", source=_SOURCE)
def transform_ranges(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's numbers are ones that the API takes."""
    yield from at_least(transform.instance_count, 1)
    yield from between(transform.max_payload_in_mb, 0, 100)
    yield from at_least(transform.max_concurrent_transforms, 0)


@rule("transform-memory", source=_SOURCE)
def transform_memory(transform: TransformFacts) -> Iterator[Finding]:
    """max_payload_in_mb times max_concurrent_transforms is at most 100 MB."""
    payload = transform.max_payload_in_mb.number
    concurrent = transform.max_concurrent_transforms.number
    if concurrent is None:
        return
    megabytes = _DEFAULT_PAYLOAD_MB if payload is None else payload
    if megabytes * concurrent > 100:
        yield (
            transform.max_concurrent_transforms.where,
            f"max_payload_in_mb {megabytes} times max_concurrent_transforms {concurrent} is "
            f"{megabytes * concurrent} MB; a job takes 100; use at most "
            f"{int(100 // megabytes)} concurrent transforms or a smaller payload",
        )


@rule("transform-strategy", source=_SOURCE)
def transform_strategy(transform: TransformFacts) -> Iterator[Finding]:
    """A batch strategy needs a split: without one the whole object is the request."""
    split = transform.split_type.value
    if transform.batch_strategy.text is not None and split in (None, "None"):
        yield (
            transform.batch_strategy.where,
            f"batch_strategy is {transform.batch_strategy.text!r} but split_type is None, so "
            "each object is one request; add split_type: Line, RecordIO or TFRecord, or remove it",
        )


@rule("transform-environment", source=_SOURCE)
def transform_environment(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job takes at most 16 environment variables."""
    count = len(list(transform.environment.entries()))
    if count > 16:
        yield (
            transform.environment.where,
            f"environment has {count} variables; a transform job takes 16; "
            "move the others to the model's environment",
        )

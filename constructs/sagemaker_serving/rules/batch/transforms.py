"""Rules on transform jobs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.s3_location import S3Location
from local_aws.suggest import nearest
from local_aws.template import Unknown
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.engine.numbers import at_least, between
from sagemaker_serving.rules.facts import Fact, TransformFacts

_SOURCE = "botocore CreateTransformJob"
_GUIDE = "AWS SageMaker developer guide, batch transform"
_DEFAULT_PAYLOAD_MB = 6
_KEY = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]{0,1023}")
"""Source: botocore TransformEnvironmentKey."""


@rule("transform-ranges", source=_SOURCE, example="max_payload_in_mb: 500")
def transform_ranges(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's numbers are ones that the API takes.

    The service model has no upper bound of the payload; its text says 100 MB.
    """
    yield from at_least(transform.instance_count, 1)
    yield from between(transform.max_payload_in_mb, 0, 100)
    yield from at_least(transform.max_concurrent_transforms, 0)
    yield from between(transform.timeout, 1, 3600)
    yield from between(transform.retries, 0, 3)


@rule(
    "transform-memory",
    source=_SOURCE,
    example="max_payload_in_mb: 50, three at once",
)
def transform_memory(transform: TransformFacts) -> Iterator[Finding]:
    """Payload in MB times concurrent transforms is at most 100.

    The default payload of 6 MB counts too.
    """
    payload = transform.max_payload_in_mb.number
    concurrent = transform.max_concurrent_transforms.number
    if concurrent is None:
        return
    megabytes = _DEFAULT_PAYLOAD_MB if payload is None else payload
    if megabytes * concurrent > 100:
        yield (
            transform.max_concurrent_transforms.where,
            f"{transform.max_payload_in_mb.name} {megabytes} times "
            f"{transform.max_concurrent_transforms.name} {concurrent} is "
            f"{megabytes * concurrent} MB; a job takes 100; use at most "
            f"{int(100 // megabytes)} concurrent transforms or a smaller payload",
        )


@rule("transform-strategy", source=_SOURCE, example="batch_strategy: MultiRecord   # unsplit")
def transform_strategy(transform: TransformFacts) -> Iterator[Finding]:
    """A batch strategy needs a split: without one the whole object is the request.

    The strategy says how records share a request, and an unsplit object has no records.
    """
    split = transform.split_type.text if transform.split_type.given else None
    if transform.split_type.given and split is None:
        return
    if transform.batch_strategy.text is not None and split in (None, "None"):
        yield (
            transform.batch_strategy.where,
            f"{transform.batch_strategy.name} is {transform.batch_strategy.text!r} but "
            f"{transform.split_type.name} is None, so each object is one request; add "
            f"{transform.split_type.name}: Line, RecordIO or TFRecord, or remove it",
        )


@rule("transform-environment", source=_SOURCE, example="environment: {seventeen variables}")
def transform_environment(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job takes at most 16 environment variables, of 10240 characters each.

    Their names are of letters, digits and _. That is less than a model takes, and the job is
    refused when it is created.
    """
    count = len(list(transform.environment.entries()))
    if count > 16:
        yield (
            transform.environment.where,
            f"environment has {count} variables; a transform job takes 16; "
            "move the others to the model's environment",
        )
    for key, fact in transform.environment.entries():
        if not _KEY.fullmatch(key):
            yield (
                fact.where,
                f"the variable {key!r} is not a name of letters, digits and underscores that "
                "starts without a digit; rename it",
            )
        if fact.text is not None and len(fact.text) > 10240:
            yield (
                fact.where,
                f"{key} has {len(fact.text)} characters; a transform job takes 10240 per variable; "
                "put the value into a file of the archive",
            )


@rule(
    "transform-types",
    source="botocore ContentType, Accept",
    example='content_type: ""',
)
def transform_types(transform: TransformFacts) -> Iterator[Finding]:
    """The types of a job's input and output have 1 to 256 characters on one line.

    An empty one would be sent to the model as it is.
    """
    for fact in (transform.content_type, transform.accept):
        text = fact.text
        if text is not None and (len(text) > 256 or not text.strip() or "\n" in text):
            yield (
                fact.where,
                f"{fact.name} is {text[:40]!r} ({len(text)} characters); it must have 1 to 256 on "
                "one line; give a type such as application/jsonlines, or leave it out",
            )


_CHOICES = {
    "split_type": ("None", "Line", "RecordIO", "TFRecord"),
    "assemble_with": ("None", "Line"),
    "batch_strategy": ("MultiRecord", "SingleRecord"),
    "data_type": ("S3Prefix", "ManifestFile"),
    "compression": ("None", "Gzip"),
    "join_source": ("Input", "None"),
}


@rule("transform-choices", source=_SOURCE, example="SplitType: Lines")
def transform_choices(transform: TransformFacts) -> Iterator[Finding]:
    """A transform job's options are among those that the API takes.

    The service model has four kinds of input; a transform job takes S3Prefix and ManifestFile.
    """
    for field, choices in _CHOICES.items():
        fact: Fact = getattr(transform, field)
        if fact.text is not None and fact.text not in choices:
            close = nearest(fact.text, choices)
            yield (
                fact.where,
                f"{fact.name} is {fact.text!r}; it must be {', '.join(choices)}; "
                f"use {close if close is not None else choices[0]}",
            )


@rule("transform-filters", source=_SOURCE, example="InputFilter: features")
def transform_filters(transform: TransformFacts) -> Iterator[Finding]:
    """A filter is a JSONPath that starts with $, of at most 63 characters.

    Longer paths are refused when the job is created.
    """
    for fact in (transform.input_filter, transform.output_filter):
        text = fact.text
        if text is not None and (len(text) > 63 or not text.startswith("$")):
            yield (
                fact.where,
                f"{fact.name} is {text!r} ({len(text)} characters); it must be a JSONPath from $, "
                "of at most 63; write it as $.field or $[0:3]",
            )


@rule(
    "transform-data-processing",
    source=_GUIDE,
    example="output_filter: $.class   # with accept: image/png",
)
def transform_data_processing(transform: TransformFacts) -> Iterator[Finding]:
    """Filters and the join look into JSON and CSV, of lines or of whole objects.

    An input filter depends on the input's type, an output filter on the output's. For a join both
    types have to be the same, and so have split_type and assemble_with. CSV has to be split, and
    assembled, by line.
    """
    joins = transform.join_source.text == "Input"
    filters = [_filters(transform.input_filter), _filters(transform.output_filter)]
    if not joins and not any(filters):
        return
    if transform.split_type.text in ("RecordIO", "TFRecord"):
        yield (
            transform.split_type.where,
            f"{transform.split_type.name} is {transform.split_type.text!r}; filters and the join "
            "know JSON and CSV only; use Line, or remove them",
        )
        return
    sides = (
        (filters[0] or joins, transform.content_type, transform.split_type),
        (filters[1] or joins, transform.accept, transform.assemble_with),
    )
    for wanted, type_, cut in sides:
        yield from _processed(transform, type_, cut) if wanted else ()
    if joins:
        yield from _alike(transform, transform.content_type, transform.accept)
        yield from _alike(transform, transform.split_type, transform.assemble_with)


_KNOWN_TYPES = ("application/json", "application/jsonlines", "text/csv")


def _filters(fact: Fact) -> bool:
    return fact.given and fact.text != "$"


def _processed(transform: TransformFacts, type_: Fact, cut: Fact) -> Iterator[Finding]:
    """One side of a job whose data is looked into: its type, and how it is cut."""
    if isinstance(type_.value, Unknown):
        return
    known = type_.text.partition(";")[0].strip().lower() if type_.text is not None else None
    if known not in _KNOWN_TYPES:
        yield (
            type_.where if type_.given else transform.where,
            f"{type_.name} is {type_.value!r}; filters and the join know "
            f"{', '.join(_KNOWN_TYPES)}; say which it is",
        )
    elif known == "text/csv" and cut.text != "Line" and not isinstance(cut.value, Unknown):
        yield (
            cut.where if cut.given else transform.where,
            f"{cut.name} is {cut.text!r} and {type_.name} is 'text/csv'; filters and the join read "
            "CSV by the line; use Line",
        )


def _alike(transform: TransformFacts, one: Fact, other: Fact) -> Iterator[Finding]:
    if isinstance(one.value, Unknown) or isinstance(other.value, Unknown):
        return
    first, second = ("None" if fact.value is None else fact.value for fact in (one, other))
    if first != second:
        yield (
            other.where if other.given else transform.where,
            f"{transform.join_source.name} is 'Input', {one.name} is {first!r} and {other.name} is "
            f"{second!r}; the join needs both to be the same; set them so",
        )


@rule("transform-join", source=_GUIDE, example="JoinSource: Input   # with SplitType: None, CSV")
def transform_join(transform: TransformFacts) -> Iterator[Finding]:
    """Answers are joined to their records only where records are split and lines assembled.

    Otherwise nothing marks the end of a record.
    """
    assembled = transform.assemble_with
    fine = isinstance(assembled.value, Unknown) or assembled.text == "Line"
    if transform.join_source.text == "Input" and transform.split_type.text == "Line" and not fine:
        yield (
            transform.join_source.where,
            f"{transform.join_source.name} is 'Input' and records are split by line; without "
            "AssembleWith: Line the joined records run into one another; add it",
        )


@rule("transform-location", source=_SOURCE, example="S3Uri: bucket/prefix/")
def transform_location(transform: TransformFacts) -> Iterator[Finding]:
    """A job reads from and writes to ``s3://bucket/…``; a manifest is one object.

    A manifest is a JSON list: ``[{"prefix": "s3://bucket/path/"}, "first", "second"]``.
    """
    for fact in (transform.s3_uri, transform.output_path):
        text = fact.text
        if text is not None and S3Location.find(text) is None:
            yield (
                fact.where,
                f"{fact.name} is {text!r}; it must be s3://bucket/prefix; write it so",
            )
    uri = transform.s3_uri.text
    if transform.data_type.text == "ManifestFile" and uri is not None and uri.endswith("/"):
        yield (
            transform.s3_uri.where,
            f"{transform.s3_uri.name} is {uri!r} and {transform.data_type.name} is 'ManifestFile'; "
            "a manifest is one object, not a prefix; name the object",
        )

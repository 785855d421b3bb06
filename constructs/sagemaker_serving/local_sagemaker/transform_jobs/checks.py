"""What CreateTransformJob refuses beyond the shapes of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.transform_jobs.data_processing import ROOT
from sagemaker_serving.local_sagemaker.transform_jobs.documents import (
    FORMATS,
    format_of,
    media_type,
)
from sagemaker_serving.local_sagemaker.transform_jobs.transformation import DEFAULT_MAX_PAYLOAD_MB

Parameters = Mapping[str, Any]

MAX_PAYLOAD_TIMES_CONCURRENCY_MB = 100
"""Most of MaxPayloadInMB times MaxConcurrentTransforms (API reference)."""

_JSON_OPERATORS = ("$", "[", "]", "*", ".", " ", ",", ":", "-", "'")
"""As SageMaker lists them (github.com/aws/aws-sdk/issues/184)."""
_CSV_OPERATORS = ("$", "[", "]", "*", " ", ",", ":", "-")
"""Of these, what a path of indexes has; SageMaker's own list for CSV is not known."""


def check_transform_job(parameters: Parameters) -> None:
    """Raise `AwsError`, a ValidationException, for the first thing that is wrong."""
    for problem in (*_payload(parameters), *_data_processing(parameters)):
        raise AwsError("ValidationException", problem)


def _payload(parameters: Parameters) -> Iterator[str]:
    concurrency = parameters.get("MaxConcurrentTransforms") or 1
    payload = parameters.get("MaxPayloadInMB", DEFAULT_MAX_PAYLOAD_MB)
    if concurrency * payload > MAX_PAYLOAD_TIMES_CONCURRENCY_MB:
        yield (
            f"MaxConcurrentTransforms ({concurrency}) times MaxPayloadInMB ({payload}) is more "
            f"than {MAX_PAYLOAD_TIMES_CONCURRENCY_MB} MB"
        )


def _data_processing(parameters: Parameters) -> Iterator[str]:
    """The rules of "Associate Prediction Results with Input Records", in words of our own."""
    given = parameters.get("DataProcessing") or {}
    source, output = parameters["TransformInput"], parameters["TransformOutput"]
    content_type, accept = source.get("ContentType"), output.get("Accept")
    split_type = source.get("SplitType", "None")
    assemble_with = output.get("AssembleWith", "None")
    filters_input = given.get("InputFilter", ROOT) != ROOT
    filters_output = given.get("OutputFilter", ROOT) != ROOT
    joins = given.get("JoinSource", "None") != "None"
    if not (filters_input or filters_output or joins):
        return
    if split_type in ("RecordIO", "TFRecord"):
        yield f"DataProcessing is for JSON and CSV; SplitType is {split_type}"
    if filters_input or joins:
        yield from _known_type("TransformInput.ContentType", content_type)
        if _is_csv(content_type) and split_type != "Line":
            yield f"DataProcessing of text/csv needs SplitType Line; it is {split_type}"
    if filters_output or joins:
        yield from _known_type("TransformOutput.Accept", accept)
        if _is_csv(accept) and assemble_with != "Line":
            yield f"DataProcessing of text/csv needs AssembleWith Line; it is {assemble_with}"
    if joins and media_type(content_type) != media_type(accept):
        yield (
            f"JoinSource Input needs one ContentType and Accept; they are {content_type}, {accept}"
        )
    if joins and split_type != assemble_with:
        yield (
            "JoinSource Input needs one SplitType and AssembleWith; they are "
            f"{split_type}, {assemble_with}"
        )
    yield from _characters("InputFilter", given.get("InputFilter", ROOT), content_type)
    yield from _characters("OutputFilter", given.get("OutputFilter", ROOT), accept)


def _known_type(member: str, content_type: str | None) -> Iterator[str]:
    if format_of(content_type) is None:
        known = ", ".join(FORMATS)
        yield f"DataProcessing needs {member} to be one of {known}; it is {content_type}"


def _is_csv(content_type: str | None) -> bool:
    return format_of(content_type) is FORMATS["text/csv"]


def _characters(member: str, path: str, content_type: str | None) -> Iterator[str]:
    is_csv = _is_csv(content_type)
    operators = _CSV_OPERATORS if is_csv else _JSON_OPERATORS
    for character in path:
        is_name = character.isascii() and character.isalnum()
        if character not in operators and not (character.isdigit() if is_csv else is_name):
            shown = ", ".join(f"'{operator}'" for operator in operators)
            yield (
                f'Invalid {member}: "{path}". Unexpected "{character}" in JsonPath. '
                f'Supported operators for "{content_type}" are [{shown}]'
            )
            return

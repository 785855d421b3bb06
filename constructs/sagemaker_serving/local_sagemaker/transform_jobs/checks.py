"""What CreateTransformJob refuses beyond the shapes of its parameters: what the rules say of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.catalog.json_path import (
    CSV_OPERATORS,
    OPERATORS,
    unexpected_character,
)
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.batch import transforms
from sagemaker_serving.rules.engine import judge
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.template.jobs import transform_facts

_REFUSED = (
    transforms.transform_memory,
    transforms.transform_data_processing,
    transforms.transform_join,
)
"""The rules whose faults a job is refused for; a wrong path fails it when it runs."""


def check_transform_job(parameters: Mapping[str, Any]) -> None:
    """Raise `AwsError`, a ValidationException, for the first thing that is wrong."""
    arguments = Fact(parameters, Where())
    for problem in judge([transform_facts(arguments, arguments)], _REFUSED):
        raise AwsError("ValidationException", problem.message)
    for member, content_type in (
        ("InputFilter", arguments.get("TransformInput").get("ContentType").text),
        ("OutputFilter", arguments.get("TransformOutput").get("Accept").text),
    ):
        _check_characters(member, arguments.get("DataProcessing").get(member).text, content_type)


def _check_characters(member: str, path: str | None, content_type: str | None) -> None:
    """In SageMaker's words (github.com/aws/aws-sdk/issues/184)."""
    is_csv = (content_type or "").partition(";")[0].strip().lower() == "text/csv"
    character = unexpected_character(path or "", is_csv=is_csv)
    if character is not None:
        shown = ", ".join(f"'{each}'" for each in (CSV_OPERATORS if is_csv else OPERATORS))
        raise AwsError(
            "ValidationException",
            f'Invalid {member}: "{path}". Unexpected "{character}" in JsonPath. '
            f'Supported operators for "{content_type}" are [{shown}]',
        )

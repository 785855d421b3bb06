"""Which characters of a transform job's filters CreateTransformJob refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.catalog.json_path import (
    CSV_OPERATORS,
    OPERATORS,
    unexpected_character,
)
from sagemaker_serving.local_sagemaker.common.judged import refuse
from sagemaker_serving.local_sagemaker.common.store import Region, Resource


def check_transform_job(
    region: Region, parameters: Mapping[str, Any], *named: tuple[str, Resource]
) -> None:
    """Raise `AwsError`, a ValidationException; ``named`` is as of `refuse`."""
    refuse(region, "CreateTransformJob", parameters, *named)
    processing = parameters.get("DataProcessing", {})
    for member, content_type in (
        ("InputFilter", parameters["TransformInput"].get("ContentType")),
        ("OutputFilter", parameters["TransformOutput"].get("Accept")),
    ):
        _check_characters(member, processing.get(member), content_type)


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

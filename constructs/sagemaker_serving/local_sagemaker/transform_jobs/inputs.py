"""What a transform job reads: the objects under a prefix, or those that a manifest names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from local_aws.protocol import AwsError
from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.common.store import Resource


class InputRefused(Exception):
    """The input names no objects; the message says why."""


@dataclass(frozen=True)
class Input:
    """One object to transform, and its key under the output path (without ``.out``)."""

    location: S3Location
    name: str


def refuse_empty(s3: Any, source: Resource, *, region: str, role: str | None) -> None:
    """Raise AWS's refusal of a job whose prefix has no objects that its role may list.

    CreateTransformJob looks before it takes a job, in the role's name
    (github.com/aws/amazon-sagemaker-examples/issues/2268).
    """
    location = S3Location.parse(source["S3Uri"])
    if source["S3DataType"] != "S3Prefix":
        return
    try:
        listed = s3.list_objects_v2(Bucket=location.bucket, Prefix=location.key, MaxKeys=1)
    except ClientError:
        listed = {}
    if not listed.get("KeyCount"):
        raise AwsError(
            "ValidationException",
            f'No S3 objects found under S3 URL "{location}" given in input data source. Please '
            f"ensure that the bucket exists in the selected region ({region}), that objects exist "
            f'under that S3 prefix, and that the role "{role}" has "s3:ListBucket" permissions on '
            f'bucket "{location.bucket}".',
        )


def list_inputs(s3: Any, source: Resource) -> Iterator[Input]:
    """The objects of an S3DataSource, in the order of their keys or of the manifest.

    Keys of a prefix are named relative to the prefix's folder: under
    ``s3://b/in/part``, ``in/part-1.csv`` is ``part-1.csv``. Raises
    `InputRefused` when there is none, or for a manifest that is not one;
    botocore's errors pass.
    """
    location = S3Location.parse(source["S3Uri"])
    if source["S3DataType"] == "ManifestFile":
        yield from _of_manifest(s3, location)
        return
    folder = location.key.rpartition("/")[0]
    cut = len(folder) + 1 if folder else 0
    found = False
    for page in s3.get_paginator("list_objects_v2").paginate(
        Bucket=location.bucket, Prefix=location.key
    ):
        for entry in page.get("Contents", ()):
            if entry["Key"].endswith("/"):
                continue  # a folder's placeholder, as consoles make them
            found = True
            yield Input(S3Location(location.bucket, entry["Key"]), entry["Key"][cut:])
    if not found:
        raise InputRefused(
            f'No S3 objects found under S3 URL "{location}" given in input data source. '
            "Please ensure that the bucket exists in the selected region and that objects "
            "exist under that S3 prefix."
        )


def _of_manifest(s3: Any, location: S3Location) -> Iterator[Input]:
    body = s3.get_object(Bucket=location.bucket, Key=location.key)["Body"].read()
    try:
        head, *names = json.loads(body)
        prefix = S3Location.parse(head["prefix"])
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputRefused(
            f'The manifest at "{location}" is not a list of {{"prefix": "s3://…"}} and keys.'
        ) from None
    if not names or not all(isinstance(name, str) for name in names):
        raise InputRefused(f'The manifest at "{location}" names no objects.')
    for name in names:
        yield Input(S3Location(prefix.bucket, prefix.key + name), name)

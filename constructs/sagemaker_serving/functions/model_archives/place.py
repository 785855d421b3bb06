"""What CloudFormation calls: copies archives to where a multi-model endpoint looks for them.

An empty object stands for the prefix itself: of one below which there is nothing,
sagemaker-python-sdk's pull request 1144 says that CreateModel fails, and a notebook of
amazon-sagemaker-examples (multi_model_sklearn_home_value) that it does not. What was put there
stays when the stack goes: the bucket is the owner of its data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.functions.custom_resource.answer import answer
from sagemaker_serving.functions.custom_resource.clients import client
from sagemaker_serving.functions.custom_resource.request import Request

_MARK = "sagemaker-serving-source"
_AT_ONCE = 8
_SPARE_SECONDS = 60
"""What is left of the function's time when it begins no further copy: CloudFormation waits an hour
for a function that is ended without an answer."""


def handler(event: Mapping[str, Any], context: Any) -> None:
    """Does what the request asks, and tells CloudFormation how that went."""
    request = Request.of(event)
    outcome = {"Status": "SUCCESS"}
    try:
        if request.kind != "Delete":
            left = place(request.properties, context)
            if left:
                outcome = {"Status": "FAILED", "Reason": _late(left)}
    except (ClientError, BotoCoreError) as error:
        outcome = {"Status": "FAILED", "Reason": str(error)}
    answer(request, outcome, f"{request.logical_id}-archives")


def place(wanted: Mapping[str, Any], context: Any) -> list[str]:
    """Copies ``Archives`` (``s3://`` URLs by file name) below ``Prefix`` of ``Bucket``; returns the
    names that there was no time for.

    What an earlier request has put there is not copied again, as ``Contents`` tells its content.
    S3 copies by itself, large archives in parts. Raises what AWS answers.
    """
    bucket, prefix = wanted["Bucket"], wanted["Prefix"]
    client("s3").put_object(Bucket=bucket, Key=prefix, Body=b"")
    pages = client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    there = {each["Key"] for page in pages for each in page.get("Contents", ())}

    def put(name: str, url: str) -> str | None:
        if context.get_remaining_time_in_millis() < _SPARE_SECONDS * 1000:
            return name
        mark = sha256(repr((url, wanted["Contents"].get(name))).encode()).hexdigest()
        target = {"Bucket": bucket, "Key": f"{prefix}{name}"}
        if target["Key"] not in there or _mark_of(target) != mark:
            source, _, key = url.removeprefix("s3://").partition("/")
            client("s3").copy(
                {"Bucket": source, "Key": key},
                *target.values(),
                ExtraArgs={"Metadata": {_MARK: mark}, "MetadataDirective": "REPLACE"},
            )
            print(f"{url} is at s3://{bucket}/{prefix}{name}")
        return None

    def every() -> Iterator[str | None]:
        archives = sorted(wanted.get("Archives", {}).items())
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            yield from pool.map(lambda archive: put(*archive), archives)

    return [name for name in every() if name is not None]


def _mark_of(target: Mapping[str, str]) -> str | None:
    """What an archive that is there was copied from; None of one that something else put there."""
    metadata: Mapping[str, str] = client("s3").head_object(**target)["Metadata"]
    return metadata.get(_MARK)


def _late(left: list[str]) -> str:
    return (
        f"{len(left)} archives could not be copied within this function's time, {left[0]} the "
        "first; those before are there: deploy again, and it goes on"
    )

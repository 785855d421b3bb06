"""What CloudFormation calls: copies archives to where a multi-model endpoint looks for them.

An empty object stands for the prefix itself: of one below which there is nothing,
sagemaker-python-sdk's pull request 1144 says that CreateModel fails, and a notebook of
amazon-sagemaker-examples (multi_model_sklearn_home_value) that it does not. What was put there
stays when the stack goes: the bucket is the owner of its data.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

_MOST_BYTES_OF_REASON = 1500  # the whole answer may have 4096, and quoting doubles some
_SECONDS = 30


def handler(event: Mapping[str, Any], context: object) -> None:
    """Does what the request asks, and tells CloudFormation how that went."""
    outcome = {"Status": "SUCCESS"}
    try:
        if event["RequestType"] != "Delete":
            place(event["ResourceProperties"])
    except (ClientError, BotoCoreError) as error:
        reason = str(error).encode()[:_MOST_BYTES_OF_REASON].decode(errors="ignore")
        outcome = {"Status": "FAILED", "Reason": reason}
    _answer(event, outcome)


def place(wanted: Mapping[str, Any]) -> None:
    """Copies ``Archives`` (``s3://`` URLs by file name) below ``Prefix`` of ``Bucket``.

    Large ones are copied in parts, by S3 itself. Raises what AWS answers.
    """
    s3 = boto3.client("s3", config=Config(retries={"mode": "standard", "max_attempts": 5}))
    bucket, prefix = wanted["Bucket"], wanted["Prefix"]
    s3.put_object(Bucket=bucket, Key=prefix, Body=b"")
    for name, url in sorted(wanted.get("Archives", {}).items()):
        source, _, key = url.removeprefix("s3://").partition("/")
        s3.copy({"Bucket": source, "Key": key}, bucket, f"{prefix}{name}")
        print(f"{url} is at s3://{bucket}/{prefix}{name}")


def _answer(event: Mapping[str, Any], outcome: Mapping[str, str]) -> None:
    body = {
        **outcome,
        "PhysicalResourceId": f"{event['LogicalResourceId']}-archives",
        **{name: event[name] for name in ("StackId", "RequestId", "LogicalResourceId")},
    }
    print(json.dumps({**body, "RequestType": event["RequestType"]}))
    sent = urllib.request.Request(
        event["ResponseURL"],
        data=json.dumps(body, ensure_ascii=False).encode(),
        method="PUT",
        headers={"Content-Type": ""},  # the address is signed for none
    )
    urllib.request.urlopen(sent, timeout=_SECONDS).close()

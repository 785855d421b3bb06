"""Names and causes of failed tasks, as Step Functions spells them.

Step Functions calls AWS through two generations of the Java SDK, and a failed
task carries the Java exception's name: optimised integrations the first
generation's (``SageMaker.AmazonSageMakerException``), ``aws-sdk:*`` the
second's (``SageMaker.SageMakerException``). An error that the service's API
declares has a class of its own in both (``S3.NoSuchKeyException``); any other,
AccessDenied among them, falls back to the service's.
https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html and
https://docs.aws.amazon.com/step-functions/latest/dg/supported-services-awssdk.html.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError, ParamValidationError

from local_aws.integration import Integration

RUNTIME = "States.Runtime"
DATA_LIMIT_EXCEEDED = "States.DataLimitExceeded"
ITEM_READER_FAILED = "States.ItemReaderFailed"
RESULT_WRITER_FAILED = "States.ResultWriterFailed"
EXCEED_TOLERATED_FAILURE_THRESHOLD = "States.ExceedToleratedFailureThreshold"
PERMISSIONS = "States.Permissions"
TASK_FAILED = "States.TaskFailed"
TIMEOUT = "States.Timeout"

NOT_CAUGHT_BY_ALL = frozenset({RUNTIME, DATA_LIMIT_EXCEEDED})
"""What ``States.ALL`` neither retries nor catches."""


@dataclass(frozen=True, kw_only=True)
class TaskError:
    """What a state reports when it fails."""

    error: str
    cause: str


def optimised_error(names: Integration | None, failure: Exception) -> TaskError | None:
    """How ``arn:aws:states:::<integration>:…`` reports a call's failure; None when unknown."""
    if names is None:
        return None
    if isinstance(failure, ClientError):
        answer, meta = failure.response["Error"], failure.response["ResponseMetadata"]
        fallback = names.service.removesuffix("v2")  # of a package's name, not of a class's
        return TaskError(
            error=f"{names.prefix}.{_exception(failure, fallback=fallback)}",
            cause=(
                f"{answer.get('Message', '')} (Service: {names.service}; "
                f"Status Code: {meta['HTTPStatusCode']}; Error Code: {answer['Code']}; "
                f"Request ID: {meta.get('RequestId')}; Proxy: null)"
            ),
        )
    return _of_the_client(names.prefix, failure)


def sdk_error(service_id: str, failure: Exception) -> TaskError | None:
    """How ``arn:aws:states:::aws-sdk:…`` reports a call's failure; None when unknown.

    ``service_id`` is the API's own name as botocore has it (``CloudWatch Logs``).
    """
    name = java_name(service_id)
    if isinstance(failure, ClientError):
        answer, meta = failure.response["Error"], failure.response["ResponseMetadata"]
        details = [
            f"Service: {name}",
            f"Status Code: {meta['HTTPStatusCode']}",
            f"Request ID: {meta.get('RequestId')}",
        ]
        if meta.get("HostId"):
            details.append(f"Extended Request ID: {meta['HostId']}")
        return TaskError(
            error=f"{name}.{_exception(failure, fallback=name)}",
            cause=f"{answer.get('Message', '')} ({', '.join(details)})",
        )
    return _of_the_client(name, failure)


def lambda_error(payload: str) -> TaskError:
    """How a function's own error is reported: its ``errorType``, the payload as cause.

    A function that was ended from outside has no type; that is ``Lambda.Unknown``.
    """
    try:
        kind = json.loads(payload)["errorType"]
    except (ValueError, KeyError, TypeError):
        return TaskError(
            error="Lambda.Unknown",
            cause=(
                "The cause could not be determined because Lambda did not return an error "
                f"type. Returned payload: {payload}"
            ),
        )
    return TaskError(error=str(kind), cause=payload)


def java_name(service_id: str) -> str:
    """``SNS`` as ``Sns``, ``DynamoDB`` as ``DynamoDb``, ``CloudWatch Logs`` as ``CloudWatchLogs``.

    The SDK for Java capitalises each word of a service's id, and takes a run of
    capitals for one word.
    """
    words = re.findall(r"[A-Z]{2,}(?![a-z])[0-9]*|[A-Z]?[a-z0-9]+|[A-Z][0-9]*", service_id)
    return "".join(word[:1].upper() + word[1:].lower() for word in words)


def _exception(failure: ClientError, *, fallback: str) -> str:
    declared = type(failure) is not ClientError
    name = type(failure).__name__ if declared else fallback
    return name if name.endswith("Exception") else f"{name}Exception"


def _of_the_client(prefix: str, failure: Exception) -> TaskError | None:
    if isinstance(failure, ParamValidationError):
        return TaskError(error=RUNTIME, cause=str(failure))
    if isinstance(failure, BotoCoreError):
        return TaskError(error=f"{prefix}.SdkClientException", cause=str(failure))
    return None


def cause_of_s3(failure: ClientError) -> str:
    """The cause of a Map state that S3 keeps from reading its items or writing its results."""
    answer: Mapping[str, Any] = failure.response["Error"]
    meta = failure.response["ResponseMetadata"]
    return (
        f"{answer.get('Message', '')} (Service: Amazon S3; Status Code: "
        f"{meta['HTTPStatusCode']}; Error Code: {answer['Code']}; "
        f"Request ID: {meta.get('RequestId')}; S3 Extended Request ID: {meta.get('HostId')})"
    )

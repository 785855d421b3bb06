"""What an asynchronous request reads and writes: its input, its answer or failure, its topics."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.clock import iso, now
from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.async_inference.request import AsyncRequest
from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer

_MOST_IN_A_MESSAGE = 128 * 1024
_SEE = "Check S3 path location(if configured) or Cloudwatch for additional details."

Observe = Callable[[str, float, str], None]


class DeliveryFailed(Exception):
    """The request fails; the message is its failureReason."""


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Does for one endpoint what its AsyncInferenceConfig says, in a role's name.

    ``client`` makes clients in that role's name; ``observe`` counts a metric
    of the variant. (Developer guide, "Asynchronous inference" and "Alarms and
    logs for tracking metrics from asynchronous endpoints".)
    """

    config: Resource
    region: str
    client: Callable[[str], Any]
    observe: Observe

    def fetch(self, request: AsyncRequest) -> bytes:
        """The request's payload; raises `DeliveryFailed`."""
        if request.input is None:
            return request.body
        began = time.monotonic()
        try:
            found = self.client("s3").get_object(Bucket=request.input.bucket, Key=request.input.key)
            body: bytes = found["Body"].read()
        except (ClientError, BotoCoreError) as error:
            self.observe("RequestDownloadFailures", 1, "Count")
            raise DeliveryFailed(
                f"ClientError: Failed to download the input from {request.input}. ({error})"
            ) from None
        self._since("RequestDownloadLatency", began)
        return body

    def succeed(self, request: AsyncRequest, answer: ModelAnswer) -> None:
        """Write the answer and say so; raises `DeliveryFailed` when it cannot be written."""
        began = time.monotonic()
        content_type = answer.headers.get("Content-Type", "application/octet-stream")
        try:
            self._put(request.output, answer.body, content_type)
        except (ClientError, BotoCoreError) as error:
            self.observe("ResponseUploadFailures", 1, "Count")
            raise DeliveryFailed(
                f"ClientError: Failed to upload the response to {request.output}. ({error})"
            ) from None
        self._since("ResponseUploadLatency", began)
        parameters = {"contentType": content_type, "outputLocation": str(request.output)}
        self._notify("SuccessTopic", request, "Completed", answer, parameters)

    def fail(self, request: AsyncRequest, reason: str, answer: ModelAnswer | None) -> None:
        """Write what the model said, or else the reason, to the failure path, and say so."""
        self.observe("InvocationFailures", 1, "Count")
        body = reason.encode() if answer is None else answer.body
        if request.failure is not None:
            content_type = (
                "text/plain"
                if answer is None
                else answer.headers.get("Content-Type", "application/octet-stream")
            )
            try:
                self._put(request.failure, body, content_type)
            except (ClientError, BotoCoreError):
                self.observe("ResponseUploadFailures", 1, "Count")
        where = {} if request.failure is None else {"outputLocation": str(request.failure)}
        self._notify("ErrorTopic", request, "Failed", answer, where, failureReason=reason)

    def _put(self, where: S3Location, body: bytes, content_type: str) -> None:
        key = self.config["OutputConfig"].get("KmsKeyId")
        encryption = {} if key is None else {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": key}
        self.client("s3").put_object(
            Bucket=where.bucket, Key=where.key, Body=body, ContentType=content_type, **encryption
        )

    def _notify(
        self,
        topic: str,
        request: AsyncRequest,
        status: str,
        answer: ModelAnswer | None,
        response: Resource,
        **more: str,
    ) -> None:
        """Publish as SageMaker does (from messages that users have kept)."""
        notification = self.config["OutputConfig"].get("NotificationConfig", {})
        arn = notification.get(topic)
        if arn is None:
            return
        message = {
            "awsRegion": self.region,
            "eventTime": iso(now()),
            "receivedTime": iso(datetime.fromtimestamp(request.received_at, UTC)),
            "invocationStatus": status,
            **more,
            "requestParameters": _request_parameters(request),
            "responseParameters": response,
            "inferenceId": request.inference_id,
            "eventVersion": "1.0",
            "eventSource": "aws:sagemaker",
            "eventName": "InferenceResult",
        }
        if not response:
            del message["responseParameters"]
        wanted = "SUCCESS_NOTIFICATION_TOPIC" if status == "Completed" else _OF_ERRORS
        included = wanted in notification.get("IncludeInferenceResponseIn", ())
        if included and answer is not None and len(answer.body) <= _MOST_IN_A_MESSAGE:
            content = base64.b64encode(answer.body).decode()
            message["responseBody"] = {"content": content, "message": _SEE, "encoding": "BASE64"}
        try:
            self.client("sns").publish(TopicArn=arn, Message=json.dumps(message))
        except (ClientError, BotoCoreError):
            self.observe("NotificationFailures", 1, "Count")

    def _since(self, metric: str, began: float) -> None:
        self.observe(metric, (time.monotonic() - began) * 1e6, "Microseconds")


_OF_ERRORS = "ERROR_NOTIFICATION_TOPIC"


def _request_parameters(request: AsyncRequest) -> dict[str, str]:
    given = {
        "accept": request.headers.get("Accept"),
        "contentType": request.headers.get("Content-Type"),
        "customAttributes": request.headers.get("X-Amzn-SageMaker-Custom-Attributes"),
        "endpointName": request.endpoint,
        "inputLocation": None if request.input is None else str(request.input),
    }
    return {name: value for name, value in given.items() if value is not None}

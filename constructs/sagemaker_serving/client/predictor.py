"""Calls an endpoint, whoever made it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Mistake, ModelFailed, NotFound

LARGEST_BODY = 25 * 1024 * 1024
"""Bytes; the hosting FAQ's limit. botocore's model says 6,291,456. Both read 2026-11-21."""


class Predictor:
    """One endpoint, ready to be called.

    :param endpoint_name: an endpoint of this account and region.
    :param aws: where it is; by default the AWS of the shell.
    """

    def __init__(self, endpoint_name: str, aws: Aws | None = None) -> None:
        self.endpoint_name = endpoint_name
        self._client = (aws if aws is not None else Aws()).client("sagemaker-runtime")

    def predict(
        self,
        body: bytes | str,
        *,
        content_type: str = "application/json",
        accept: str | None = None,
        target_variant: str | None = None,
        custom_attributes: str | None = None,
    ) -> Prediction:
        """Sends one request and returns the model's answer.

        ``body`` is at most 25 MB (some accounts: 6 MB, serverless: 4 MB); AWS
        answers within 60 s. Raises `NotFound` for an unknown endpoint or
        variant, `ModelFailed` with the model's own words when it refuses,
        `Mistake` for a body that is too large, `Failure` when AWS fails.
        """
        raw = body.encode() if isinstance(body, str) else body
        if len(raw) > LARGEST_BODY:
            raise Mistake(
                f"the body has {len(raw):,} bytes; an endpoint takes {LARGEST_BODY:,}; "
                "send fewer examples at once, or run a batch transform"
            )
        given = {
            "Accept": accept,
            "TargetVariant": target_variant,
            "CustomAttributes": custom_attributes,
        }
        started = time.perf_counter()
        with aws_failures():
            try:
                answer = self._client.invoke_endpoint(
                    EndpointName=self.endpoint_name,
                    ContentType=content_type,
                    Body=raw,
                    **{key: value for key, value in given.items() if value is not None},
                )
                content = answer["Body"].read()
            except ClientError as error:
                raise self._explained(error) from None
        return Prediction(
            body=content,
            content_type=answer["ContentType"],
            variant=answer.get("InvokedProductionVariant", ""),
            seconds=time.perf_counter() - started,
        )

    def _explained(self, error: ClientError) -> BaseException:
        answer = error.response["Error"]
        code, message = answer.get("Code"), str(answer.get("Message", ""))
        if code == "ModelError":
            status = int(error.response.get("OriginalStatusCode", 0))
            body = str(error.response.get("OriginalMessage", message))
            return ModelFailed(
                f"the model of {self.endpoint_name} answered {status}: {body.strip()}",
                status=status,
                body=body,
            )
        if code in ("ValidationError", "ValidationException"):
            return NotFound(f"{self.endpoint_name}: {message.rstrip('.')}")
        unexplained: BaseException = error
        return unexplained


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """A model's answer: its body, its type, the variant that gave it, the seconds it took."""

    body: bytes
    content_type: str
    variant: str
    seconds: float

    def json(self) -> Any:
        """The body read as JSON."""
        return json.loads(self.body)

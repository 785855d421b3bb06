"""InvokeEndpoint: a request to an endpoint becomes one to a variant's server, and back."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from werkzeug.datastructures import Headers

from sagemaker_serving.local.context import ACCOUNT_ID
from sagemaker_serving.local.faults import Faults
from sagemaker_serving.local.faults.answers import ask_through
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.sagemaker.endpoints import Endpoints
from sagemaker_serving.local.sagemaker.fleet import Variant
from sagemaker_serving.local.sagemaker.metrics import Metrics
from sagemaker_serving.local.sagemaker.model_client import ModelAnswer, NoAnswer
from sagemaker_serving.local.sagemaker.store import Region, Store

MAX_BODY_BYTES = 25 * 1024 * 1024
"""SageMaker hosting FAQ, read 2026-11-21; botocore's model of InvokeEndpoint still says 6 MiB,
which nothing enforces."""

TIMEOUT_SECONDS = 60.0
"""A model's time for one answer (SageMaker API reference, InvokeEndpoint, read 2026-11-21)."""

_TO_THE_MODEL = (
    "Content-Type",
    "Accept",
    "X-Amzn-SageMaker-Custom-Attributes",
    "X-Amzn-SageMaker-Inference-Id",
)
_FROM_THE_MODEL = ("X-Amzn-SageMaker-Custom-Attributes",)
_TARGET_VARIANT = "X-Amzn-SageMaker-Target-Variant"
_NOT_FOLLOWED = (
    "X-Amzn-SageMaker-Target-Model",
    "X-Amzn-SageMaker-Target-Container-Hostname",
    "X-Amzn-SageMaker-Inference-Component",
    "X-Amzn-SageMaker-Enable-Explanations",
)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What InvokeEndpoint answers: the model's bytes and the headers that go with them."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class ModelError(AwsError):
    """The model refused or failed a request: 424, with the model's own answer inside."""

    def __init__(self, message: str, *, members: Mapping[str, Any]) -> None:
        super().__init__("ModelError", message, status=424)
        self.members = members
        """OriginalStatusCode, OriginalMessage and LogStreamArn, as the API has them."""


class Runtime:
    """Asks the variants of endpoints; bodies pass as bytes and are never looked into."""

    def __init__(
        self, store: Store, endpoints: Endpoints, *, metrics: Metrics, faults: Faults
    ) -> None:
        self._store = store
        self._endpoints = endpoints
        self._metrics = metrics
        self._faults = faults

    def read_body(self, stream: IO[bytes], content_length: int | None) -> bytes:
        """A request's body; raises `AwsError` (413) above `MAX_BODY_BYTES`."""
        if content_length is None or content_length <= MAX_BODY_BYTES:
            body = stream.read(MAX_BODY_BYTES + 1)
            if len(body) <= MAX_BODY_BYTES:
                return body
        raise AwsError(
            "ValidationError",
            f"the body is larger than {MAX_BODY_BYTES} bytes, the most that an endpoint accepts",
            status=413,
        )

    def invoke(self, region_name: str, endpoint: str, *, headers: Headers, body: bytes) -> Answer:
        """Ask the variant that the request names, or one by weight.

        Raises `AwsError`: ValidationError (400) for an endpoint or variant that
        does not serve; `ModelError` (424) for a model's 4xx and 5xx, and for no
        answer within `TIMEOUT_SECONDS`.
        """
        for header in _NOT_FOLLOWED:
            if header in headers:
                raise AwsError("ValidationError", f"the local AWS does not offer {header} yet")
        received = time.perf_counter()
        region = self._store.region(region_name)
        target = headers.get(_TARGET_VARIANT)
        with self._endpoints.variant_for(region, endpoint, target) as variant:
            status, concurrent, asked = 0, variant.in_flight, time.perf_counter()
            try:
                answer = self._ask(endpoint, variant, headers, body)
                status = answer.status
            except NoAnswer as failed:
                raise _model_error(region, endpoint, 0, _why(failed, endpoint)) from None
            finally:
                self._metrics.record(
                    region_name,
                    endpoint,
                    variant.name,
                    status=status,
                    model_seconds=time.perf_counter() - asked,
                    overhead_seconds=asked - received,
                    instance_count=variant.instance_count,
                    concurrent=concurrent,
                )
        if not 200 <= answer.status < 300:
            text = answer.body.decode("utf-8", "replace")
            raise _model_error(region, endpoint, answer.status, text)
        return _answer(answer, variant)

    def _ask(self, endpoint: str, variant: Variant, headers: Headers, body: bytes) -> ModelAnswer:
        client = variant.container.client
        if client is None:
            raise NoAnswer("the container was never started", timed_out=False)
        passed = {name: headers[name] for name in _TO_THE_MODEL if name in headers}
        return ask_through(
            self._faults,
            lambda seconds: client.invoke(body, passed, timeout_seconds=seconds),
            operation="InvokeEndpoint",
            names=(endpoint, variant.name),
            timeout_seconds=TIMEOUT_SECONDS,
            kill=variant.container.kill,
        )


def _answer(answer: ModelAnswer, variant: Variant) -> Answer:
    headers = [
        ("Content-Type", answer.headers.get("Content-Type", "application/octet-stream")),
        ("x-Amzn-Invoked-Production-Variant", variant.name),
    ]
    headers += [(name, answer.headers[name]) for name in _FROM_THE_MODEL if name in answer.headers]
    return Answer(status=answer.status, headers=headers, body=answer.body)


def _model_error(region: Region, endpoint: str, status: int, text: str) -> ModelError:
    side = "client" if 400 <= status < 500 else "server"
    group = f"/aws/sagemaker/Endpoints/{endpoint}"
    message = (
        f'Received {side} error ({status}) from primary with message "{text}". See '
        f"https://{region.name}.console.aws.amazon.com/cloudwatch/home?region={region.name}"
        f"#logEventViewer:group={group} in account {ACCOUNT_ID} for more information."
    )
    return ModelError(
        message,
        members={
            "OriginalStatusCode": status,
            "OriginalMessage": text,
            "LogStreamArn": f"arn:aws:logs:{region.name}:{ACCOUNT_ID}:log-group:{group}",
        },
    )


def _why(failed: NoAnswer, endpoint: str) -> str:
    if failed.timed_out:
        return (
            "Your invocation timed out while waiting for a response from container primary. "
            "Review the latency metrics for each container in Amazon CloudWatch, resolve the "
            "issue, and try again."
        )
    return f"Amazon SageMaker could not get a response from the {endpoint} endpoint. ({failed})"

"""InvokeEndpointAsync: what one request asks for, and where its answer will be."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from werkzeug.datastructures import Headers

from local_aws.protocol import AwsError
from local_aws.s3_location import S3Location
from sagemaker_serving.local_sagemaker.common.store import Region, Resource

MAX_INLINE_BYTES = 128_000
"""A payload in the request itself (botocore: InvokeEndpointAsync, Body)."""

DEFAULT_TTL_SECONDS = 21600
DEFAULT_TIMEOUT_SECONDS = 900
"""botocore's documentation of InvokeEndpointAsync."""

_PREFIX = "X-Amzn-SageMaker-"


@dataclass(frozen=True, kw_only=True, eq=False)
class AsyncRequest:
    """One request of a queue; times in seconds since the epoch."""

    endpoint: str
    inference_id: str
    headers: Mapping[str, str] = field(repr=False)
    """What the model is given."""
    input: S3Location | None
    body: bytes = field(repr=False)
    output: S3Location
    failure: S3Location | None
    ttl_seconds: float
    timeout_seconds: float
    received_at: float


def read_async_request(
    endpoint: str, region: Region, config: Resource, headers: Headers, body: bytes
) -> AsyncRequest:
    """The request that ``headers`` and ``body`` are, for an endpoint's AsyncInferenceConfig.

    The answer goes to ``<S3OutputPath>[/<S3OutputPathExtension>]/<file>``, the
    file being Filename, or ``<inference id>.out``; a failure to
    ``<S3FailurePath>/<inference id>-error.out``. Without S3OutputPath it is
    SageMaker's default bucket. Raises ValidationError.
    """
    where = headers.get(f"{_PREFIX}InputLocation")
    if (where is None) == (not body):
        raise AwsError(
            "ValidationError",
            "Exactly one of InputLocation and Body must be given"
            + ("; both are" if where is not None else ""),
        )
    if len(body) > MAX_INLINE_BYTES:
        raise AwsError(
            "ValidationError",
            f"the body is larger than {MAX_INLINE_BYTES} bytes, the most that InvokeEndpointAsync "
            "takes in a request; give its InputLocation",
            status=413,
        )
    inference_id = headers.get(f"{_PREFIX}Inference-Id") or str(uuid.uuid4())
    output = config["OutputConfig"]
    bucket = f"s3://sagemaker-{region.name}-{region.account}/async-endpoint-inferences/{endpoint}"
    file = headers.get(f"{_PREFIX}Filename", f"{inference_id}.out")
    path = (output.get("S3OutputPath", bucket), headers.get(f"{_PREFIX}S3OutputPathExtension"))
    failures = output.get("S3FailurePath")
    return AsyncRequest(
        endpoint=endpoint,
        inference_id=inference_id,
        headers=_for_the_model(headers, inference_id),
        input=None if where is None else _location("InputLocation", where),
        body=body,
        output=_location("S3OutputPath", _joined(*path, file)),
        failure=None
        if failures is None
        else _location("S3FailurePath", _joined(failures, f"{inference_id}-error.out")),
        ttl_seconds=_seconds(headers, "RequestTTLSeconds", DEFAULT_TTL_SECONDS, 60, 21600),
        timeout_seconds=_seconds(
            headers, "InvocationTimeoutSeconds", DEFAULT_TIMEOUT_SECONDS, 1, 3600
        ),
        received_at=time.time(),
    )


def _for_the_model(headers: Headers, inference_id: str) -> dict[str, str]:
    given = {
        "Content-Type": headers.get(f"{_PREFIX}Content-Type"),
        "Accept": headers.get(f"{_PREFIX}Accept"),
        "X-Amzn-SageMaker-Custom-Attributes": headers.get(f"{_PREFIX}Custom-Attributes"),
        "X-Amzn-SageMaker-Inference-Id": inference_id,
    }
    return {name: value for name, value in given.items() if value is not None}


def _joined(*parts: str | None) -> str:
    first, *rest = [part for part in parts if part is not None]
    return "/".join([first.rstrip("/"), *(part.strip("/") for part in rest)])


def _location(name: str, url: str) -> S3Location:
    try:
        return S3Location.parse(url)
    except ValueError as error:
        raise AwsError("ValidationError", f"{name}: {error}") from None


def _seconds(headers: Headers, name: str, default: int, least: int, most: int) -> float:
    text = headers.get(f"{_PREFIX}{name}")
    if text is None:
        return default
    if not text.isdecimal() or not least <= int(text) <= most:
        raise AwsError("ValidationError", f"{name} is '{text}'; it must be {least} to {most}")
    return int(text)

"""How a part of the local AWS says no: an error as an AWS service answers it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any


class AwsError(Exception):
    """An error of an AWS service: its code, its message, its HTTP status.

    Raised by a part of the local AWS and written by the gateway in the
    protocol of the service that was called (JSON 1.1, REST-JSON or query XML).
    ``members`` are those that the error's shape has beside its message.
    """

    members: Mapping[str, object] = MappingProxyType({})

    def __init__(self, code: str, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status


class Family(Enum):
    """How services of AWS write requests and answers, as far as errors go."""

    S3 = "s3"
    EC2 = "ec2"
    QUERY = "query"
    """Forms in, XML out: CloudFormation, IAM, STS, SNS …"""
    JSON = "json"
    """X-Amz-Target and JSON: SageMaker, Step Functions, KMS …"""
    REST_JSON = "rest-json"
    """Paths and JSON: Lambda, the SageMaker Runtime …"""


def family_of(environ: Mapping[str, Any], service: str) -> Family:
    """The family of a WSGI request by what it looks like; ``service`` is its scope's, or ""."""
    path: str = environ.get("PATH_INFO", "/")
    if service in ("s3", "s3-object-lambda", "s3express"):
        return Family.S3
    if service == "ec2":
        return Family.EC2
    if "HTTP_X_AMZ_TARGET" in environ or "/operation/" in path:
        return Family.JSON
    is_form = environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded")
    if path == "/" or is_form or service in ("cloudformation", "route53", "cloudfront"):
        return Family.QUERY
    return Family.REST_JSON if service or is_path_of_an_api(path) else Family.S3


def is_path_of_an_api(path: str) -> bool:
    """Whether it is one of Lambda's or the SageMaker Runtime's; all others can be an object's."""
    return _OF_AN_API.match(path) is not None or openai_route(path) is not None


def openai_route(path: str) -> dict[str, str] | None:
    """The names in a path of SageMaker's OpenAI route, as InvokeEndpoint's parameters have them.

    None for every other path. botocore's models do not have the route (SageMaker developer guide,
    "Invoke endpoints with OpenAI-compatible APIs").
    """
    found = _OPENAI.fullmatch(path)
    named = {} if found is None else found.groupdict()
    return {name: value for name, value in named.items() if value is not None} or None


_OPENAI = re.compile(
    r"/endpoints/(?P<EndpointName>[^/]+)(/inference-components/(?P<InferenceComponentName>[^/]+))?"
    "/openai/v1/chat/completions"
)


def two_way_route(path: str) -> dict[str, str] | None:
    """The endpoint in the path of InvokeEndpointWithBidirectionalStream, as a parameter.

    None for every other path. botocore has no model of the operation: it speaks no HTTP/2 (service
    model of sagemaker-runtime-http2, as in PyPI's aws-sdk-sagemaker-runtime-http2 0.12).
    """
    found = _TWO_WAY.fullmatch(path)
    return None if found is None else found.groupdict()


_TWO_WAY = re.compile(r"/endpoints/(?P<EndpointName>[^/]+)/invocations-bidirectional-stream")

_OF_AN_API = re.compile(r"/\d{4}-\d\d-\d\d/|/endpoints/[^/]+/[a-z-]*invocations")

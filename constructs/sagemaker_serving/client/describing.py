"""An endpoint as SageMaker describes it, or that there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.errors import NotFound


def described_endpoint(sagemaker: Any, name: str) -> Mapping[str, Any]:
    """DescribeEndpoint's answer on ``name``; ``sagemaker`` is a boto3 client.

    Raises `NotFound` when there is no such endpoint, `Failure` when AWS refuses or fails. AWS's
    code is ValidationException for an absent endpoint as for other mistakes, so its message tells:
    "Could not find endpoint …".
    """
    with aws_failures():
        try:
            answer: Mapping[str, Any] = sagemaker.describe_endpoint(EndpointName=name)
        except ClientError as error:
            if "could not find" not in str(error).lower():
                raise
            raise NotFound(
                f"there is no endpoint {name!r} in {sagemaker.meta.region_name}; "
                "see `aws sagemaker list-endpoints`, or name another --region"
            ) from None
    return answer

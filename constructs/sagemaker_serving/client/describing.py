"""An endpoint as SageMaker describes it, or that there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from local_aws.suggest import nearest
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
            region = sagemaker.meta.region_name
            raise NotFound(
                f"there is no endpoint {name!r} in {region}; {_those_there(sagemaker, name)}"
            ) from None
    return answer


def _those_there(sagemaker: Any, name: str) -> str:
    """Which endpoint is meant, or which there are, as far as who asks may list them."""
    try:
        listed = sagemaker.list_endpoints(MaxResults=100)["Endpoints"]
    except ClientError:
        return "see `aws sagemaker list-endpoints`, or name another --region"
    names = [each["EndpointName"] for each in listed]
    close = nearest(name, names)
    if close is not None:
        return f"did you mean {close!r}"
    if not names:
        return "there is none at all; deploy it, or name another --region"
    known = f"{', '.join(names[:9])}{', …' if len(names) > 9 else ''}"
    return f"what is there: {known}; or name another --region"

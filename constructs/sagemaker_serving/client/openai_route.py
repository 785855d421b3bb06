"""What a client of OpenAI's API needs to call an endpoint: an address, and a bearer token."""

from __future__ import annotations

import base64
from typing import Any

from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import NoCredentialsError

from sagemaker_serving.client.aws import aws_failures
from sagemaker_serving.errors import Mistake

MAX_SECONDS = 12 * 3600
_HOST = "sagemaker.amazonaws.com"


def base_url(client: Any, endpoint_name: str, component_name: str | None) -> str:
    """The address that ``client``, boto3's of the runtime, has for an endpoint's OpenAI route."""
    component = "" if component_name is None else f"/inference-components/{component_name}"
    return f"{client.meta.endpoint_url}/endpoints/{endpoint_name}{component}/openai/v1"


def bearer_token(client: Any, expires_seconds: int) -> str:
    """A token with the permissions of ``client``'s credentials; nothing is sent for it.

    It is a presigned request (SageMaker developer guide, "Invoke endpoints with OpenAI-compatible
    APIs", how the token works; the same as sagemaker-core's ``generate_token``). Raises `Mistake`
    for ``expires_seconds`` outside of 1 to 43200, and where there are no credentials.
    """
    if not 1 <= expires_seconds <= MAX_SECONDS:
        raise Mistake(
            f"expires_seconds is {expires_seconds}; a bearer token is good for 1 to {MAX_SECONDS} "
            "seconds (12 hours)"
        )
    with aws_failures():
        # A client has no public name for what it signs with.
        credentials = client._get_credentials()
        if credentials is None:
            raise NoCredentialsError
        frozen = credentials.get_frozen_credentials()
    request = AWSRequest(
        method="POST",
        url=f"https://{_HOST}/",
        headers={"host": _HOST},
        params={"Action": "CallWithBearerToken"},
    )
    region = client.meta.region_name
    SigV4QueryAuth(frozen, "sagemaker", region, expires=expires_seconds).add_auth(request)
    signed = f"{request.url.removeprefix('https://')}&Version=1"
    return f"sagemaker-api-key-{base64.b64encode(signed.encode()).decode()}"

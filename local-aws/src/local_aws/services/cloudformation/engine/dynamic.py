"""Dynamic references: ``{{resolve:ssm:/name}}`` inside a property's text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from local_aws.protocol import AwsError

_REFERENCE = re.compile(r"\{\{resolve:([a-z-]+):([^{}]+)\}\}")

Client = Callable[[str], Any]
"""A boto3 client of the stack's region by its service's name."""


def resolve(value: Any, client: Client, *, public: bool = False) -> Any:
    """``value`` with each dynamic reference replaced by what it points to now.

    Services are ssm, ssm-secure and secretsmanager; ``public``: ssm alone, whose values are no
    secrets, and all else stays as written. Raises AwsError ``ValidationError`` for another service
    or a malformed reference, and botocore's ClientError for a parameter or secret that does not
    exist.
    """
    if isinstance(value, dict):
        return {key: resolve(item, client, public=public) for key, item in value.items()}
    if isinstance(value, list):
        return [resolve(item, client, public=public) for item in value]
    if not isinstance(value, str) or "{{resolve:" not in value:
        return value

    def replacement(found: re.Match[str]) -> str:
        secret = public and found[1] != "ssm"
        return found[0] if secret else _fetch(found[1], found[2], client)

    return _REFERENCE.sub(replacement, value)


def _fetch(service: str, reference: str, client: Client) -> str:
    if service in ("ssm", "ssm-secure"):
        answer = client("ssm").get_parameter(Name=reference, WithDecryption=service == "ssm-secure")
        value: str = answer["Parameter"]["Value"]
        return value
    if service == "secretsmanager":
        return _secret(reference, client("secretsmanager"))
    raise AwsError(
        "ValidationError",
        f"Dynamic reference {{{{resolve:{service}:{reference}}}}} names the service {service}; "
        "ssm, ssm-secure and secretsmanager are known",
    )


def _secret(reference: str, client: Any) -> str:
    """``secret-id:SecretString:json-key:version-stage:version-id``; an ARN has colons too."""
    secret_id, _, rest = reference.partition(":SecretString")
    _, key, stage, version, *_ = [*rest.split(":"), "", "", ""]
    wanted = {
        "SecretId": secret_id,
        **({"VersionStage": stage} if stage else {}),
        **({"VersionId": version} if version else {}),
    }
    text: str = client.get_secret_value(**wanted)["SecretString"]
    return str(json.loads(text)[key]) if key else text

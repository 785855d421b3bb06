"""Secrets Manager, which the emulator answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.permissions import deployed
from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Action, Service

from .resources import ResourcePolicy, Secret

_NAME = re.compile(r"[A-Za-z0-9/_+=.@!-]{1,512}")
"""The API reference, "CreateSecret"."""


def _secrets(call: Call) -> Iterator[str]:
    """Secrets' ARNs end in six characters that only the secret itself tells."""
    named = first(call.parameters, "SecretId", "Name")
    if named is not None:
        yield deployed.secret_arn(named, call.account, call.region) or f"secret:{named}"


def _policy(arn: Arn) -> str | None:
    secret = get_backend("secretsmanager")[arn.account][arn.region].secrets.get(str(arn))
    return getattr(secret, "policy", None)  # a replica has none


class SecretsManager(Service):
    """Secrets Manager, which the emulator answers."""

    name = "secretsmanager"
    permissions = ServicePermissions(
        prefix="secretsmanager", resources=_secrets, document_of=_policy
    )
    types = (ResourcePolicy(), Secret())

    def actions(self) -> Mapping[str, Action]:
        """What the emulator does once the request is judged, which it does not do itself."""
        return {"CreateSecret": _judge_name}


def _judge_name(call: Call) -> None:
    if not _NAME.fullmatch(str(call.parameters.get("Name", ""))):
        raise AwsError(
            "ValidationException",
            "Invalid name. Must be a valid name containing alphanumeric characters, or any of the "
            "following: -/_+=.@!",
        )

"""Secrets Manager, which the emulator answers."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.permissions import deployed
from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.service import Service


def _secrets(call: Call) -> Iterator[str]:
    """Secrets' ARNs end in six characters that only the secret itself tells."""
    named = first(call.parameters, "SecretId", "Name")
    if named is not None:
        yield deployed.secret_arn(named, call.region) or f"secret:{named}"


class SecretsManager(Service):
    """Secrets Manager, which the emulator answers."""

    name = "secretsmanager"
    permissions = ServicePermissions(prefix="secretsmanager", resources=_secrets)

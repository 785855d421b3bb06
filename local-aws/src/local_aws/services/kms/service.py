"""KMS: keys and aliases, which the emulator keeps."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterable, Iterator
from contextlib import suppress

from moto.backends import get_backend

from local_aws.permissions import deployed
from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import Alias, Key


def _keys(call: Call, account: str) -> Iterator[str]:
    named = first(call.parameters, "KeyId", "TargetKeyId")
    blob = call.parameters.get("CiphertextBlob")
    if named is None and isinstance(blob, str):
        # The emulator's begin with the key's id: 36 bytes are the first 48 characters.
        with suppress(binascii.Error):
            named = b64decode(blob[:48]).decode("ascii", "replace")
    if named is not None:
        arn = deployed.key_arn(named, region=call.region, account=account)
        yield arn if arn is not None else f"arn:aws:kms:{call.region}:{account}:key/{named}"


def _policy(region: str, account: str, name: str) -> str | None:
    key = get_backend("kms")[account][region].keys.get(name.removeprefix("key/"))
    return None if key is None else key.policy


class Kms(Service):
    """KMS: keys and aliases, which the emulator keeps."""

    name = "kms"
    permissions = ServicePermissions(prefix="kms", resources=_keys, document_of=_policy)

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (Alias(), Key())

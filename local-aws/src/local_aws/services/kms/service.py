"""KMS: keys and aliases, which the emulator keeps."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress

from moto.backends import get_backend

from local_aws.arn import Arn
from local_aws.permissions import deployed
from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Service

from .resources import Alias, Key


def _keys(call: Call) -> Iterator[str]:
    """By id, alias or ARN; what decrypts may leave it out, and the key is then whoever's it is."""
    named, accounts = first(call.parameters, "KeyId", "TargetKeyId"), [call.account]
    blob = call.parameters.get("CiphertextBlob")
    if named is None and isinstance(blob, str):
        accounts += get_backend("kms")
        # The emulator's begin with the key's id: 36 bytes are the first 48 characters.
        with suppress(binascii.Error):
            named = b64decode(blob[:48]).decode("ascii", "replace")
    if named is not None:
        found = (deployed.key_arn(named, each, call.region) for each in accounts)
        yield next((arn for arn in found if arn is not None), f"key/{named}")


def _policy(arn: Arn) -> str | None:
    key = get_backend("kms")[arn.account][arn.region].keys.get(arn.resource.removeprefix("key/"))
    return None if key is None else key.policy


class Kms(Service):
    """KMS: keys and aliases, which the emulator keeps."""

    name = "kms"
    permissions = ServicePermissions(prefix="kms", resources=_keys, document_of=_policy)
    types = (Alias(), Key())

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a copy of a key that is of one region only.

        Source: KMS API reference, ReplicateKey; the words are unverified.
        """
        super().check(call)
        if call.operation == "ReplicateKey":
            keys = get_backend("kms")[call.account][call.region].keys
            key = keys.get(call.parameters["KeyId"].rpartition("/")[2])
            if key is not None and not key.multi_region:
                raise AwsError(
                    "UnsupportedOperationException", f"{key.arn} is not a multi-Region primary key."
                )

"""The key of a log group that is there: the emulator takes one only as it makes the group."""

from __future__ import annotations

from typing import Any

from moto.logs.models import logs_backends

from local_aws.arn import Arn
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call


def set_key(call: Call) -> dict[str, Any]:
    """What AssociateKmsKey and DisassociateKmsKey answer; the latter names no key.

    Raises `AwsError` for a group that is not there.
    """
    given = call.parameters
    name = given.get("logGroupName")
    if name is None:
        name = Arn.parse(given.get("resourceIdentifier", "")).resource.removeprefix("log-group:")
    group = logs_backends[call.account][call.region].groups.get(name)
    if group is None:
        raise AwsError("ResourceNotFoundException", "The specified log group does not exist.")
    group.kms_key_id = given.get("kmsKeyId")
    return {}

"""Calls that come in through the gateway: which faults strike them, and how AWS says no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from local_aws.arn import arn_in
from local_aws.boto import INTERNAL_USER_AGENT
from local_aws.faults.fault import Fault, Kind
from local_aws.faults.registry import Faults
from local_aws.permissions.identities import arn_of
from local_aws.permissions.service import ServicePermissions, permissions_of
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call

_OF_CALLS = (Kind.THROTTLING, Kind.ACCESS_DENIED, Kind.UNKNOWN_ROLE)


def refuse_injected(faults: Faults, call: Call, known: Mapping[str, ServicePermissions]) -> None:
    """Raise `AwsError` when a fault strikes this call, in the words of its service.

    Calls of users and of roles are struck; those that the local AWS makes for
    its own bookkeeping say so in their User-Agent, and are not.
    """
    if INTERNAL_USER_AGENT in call.headers.get("user-agent", ""):
        return
    fault = faults.strike(_OF_CALLS, call.service, call.operation, *names_in(call.parameters))
    if fault is not None:
        raise _refusal(fault, call, known)


def names_in(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that a call's parameters name things by; an object's as ``bucket/key`` too."""
    names = tuple(value for value in parameters.values() if isinstance(value, str))
    bucket, key = parameters.get("Bucket"), parameters.get("Key")
    return names if bucket is None or key is None else (*names, f"{bucket}/{key}")


def _refusal(fault: Fault, call: Call, known: Mapping[str, ServicePermissions]) -> AwsError:
    caller = "anonymous" if call.caller is None else arn_of(call.caller, call.region)
    own = permissions_of(call.service, known)
    if fault.kind is Kind.THROTTLING:
        return own.throttled.error()
    if fault.kind is Kind.UNKNOWN_ROLE and own.passed_role is not None:
        # A transform job's is its model's, which the call does not name.
        new = arn_in(call.region, "iam", call.account, "role/new")
        given = next(own.passed_role.of(call), new)
        return own.passed_role.refusal(given)
    return own.denied.error(
        f"User: {caller} is not authorized to perform: {own.prefix}:{call.operation} "
        "with an explicit deny in an identity-based policy"
    )

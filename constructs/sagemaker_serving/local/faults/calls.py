"""Calls that come in through the gateway: which faults strike them, and how AWS says no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sagemaker_serving.local.context import ACCOUNT_ID, INTERNAL_USER_AGENT
from sagemaker_serving.local.faults.fault import Fault, Kind
from sagemaker_serving.local.faults.registry import Faults
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.protocol.call import Call

ROOT_ARN = f"arn:aws:iam::{ACCOUNT_ID}:root"
"""Who calls with the account's own key."""

_OF_CALLS = (Kind.THROTTLING, Kind.ACCESS_DENIED)


def refuse_injected(faults: Faults, call: Call) -> None:
    """Raise `AwsError` when a fault strikes this call.

    Calls of users and of roles are struck; those that the local AWS makes for
    its own bookkeeping say so in their User-Agent, and are not.
    """
    if INTERNAL_USER_AGENT in call.headers.get("user-agent", ""):
        return
    fault = faults.strike(_OF_CALLS, call.service, call.operation, *names_in(call.parameters))
    if fault is not None:
        raise _refusal(fault, call)


def names_in(parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts that a call's parameters name things by; an object's as ``bucket/key`` too."""
    names = tuple(value for value in parameters.values() if isinstance(value, str))
    bucket, key = parameters.get("Bucket"), parameters.get("Key")
    return names if bucket is None or key is None else (*names, f"{bucket}/{key}")


def _refusal(fault: Fault, call: Call) -> AwsError:
    caller = "anonymous" if call.caller is None else call.caller.arn
    if fault.kind is Kind.THROTTLING:
        code, status, message = _THROTTLED.get(call.service, _USUALLY_THROTTLED)
        return AwsError(code, message, status=status)
    code, status = _DENIED.get(call.service, _USUALLY_DENIED)
    prefix = {"sagemaker-runtime": "sagemaker", "stepfunctions": "states"}.get(
        call.service, call.service
    )
    return AwsError(
        code,
        f"User: {caller} is not authorized to perform: {prefix}:{call.operation} "
        "with an explicit deny in an identity-based policy",
        status=status,
    )


# "Common Errors" of each service's API reference, and the error lists of S3 and Lambda,
# read 2026-11-21.
_USUALLY_THROTTLED = ("ThrottlingException", 400, "Rate exceeded")
_THROTTLED = {
    "s3": ("SlowDown", 503, "Please reduce your request rate."),
    "lambda": ("TooManyRequestsException", 429, "Rate exceeded"),
    **dict.fromkeys(
        ("cloudformation", "iam", "sts", "sns", "autoscaling"), ("Throttling", 400, "Rate exceeded")
    ),
}
_USUALLY_DENIED = ("AccessDeniedException", 400)
_DENIED = {
    **dict.fromkeys(("s3", "cloudformation", "iam", "sts"), ("AccessDenied", 403)),
    "sns": ("AuthorizationError", 403),
    "lambda": ("AccessDeniedException", 403),
    "sagemaker-runtime": ("AccessDeniedException", 403),
}

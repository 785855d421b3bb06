"""What a deploy fails with: what the compiled model misses, or why it could not be judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sagemaker_serving.functions.custom_resource.refusals import is_denied
from sagemaker_serving.functions.custom_resource.steps import cause_of, clipped

from .request import Request

_UNTOUCHED = "it gets no traffic, and its temporary endpoint is removed"


def missed(request: Request, told: Sequence[str], requests: int) -> str:
    """On a model that is not accepted."""
    return (
        f"the compiled model of {request.told} is not accepted: {'; '.join(told)} (golden "
        f"requests asked: {requests}); {_UNTOUCHED}; compile it otherwise, or change compile.accept"
    )


def not_in_service(request: Request, endpoint: Mapping[str, Any]) -> str:
    """On an endpoint that did not come up."""
    reason = clipped(str(endpoint.get("FailureReason") or "no reason given"))
    return (
        f"the temporary endpoint of {request.told} is {endpoint['EndpointStatus']}: {reason}; "
        f"{_UNTOUCHED}; its log is in /aws/sagemaker/Endpoints/{request.name}"
    )


def vanished(request: Request) -> str:
    """On an endpoint that somebody else has deleted."""
    return (
        f"the temporary endpoint {request.name} was deleted while the deploy waited for it; "
        "deploy again"
    )


def took_too_long(request: Request, seconds: int) -> str:
    """On an endpoint that CloudFormation would not wait for any longer."""
    return (
        f"the temporary endpoint of {request.told} was not in service after {seconds} seconds, and "
        f"CloudFormation waits an hour at most; {_UNTOUCHED}; deploy again"
    )


def asked_too_long(request: Request, how_many: str, seconds: int) -> str:
    """On more golden requests than there is time for."""
    return (
        f"the temporary endpoint of {request.told} answered {how_many} golden requests within "
        f"{seconds} seconds; {_UNTOUCHED}; give fewer in accept.golden"
    )


def is_anothers(request: Request, arn: str) -> str:
    """On a name that something else has."""
    return (
        f"{arn} has the name of the temporary endpoint that would judge {request.told}, and was "
        "not made by this stack; delete it, then deploy again"
    )


def is_still_there(request: Request, why: str, before: str) -> str:
    """On an endpoint that cannot be removed, which is paid for until somebody does."""
    return (
        f"the temporary endpoint {request.name} could not be removed ({clipped(why, 300)}), and "
        f"is paid for until it is: aws sagemaker delete-endpoint --endpoint-name {request.name}"
        f"{'; before that: ' + before if before else ''}"
    )


def went_wrong(request: Request, error: Mapping[str, Any]) -> str:
    """On an error of these functions themselves, as Step Functions reports it."""
    cause = cause_of(error)
    if is_denied(cause):
        return (
            f"the deploy's function is not allowed what judging {request.told} needs: "
            f"{clipped(cause)}; an organization's policy or a permissions boundary may deny it"
        )
    if "ResourceLimitExceeded" in cause:
        return (
            f"the account's quota leaves no instance for the temporary endpoint of {request.told}: "
            f"{clipped(cause, 300)}; ask for a higher one, or remove instances"
        )
    return f"the compiled model of {request.told} could not be judged: {clipped(cause)}"

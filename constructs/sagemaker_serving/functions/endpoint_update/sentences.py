"""What a deploy fails with: what is wrong with the endpoint, and what to do."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from sagemaker_serving.functions.custom_resource.refusals import is_denied
from sagemaker_serving.functions.custom_resource.steps import cause_of, clipped

from .request import Request


def no_endpoint(request: Request, region: str) -> str:
    """On an endpoint that is not there."""
    return (
        f"there is no endpoint {request.endpoint} in {region}; name one that is there, or leave "
        "`endpoint` out of the file: the stack then makes one of its own"
    )


def another_endpoint(request: Request) -> str:
    """On an Update that names another endpoint than before."""
    return (
        f"this stack moves {request.former_endpoint}, and the file names {request.endpoint}; "
        "an update cannot go from one endpoint to another; give the other one a model of its own"
    )


def takes_no_update(request: Request, endpoint: Mapping[str, Any]) -> str:
    """On an endpoint in a state that only its owner can lead it out of."""
    return (
        f"{request.endpoint} is {endpoint['EndpointStatus']} and takes no update"
        f"{_because(endpoint)}; bring it to InService, then deploy again"
    )


def went_back(request: Request, endpoint: Mapping[str, Any], wanted: str) -> str:
    """On an update that SageMaker has undone, or that another has followed."""
    return (
        f"{request.endpoint} serves {endpoint['EndpointConfigName']} after the update to {wanted}"
        f"{_because(endpoint)}"
    )


def component_went_back(name: str, serving: str, wanted: str, component: Mapping[str, Any]) -> str:
    """On a component's update that SageMaker has undone."""
    return f"{name} serves {serving} after the update to {wanted}{_because(component)}"


def serves_another(request: Request, serving: str) -> str:
    """On an update while the stack says another config than the one that serves."""
    former, option = request.former_config, _option()
    again = (
        f"deploy the commit that {serving} is of by `cdk deploy --no-rollback`, which moves it to "
        "the same content and no further, or "
    )
    return (
        f"{request.endpoint} serves {serving}, and its stack says {former}: if this deploy failed, "
        f"CloudFormation would move it there; {'' if option else again}go back by "
        f"`sagemaker-serving rollback {request.endpoint} --to {former}{option}`; then deploy this"
    )


def _option() -> str:
    """What has a command ask the local AWS, where that runs this function."""
    return " --local" if "//localhost:" in os.environ.get("AWS_ENDPOINT_URL", "") else ""


def still_there(request: Request, groups: Sequence[str]) -> str:
    """On a Delete that CloudFormation would go on from too early."""
    what = f"{request.endpoint} is"
    if groups:
        what = f"{request.endpoint} is gone, network interfaces of {', '.join(groups)} are"
    return (
        f"{what} still there, and SageMaker needs its role until they are gone; "
        "delete the stack again later"
    )


def other_variants(request: Request, now: Sequence[str], then: Sequence[str]) -> str:
    """On guardrails where the variants change, for which SageMaker has none."""
    return (
        f"{request.endpoint} has the variants {', '.join(now)}, and the file has "
        f"{', '.join(then)}: guardrails are of updates of the same variants; name them alike, or "
        "give the model `transition: {step: change_variants}` for this deploy"
    )


def refused(request: Request, wanted: str, error: Exception) -> str:
    """On an update that SageMaker did not begin."""
    return f"SageMaker does not move {request.endpoint} to {wanted}: {clipped(str(error))}"


def took_too_long(request: Request, status: str, seconds: int) -> str:
    """On an update, by this stack or another, that CloudFormation would not wait for."""
    return (
        f"{request.endpoint} was still {status} after {seconds} seconds, and CloudFormation waits "
        f"an hour at most; `sagemaker-serving watch {request.endpoint}{_option()}` tells when it "
        "is done; deploy again then"
    )


def went_wrong(error: Mapping[str, Any]) -> str:
    """On an error of these functions themselves, as Step Functions reports it."""
    cause = cause_of(error)
    if is_denied(cause):
        return (
            f"the deploy's function is not allowed what the update needs: {clipped(cause)}; an "
            "organization's policy or a permissions boundary may deny it"
        )
    return f"the update could not be begun or followed: {clipped(cause)}"


def _because(endpoint: Mapping[str, Any]) -> str:
    reason = endpoint.get("FailureReason")
    return f": {clipped(str(reason))}" if reason else ""

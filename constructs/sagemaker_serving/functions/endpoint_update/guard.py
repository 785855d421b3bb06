"""What CloudFormation calls around its own move of an endpoint: before it, after it, at the end.

::

    Custom::EndpointBefore ──> AWS::SageMaker::Endpoint ──> Custom::EndpointAfter

*After* asks which config serves. SageMaker goes back to the old one when the new one fails its
health checks or finds no capacity, and is InService then, perhaps without a FailureReason
(hashicorp/terraform-provider-aws#46663, #48997). A deploy that took that for done would delete what
serves. *Before* refuses an update while another config serves than the stack says, since a failing
deploy ends on what the stack says. Both are asked for a change of tags alone, too. The Delete of
*before* comes last, and waits until the endpoint and its network interfaces are gone: SageMaker
deletes them by the endpoint's role (botocore, DeleteEndpoint), and after CloudFormation is done
(aws-cloudformation/cloudformation-coverage-roadmap#1327).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from sagemaker_serving.functions.custom_resource.answer import answer
from sagemaker_serving.functions.custom_resource.clients import client, described

from . import sentences
from .endpoints import endpoint_named, is_moving, is_taken_back, serves_another
from .request import Request

_SPARE_SECONDS = 60
"""What is left of the function's time when it waits no longer."""
_LOOK_SECONDS = 5.0
OTHERS_SECONDS = 300.0
"""How long attached interfaces are waited for: after that they are another endpoint's of the same
security groups. Of how it leaves, botocore's DeleteEndpoint says "a few minutes"."""


class Refused(Exception):
    """The deploy fails; the message is its reason."""


def handler(event: Mapping[str, Any], context: Any) -> None:
    """Does what the request asks, and tells CloudFormation how that went."""
    request = Request.of(event)
    before = event["ResourceType"].endswith("Before")
    outcome = {"Status": "SUCCESS"}
    try:
        if request.kind == "Delete":
            if before:
                _until_gone(request, context)
        elif before:
            _refuse_another(request)
        else:
            _refuse_gone_back(request, context)
    except (Refused, ClientError, BotoCoreError) as error:
        outcome = {"Status": "FAILED", "Reason": str(error)}
    except Exception as error:  # unanswered, CloudFormation would wait for an hour
        outcome = {"Status": "FAILED", "Reason": repr(error)}
    answer(request, outcome, request.endpoint)


def _refuse_another(request: Request) -> None:
    """Refuses an update from a config that the stack does not know, unless it leads to its like."""
    endpoint = None if request.former_config is None else endpoint_named(request.endpoint)
    if endpoint is None or request.names_another or is_taken_back(request.stack_id):
        return
    if serves_another(request, endpoint):
        raise Refused(sentences.serves_another(request, endpoint["EndpointConfigName"]))


def _refuse_gone_back(request: Request, context: Any) -> None:
    """Refuses a move that has ended on another config.

    While a stack is taken back, only what it is about to delete is refused: then CloudFormation
    deletes nothing, and stops.
    """
    began, deadline = time.monotonic(), _deadline(context)
    while True:
        endpoint = endpoint_named(request.endpoint)
        if endpoint is None or not is_moving(endpoint):
            break
        if time.monotonic() > deadline:
            seconds = round(deadline - began)
            raise Refused(sentences.took_too_long(request, endpoint["EndpointStatus"], seconds))
        time.sleep(_LOOK_SECONDS)
    if endpoint is None:
        return  # CloudFormation says what has become of it
    serving = endpoint["EndpointConfigName"]
    if request.former_config == request.config:  # only tags change, or how it moves
        went = serves_another(request, endpoint)
    else:
        went = serving != request.config
    if went and (serving == request.former_config or not is_taken_back(request.stack_id)):
        raise Refused(sentences.went_back(request, endpoint, request.config))
    _refuse_components_gone_back(request)


def _refuse_components_gone_back(request: Request) -> None:
    """The same of the inference components, whose Models would be deleted; but for those of several
    Specifications, which name Models of their own (botocore, DescribeInferenceComponent)."""
    left = (request.previous or {}).get("Components", {})
    for name, model in request.properties.get("Components", {}).items():
        found = described("describe_inference_component", InferenceComponentName=name)
        if found is None or "Specification" not in found:
            continue
        serving = found["Specification"].get("ModelName")
        if serving != model and (serving == left.get(name) or not is_taken_back(request.stack_id)):
            raise Refused(sentences.component_went_back(name, serving, model, found))


def _until_gone(request: Request, context: Any) -> None:
    deadline, gone = _deadline(context), None
    groups = request.properties.get("SecurityGroupIds", [])
    while True:
        if endpoint_named(request.endpoint, deleting=True) is None:
            gone = time.monotonic() if gone is None else gone
            attached, detached = _interfaces(groups)
            if not detached and (not attached or time.monotonic() - gone > OTHERS_SECONDS):
                return
        if time.monotonic() > deadline:
            raise Refused(sentences.still_there(request, groups if gone is not None else []))
        time.sleep(_LOOK_SECONDS)


def _interfaces(groups: list[str]) -> tuple[int, int]:
    """How many interfaces of these groups are attached to something, and how many are not."""
    if not groups:
        return 0, 0
    pages = (
        client("ec2")
        .get_paginator("describe_network_interfaces")
        .paginate(Filters=[{"Name": "group-id", "Values": groups}])
    )
    statuses = [each["Status"] for page in pages for each in page["NetworkInterfaces"]]
    attached = statuses.count("in-use")
    return attached, len(statuses) - attached


def _deadline(context: Any) -> float:
    left: float = context.get_remaining_time_in_millis() / 1000
    return time.monotonic() + left - _SPARE_SECONDS

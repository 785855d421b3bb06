"""Custom resources: their provider is told what to do, and answers at an address of ours.

The protocol is that of the AWS CloudFormation user guide, "Custom resource request and response
reference": an event to a Lambda function or an SNS topic, a PUT of at most
4,096 bytes to its ResponseURL, an hour at most.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from typing_extensions import override

from local_aws.arn import Arn
from local_aws.callbacks import Callback
from local_aws.resources.base import (
    POLL_SECONDS,
    Cancelled,
    Made,
    Properties,
    Provider,
    Request,
    ResourceFailed,
)
from local_aws.template import as_text

DEFAULT_TIMEOUT_SECONDS = 3600
ANSWER_BYTES = 4096
PHYSICAL_ID_CHARACTERS = 1024


class CustomResource(Provider):
    """``Custom::*`` and ``AWS::CloudFormation::CustomResource``: Ref is what its provider says."""

    takes_long = True

    def __init__(self, type_name: str) -> None:
        self.type_name = type_name

    @override
    def problems(self, properties: Properties) -> Iterator[str]:
        timeout = properties.get("ServiceTimeout", DEFAULT_TIMEOUT_SECONDS)
        if isinstance(timeout, int | str) and not _is_timeout(timeout):
            yield f"ServiceTimeout is {timeout}; it must be a whole number from 1 to 3600"

    @override
    def refuse_unchangeable(self, previous: Properties, wanted: Properties) -> None:
        if previous.get("ServiceToken") != wanted.get("ServiceToken"):
            raise ResourceFailed("Modifying service token is not allowed.", code=None)

    @override
    def create(self, request: Request) -> Made:
        """Have the resource made. What was claimed for it is deleted if that fails."""
        return self._ask(request, "Create", {})

    @override
    def update(self, request: Request) -> Made:
        """Have the resource changed, which may make it another one."""
        return self._ask(
            request,
            "Update",
            {
                "PhysicalResourceId": request.physical_id,
                "OldResourceProperties": as_texts(request.previous),
            },
        )

    @override
    def delete(self, request: Request) -> None:
        self._ask(request, "Delete", {"PhysicalResourceId": request.physical_id})

    def _ask(self, request: Request, what: str, more: Mapping[str, Any]) -> Made:
        request_id = str(uuid4())
        token = str(request.properties["ServiceToken"])
        with request.context.callbacks.open(request.context.url) as callback:
            event = {
                "RequestType": what,
                "ServiceToken": token,
                "ResponseURL": callback.url,
                "StackId": request.stack_id,
                "RequestId": request_id,
                "LogicalResourceId": request.logical_id,
                "ResourceType": request.type_name,
                "ResourceProperties": as_texts(request.properties),
                **more,
            }
            _send(request, token, event)
            if what == "Create":
                request.claim(request.name(255))
            _wait(callback, request, request_id)
        answer = _read(callback.body or b"", event)
        physical_id = answer["PhysicalResourceId"]
        if what == "Create":
            request.claim(physical_id)
        if answer["Status"] == "FAILED":
            raise ResourceFailed(
                "Received response status [FAILED] from custom resource. Message returned: "
                f"{answer.get('Reason') or ''} (RequestId: {request_id})",
                code=None,
            )
        return Made(
            physical_id=physical_id,
            attributes=dict(answer.get("Data") or {}),
            no_echo=str(answer.get("NoEcho", False)).lower() == "true",
        )


def missing_service_token(properties: Properties) -> Iterator[str]:
    """What is wrong with a custom resource's properties as the template writes them."""
    if "ServiceToken" not in properties:
        yield "#: required key [ServiceToken] not found"


def as_texts(value: Any) -> Any:
    """Properties as a provider is given them: every scalar is text."""
    if isinstance(value, Mapping):
        return {key: as_texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_texts(item) for item in value]
    return as_text(value)


def _send(request: Request, token: str, event: Mapping[str, Any]) -> None:
    """Give the event to the function or the topic that the ServiceToken names."""
    _, service, region, *_ = Arn.parse(token)
    if service == "sns":
        topics = request.context.client("sns", region)
        subject = "AWS CloudFormation custom resource request"
        topics.publish(TopicArn=token, Subject=subject, Message=json.dumps(event))
    elif service == "lambda":
        functions = request.context.client("lambda", region)
        payload = json.dumps(event).encode()
        functions.invoke(FunctionName=token, InvocationType="Event", Payload=payload)
    else:
        raise ResourceFailed(
            f"Invalid service token: {token}; it must be the ARN of a Lambda function or an SNS "
            "topic",
            code=None,
        )


def _wait(callback: Callback, request: Request, request_id: str) -> None:
    limit = int(request.properties.get("ServiceTimeout", DEFAULT_TIMEOUT_SECONDS))
    deadline = time.monotonic() + limit
    while not callback.settled.wait(POLL_SECONDS):
        if request.stop.is_set():
            raise Cancelled
        if time.monotonic() > deadline:
            raise ResourceFailed(_no_answer(request_id), code=None)
    if callback.body is None:
        raise ResourceFailed(
            f"{_no_answer(request_id)} The local AWS waits no longer, where AWS would wait "
            f"{limit} seconds: {callback.abandoned}",
            code=None,
        )


def _no_answer(request_id: str) -> str:
    return (
        "CloudFormation did not receive a response from your Custom Resource. Please check your "
        f"logs for requestId [{request_id}]. If you are using the Python cfn-response module, you "
        "may need to update your Lambda function code so that CloudFormation can attach the "
        "updated version."
    )


def _read(body: bytes, event: Mapping[str, Any]) -> dict[str, Any]:
    """The provider's answer, once it is one."""
    if len(body) > ANSWER_BYTES:
        raise ResourceFailed("Response object is too long.", code=None)
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise _invalid("it is not a JSON object")
    physical_id = answer.get("PhysicalResourceId")
    if not isinstance(physical_id, str) or not 0 < len(physical_id) <= PHYSICAL_ID_CHARACTERS:
        raise ResourceFailed("Invalid PhysicalResourceId", code=None)
    if answer.get("Status") not in ("SUCCESS", "FAILED"):
        raise _invalid(f"Status is {answer.get('Status')!r}; it must be SUCCESS or FAILED")
    for name in ("StackId", "RequestId", "LogicalResourceId"):
        if answer.get(name) != event[name]:
            raise _invalid(f"{name} is not the request's")
    if not isinstance(answer.get("Data") or {}, dict):
        raise _invalid("Data is not an object")
    return answer


def _invalid(why: str) -> ResourceFailed:
    return ResourceFailed(f"Invalid response object: {why}", code=None)


def _is_timeout(value: int | str) -> bool:
    text = str(value)
    return text.isdecimal() and 1 <= int(text) <= DEFAULT_TIMEOUT_SECONDS

"""Integrations of HTTP APIs with a service of AWS, in the API's role.

Sources: API Gateway developer guide, "Create AWS service integrations for HTTP APIs" and
"Integration subtype reference". How AWS writes a service's answer and its errors
is unverified, and so is that a parameter without a value is left out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from botocore import xform_name
from botocore.exceptions import ClientError, ParamValidationError
from jsonpath_ng.exceptions import JSONPathError
from jsonpath_ng.parser import parse
from werkzeug import Response

from local_aws.resources.api import fitted
from local_aws.resources.base import ResourceFailed
from local_aws.web.access_log import filled
from local_aws.web.door import json_answer
from local_aws.web.functions import Functions, NotPermitted, within
from local_aws.web.records import Record, bad_request

from .calls import INTERNAL, Call, Refused, source_of


class _Subtype(NamedTuple):
    service: str
    operation: str
    required: frozenset[str]


def _subtype(service: str, operation: str, required: str) -> _Subtype:
    return _Subtype(service, operation, frozenset(required.split()))


SUBTYPES: Mapping[str, _Subtype] = {
    "EventBridge-PutEvents": _subtype("events", "PutEvents", "Detail DetailType Source"),
    "Kinesis-PutRecord": _subtype("kinesis", "PutRecord", "StreamName Data PartitionKey"),
    "SQS-DeleteMessage": _subtype("sqs", "DeleteMessage", "QueueUrl ReceiptHandle"),
    "SQS-PurgeQueue": _subtype("sqs", "PurgeQueue", "QueueUrl"),
    "SQS-ReceiveMessage": _subtype("sqs", "ReceiveMessage", "QueueUrl"),
    "SQS-SendMessage": _subtype("sqs", "SendMessage", "QueueUrl MessageBody"),
    "StepFunctions-StartExecution": _subtype("stepfunctions", "StartExecution", "StateMachineArn"),
    "StepFunctions-StartSyncExecution": _subtype(
        "stepfunctions", "StartSyncExecution", "StateMachineArn"
    ),
    "StepFunctions-StopExecution": _subtype("stepfunctions", "StopExecution", "ExecutionArn"),
}
"""What AWS has but for AppConfig-GetConfiguration."""


def check_subtype(record: Mapping[str, Any]) -> None:
    """Raise `AwsError` for an integration with a service that is not carried out, or lacks what it
    needs; AWS's words are unverified."""
    name = str(record["IntegrationSubtype"])
    subtype = SUBTYPES.get(name)
    if subtype is None:
        raise bad_request(
            f"the local AWS does not carry out IntegrationSubtype {name}: {', '.join(SUBTYPES)} are"
        )
    missing = subtype.required - set(record.get("RequestParameters") or ())
    if missing:
        raise bad_request(f"{name} needs the RequestParameters {', '.join(sorted(missing))}")
    if not record.get("CredentialsArn"):
        raise bad_request(f"{name} needs a CredentialsArn")


def ask_service(functions: Functions, call: Call, integration: Record, region: str) -> Response:
    """The service's answer. Raises `Refused`, and `TooSlow`."""
    subtype = SUBTYPES[integration["IntegrationSubtype"]]
    given = {
        name: value
        for name, mapped in integration["RequestParameters"].items()
        if (value := _value(str(mapped), call)) is not None
    }
    region = given.pop("Region", region)
    try:
        client = functions.client(subtype.service, region, integration["CredentialsArn"])
        shape = client.meta.service_model.operation_model(subtype.operation).input_shape
        arguments = fitted(shape, _arguments(subtype, given), subtype.operation)
        ask = getattr(client, xform_name(subtype.operation))
        answer = within(int(integration["TimeoutInMillis"]) / 1000, lambda: ask(**arguments))
    except NotPermitted:
        raise Refused(500, INTERNAL) from None
    except (ResourceFailed, ParamValidationError, ValueError) as error:
        raise Refused(400, str(error)) from None
    except ClientError as error:
        told = error.response
        status = int(told["ResponseMetadata"].get("HTTPStatusCode", 500))
        return json_answer(status, {"message": told["Error"].get("Message", "")})
    del answer["ResponseMetadata"]
    text = json.dumps(answer, default=_plain, separators=(",", ":"))
    return Response(text, 200, content_type="application/json")


def _arguments(subtype: _Subtype, given: Mapping[str, str]) -> Mapping[str, Any]:
    """The parameters as the operation has them; what is a list or a structure is JSON."""
    read = {
        name: json.loads(value) if name in _WRITTEN_AS_JSON else value
        for name, value in given.items()
    }
    return {"Entries": [read]} if subtype.operation == "PutEvents" else read


_WRITTEN_AS_JSON = ("MessageAttributes", "MessageSystemAttributes", "Resources", "AttributeNames")


def _value(mapped: str, call: Call) -> str | None:
    """What a parameter is in this request; None is that there is none."""
    if mapped == "$request.body":
        return call.request.body.decode(errors="replace")
    if mapped.startswith("$request.body."):
        return _selected(mapped.removeprefix("$request.body"), call.request.body)
    if mapped.startswith("$request.path."):
        return call.parameters.get(mapped.removeprefix("$request.path."))
    if mapped.startswith(("$request.header.", "$request.querystring.", "$stageVariables.")):
        return source_of(mapped, call) or None
    if mapped.startswith("$context."):
        return filled(mapped, {"context": _context(call)}, absent="") or None
    return mapped


def _selected(path: str, body: bytes) -> str | None:
    try:
        found = parse(f"${path}").find(json.loads(body))
    except (JSONPathError, ValueError):
        return None
    if not found:
        return None
    value = found[0].value
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _context(call: Call) -> dict[str, Any]:
    request = call.request
    return {
        "httpMethod": request.method,
        "identity": {"sourceIp": request.source_ip, "userAgent": request.header("User-Agent")},
        "path": call.raw_path,
        "requestId": request.request_id,
        "requestTime": request.time_text,
        "requestTimeEpoch": int(request.at),
        "routeKey": call.route["RouteKey"],
        "stage": call.stage["StageName"],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.timestamp()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)

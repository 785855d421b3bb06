"""The ARNs of what an API call is about.

They follow from `_RESOURCES`, or from a function of the service's own. A call
that neither knows is about ``*``: then only a statement on ``*`` lets it, as on
AWS for operations that know no resources. Source: AWS service authorization
reference, read 2026-11-21.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from sagemaker_serving.local.protocol.call import Call

from . import deployed

Finder = Callable[[Call, str], Iterator[str]]


def resources_of(call: Call, prefix: str, account: str) -> Iterator[str]:
    """The ARNs that a call of the service with this IAM prefix is about; none is ``*``."""
    if prefix in _FINDERS:
        yield from _FINDERS[prefix](call, account)
        return
    for parameter, template in _RESOURCES.get(prefix, {}).items():
        value = _first(call.parameters, parameter)
        if value is not None:
            yield _arn(value, template, call, account, prefix)
            return


_RESOURCES: dict[str, dict[str, str]] = {
    "states": {
        "executionArn": "execution:{}",
        "stateMachineArn": "stateMachine:{}",
        "mapRunArn": "mapRun:{}",
        "activityArn": "activity:{}",
        "resourceArn": "{}",
        "name": "stateMachine:{}",
    },
    "lambda": {"FunctionName": "function:{}", "Resource": "{}", "LayerName": "layer:{}"},
    "sns": {"TopicArn": "{}", "TargetArn": "{}", "ResourceArn": "{}", "Name": "{}"},
    "sqs": {"QueueUrl": "{}", "QueueName": "{}"},
    "scheduler": {"Name": "schedule/{group}/{}", "ResourceArn": "{}"},
    "ecr": {"repositoryName": "repository/{}", "resourceArn": "{}"},
    "iam": {"RoleName": "role/{}", "PolicyArn": "{}", "PolicyName": "policy/{}"},
    "sts": {"RoleArn": "{}"},
    "cloudformation": {"StackName": "stack/{}/*", "ChangeSetName": "{}"},
    "codebuild": {"projectName": "project/{}"},
}
"""By service: the parameter that names the resource, and how its ARN ends. The first counts."""

_WITHOUT_REGION = frozenset({"iam", "sts"})


def _arn(value: str, template: str, call: Call, account: str, prefix: str) -> str:
    if value.startswith("arn:"):
        return value
    name = value.rstrip("/").rpartition("/")[2] if prefix == "sqs" else value
    group = call.parameters.get("GroupName") or "default"
    region = "" if prefix in _WITHOUT_REGION else call.region
    return f"arn:aws:{prefix}:{region}:{account}:{template.format(name, group=group)}"


def _first(parameters: Mapping[str, Any], name: str) -> str | None:
    value = parameters.get(name)
    return value if isinstance(value, str) and value else None


def _sagemaker(call: Call, account: str) -> Iterator[str]:
    """``CreateTransformJob`` is about ``transform-job/<TransformJobName>``, and so on.

    SageMaker writes names in lower case in its ARNs.
    """
    head = f"arn:aws:sagemaker:{call.region}:{account}"
    if "ResourceArn" in call.parameters:
        yield str(call.parameters["ResourceArn"])
        return
    noun = re.sub("^[A-Z][a-z]+", "", call.operation)
    noun = "Endpoint" if noun.startswith("Endpoint") and noun != "EndpointConfig" else noun
    name = _first(call.parameters, f"{noun}Name")
    if name is None:
        return
    kind = re.sub("(?<=[a-z])(?=[A-Z])", "-", noun).lower()
    yield f"{head}:{kind}/{name.lower()}"
    if call.operation in ("CreateEndpoint", "UpdateEndpoint"):
        yield f"{head}:endpoint-config/{call.parameters.get('EndpointConfigName', '').lower()}"


def _logs(call: Call, account: str) -> Iterator[str]:
    named = _first(call.parameters, "logGroupIdentifier") or _first(call.parameters, "resourceArn")
    group = _first(call.parameters, "logGroupName")
    if group is None:
        if named is not None and named.startswith("arn:"):
            yield named
            return
        group = named
    if group is None:
        return
    arn = f"arn:aws:logs:{call.region}:{account}:log-group:{group}"
    about_streams = call.operation in _ABOUT_LOG_STREAMS
    yield f"{arn}:log-stream:{call.parameters.get('logStreamName', '')}" if about_streams else arn


_ABOUT_LOG_STREAMS = frozenset(
    {
        "CreateLogStream",
        "DeleteLogStream",
        "DescribeLogStreams",
        "FilterLogEvents",
        "GetLogEvents",
        "PutLogEvents",
    }
)


def _cloudwatch(call: Call, account: str) -> Iterator[str]:
    """DescribeAlarms is about every alarm, whichever it names.

    So AWS's own refusals say (aws-samples/amazon-cloudwatch-auto-alarms#1, read 2026-11-21).
    """
    head = f"arn:aws:cloudwatch:{call.region}:{account}"
    alarm = _first(call.parameters, "AlarmName")
    dashboard = _first(call.parameters, "DashboardName")
    if call.operation == "DescribeAlarms":
        yield f"{head}:alarm:*"
    elif alarm is not None:
        yield f"{head}:alarm:{alarm}"
    elif dashboard is not None:
        yield f"{head}:dashboard/{dashboard}"


def _kms(call: Call, account: str) -> Iterator[str]:
    named = _first(call.parameters, "KeyId") or _first(call.parameters, "TargetKeyId")
    blob = call.parameters.get("CiphertextBlob")
    if named is None and isinstance(blob, str):
        # The emulator's begin with the key's id: 36 bytes are the first 48 characters.
        with suppress(binascii.Error):
            named = b64decode(blob[:48]).decode("ascii", "replace")
    if named is not None:
        arn = deployed.key_arn(named, region=call.region, account=account)
        yield arn if arn is not None else f"arn:aws:kms:{call.region}:{account}:key/{named}"


def _ssm(call: Call, account: str) -> Iterator[str]:
    several = call.parameters.get("Names")
    names = (
        several
        if isinstance(several, list)
        else [_first(call.parameters, "Name") or _first(call.parameters, "Path")]
    )
    for name in names:
        if name is None:
            continue
        plain = name.lstrip("/")
        yield (
            name
            if name.startswith("arn:")
            else f"arn:aws:ssm:{call.region}:{account}:parameter/{plain}"
        )


def _events(call: Call, account: str) -> Iterator[str]:
    head = f"arn:aws:events:{call.region}:{account}"
    if call.operation == "PutEvents":
        for entry in call.parameters.get("Entries", ()):
            bus = entry.get("EventBusName", "default")
            yield bus if bus.startswith("arn:") else f"{head}:event-bus/{bus}"
        return
    given = _first(call.parameters, "ResourceARN")
    rule = _first(call.parameters, "Rule") or _first(call.parameters, "Name")
    bus = (_first(call.parameters, "EventBusName") or "default").rpartition("/")[2]
    if given is not None:
        yield given
    elif rule is not None:
        yield f"{head}:rule/{rule}" if bus == "default" else f"{head}:rule/{bus}/{rule}"


def _dynamodb(call: Call, account: str) -> Iterator[str]:
    """Tables, by whichever member an operation names them, and the index that is asked."""
    head = f"arn:aws:dynamodb:{call.region}:{account}:table"
    single = _first(call.parameters, "TableName")
    index = _first(call.parameters, "IndexName")
    tables = [single] if single is not None else list(call.parameters.get("RequestItems", ()))
    for item in call.parameters.get("TransactItems", ()):
        tables += [part["TableName"] for part in item.values() if "TableName" in part]
    for table in dict.fromkeys(tables):
        arn = table if table.startswith("arn:") else f"{head}/{table}"
        yield arn if index is None else f"{arn}/index/{index}"


def _secrets(call: Call, account: str) -> Iterator[str]:
    """Secrets' ARNs end in six characters that only the secret itself tells."""
    named = _first(call.parameters, "SecretId") or _first(call.parameters, "Name")
    if named is not None:
        arn = deployed.secret_arn(named, region=call.region, account=account)
        yield arn or f"arn:aws:secretsmanager:{call.region}:{account}:secret:{named}"


_FINDERS: dict[str, Finder] = {
    "cloudwatch": _cloudwatch,
    "dynamodb": _dynamodb,
    "events": _events,
    "secretsmanager": _secrets,
    "sagemaker": _sagemaker,
    "logs": _logs,
    "kms": _kms,
    "ssm": _ssm,
}

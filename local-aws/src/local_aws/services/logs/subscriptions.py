"""Subscription filters: what is put into a log group goes on to a function.

Sources: CloudWatch Logs user guide, "Log group-level subscription filters" and "Filter pattern
syntax for metric filters, subscription filters, and Live Tail"; AWS Lambda developer guide, "Using
Lambda with CloudWatch Logs".
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from moto.logs.models import LogStream, logs_backends

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.template.regions import region_names

_PRINCIPAL = "logs.amazonaws.com"


def apply(context: LocalContext) -> None:
    """Apply the patch; a second time only leads the emulator to other targets.

    By itself it sends all, whatever the pattern, to functions that it does not have.
    """
    now = LogStream._send_log_events
    original = getattr(now, "__wrapped__", now)

    @wraps(original)
    def send(
        self: Any, service: str, destination_arn: str, filter_name: str, log_events: list[Any]
    ) -> None:
        subscription = self.log_group.subscription_filters[filter_name]
        lets_through = matcher_of(subscription.filter_pattern)
        chosen = [each for each in log_events if lets_through(each["message"])]
        if not chosen:
            return
        data = gzip.compress(json.dumps(_message(self, filter_name, chosen)).encode())
        context.targets.deliver(
            destination_arn,
            {"awslogs": {"data": base64.b64encode(data).decode()}},
            service=_let_in_as(context, destination_arn, self.log_group) or _PRINCIPAL,
            source_arn=f"{self.log_group.arn}:*",
        )

    LogStream._send_log_events = send


def put_filter(context: LocalContext, call: Call) -> dict[str, Any] | None:
    """What PutSubscriptionFilter answers; None leaves a group that is not there to the emulator.

    Raises `AwsError`, for what is no function by name.
    """
    given = call.parameters
    matcher_of(given["filterPattern"])
    service = Arn.parse(given["destinationArn"]).service
    if service != "lambda":
        raise AwsError(
            "InvalidParameterException",
            f"the local AWS sends log events to functions alone, not to {service or 'no ARN'}",
        )
    group = logs_backends[call.account][call.region].groups.get(given["logGroupName"])
    if group is None:
        return None
    if _let_in_as(context, given["destinationArn"], group) is None:
        raise AwsError(
            "InvalidParameterException",
            "Could not execute the lambda function. Make sure you have given CloudWatch Logs "
            "permission to execute your function.",
        )
    group.put_subscription_filter(
        given["filterName"], given["filterPattern"], given["destinationArn"], given.get("roleArn")
    )
    return {}


def matcher_of(pattern: str) -> Callable[[str], bool]:
    """What a filter pattern of terms says of a message: all of ``a "b c"``, any of ``?a ?b``, none
    of ``-a``; ``%…%`` is a regular expression.

    Raises `AwsError` for patterns of JSON and of columns, which are not followed, and for a regular
    expression that cannot be read.
    """
    if pattern.lstrip()[:1] in ("{", "["):
        raise AwsError(
            "InvalidParameterException",
            f"the local AWS does not follow the filter pattern {pattern}, of JSON or of columns; "
            'terms it does: ERROR, "two words", ?one ?other, -none, %regular expression%',
        )
    terms = [(sign, _found(term)) for sign, term in _TERM.findall(pattern)]
    any_of = [found for sign, found in terms if sign == "?"]
    all_of = [found for sign, found in terms if sign == ""]
    none_of = [found for sign, found in terms if sign == "-"]

    def matches(message: str) -> bool:
        return (
            (not any_of or any(found(message) for found in any_of))
            and all(found(message) for found in all_of)
            and not any(found(message) for found in none_of)
        )

    return matches


_TERM = re.compile(r'([?-]?)("[^"]*"|%[^%]*%|\S+)')


def _found(term: str) -> Callable[[str], bool]:
    if len(term) > 1 and term[0] == term[-1] == "%":
        try:
            expression = re.compile(term[1:-1])
        except re.error as wrong:
            what = f"the filter pattern has {term}, which is no regular expression: {wrong}"
            raise AwsError("InvalidParameterException", what) from None
        return lambda message: expression.search(message) is not None
    text = term[1:-1] if term.startswith('"') else term
    return lambda message: text in message


def _message(stream: Any, filter_name: str, events: list[Any]) -> dict[str, Any]:
    return {
        "messageType": "DATA_MESSAGE",
        "owner": stream.account_id,
        "logGroup": stream.log_group.name,
        "logStream": stream.log_stream_name,
        "subscriptionFilters": [filter_name],
        "logEvents": [{**each, "id": f"{int(each['id']):056d}"} for each in events],
    }


def _let_in_as(context: LocalContext, function_arn: str, group: Any) -> str | None:
    """The name by which a function's policy lets CloudWatch Logs in for a group: with its region,
    as older policies have it, or without; None where it does not."""
    known = {"aws:SourceArn": f"{group.arn}:*", "aws:SourceAccount": Arn.parse(group.arn).account}
    region = Arn.parse(function_arn).region
    names = (_PRINCIPAL, f"logs.{region}.{region_names(region)['AWS::URLSuffix']}")
    for name in names:
        if context.evaluator.lets_service(name, "lambda:InvokeFunction", function_arn, known):
            return name
    return None

"""The resource policy by which the events of machines are let into their log groups.

The delivery of logs writes in the name of a service, and CloudWatch Logs takes that for groups
which a resource policy of the account names. Step Functions adds each machine's group to one
policy. Nothing takes a group out again, and the policy has a size: as it is nearly reached, all
groups below ``/aws/vendedlogs/`` are let in by one pattern, and others are refused then.

Sources: Step Functions developer guide, "Avoiding Amazon CloudWatch Logs resource policy size
restrictions", and CloudWatch Logs user guide, "Logs sent to CloudWatch Logs"; the refusal is quoted
in github.com/aws/aws-cdk/issues/28900. Step Functions' guide has 5,120
characters, as its refusal did until 2024. The user guide says by now that new deliveries get
policies of single groups, and the API takes 51,200 characters since 2025
(github.com/anomalyco/sst/issues/6231): the narrower holds here, so that what passes here passes
there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from threading import Lock
from typing import Any

from local_aws.arn import Arn, arn_in
from local_aws.context import LocalContext
from local_aws.policies.documents import Policy
from local_aws.policies.principals import Principal
from local_aws.protocol import AwsError

_NAME = "AWSLogDeliveryWrite20150319"
_SERVICE = "delivery.logs.amazonaws.com"
_ACTIONS = ("logs:CreateLogStream", "logs:PutLogEvents")
_CHARACTERS = 5120
_VENDED = "/aws/vendedlogs/"


class LogDelivery:
    """Sets up the delivery of machines' events."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._lock = Lock()

    def set_up(self, logging: Mapping[str, Any]) -> None:
        """Let a LoggingConfiguration's group be written into.

        Raises AwsError InvalidLoggingConfiguration where no resource policy takes it any more.
        """
        if logging["level"] == "OFF":
            return
        for group, name in log_groups(logging):
            with self._lock:
                self._let_in(group, name)

    def _let_in(self, group: Arn, name: str) -> None:
        logs = self._context.client("logs", group.region)
        kept = {
            each["policyName"]: each["policyDocument"]
            for each in logs.describe_resource_policies()["resourcePolicies"]
        }
        account = arn_in(group.region, "logs", self._context.account_id, "")
        streams = f"{account}log-group:{name}:log-stream:*"
        if any(_lets_in(document, streams, account) for document in kept.values()):
            return
        document = _with(_resources(kept.get(_NAME)), streams, account)
        if len(document) > _CHARACTERS:
            raise _full()
        try:
            logs.put_resource_policy(policyName=_NAME, policyDocument=document)
        except logs.exceptions.LimitExceededException:
            raise _full() from None


def _lets_in(document: str, streams: str, account: str) -> bool:
    """Whether a resource policy lets the delivery write into a group's streams."""
    owner = Arn.parse(account).account
    context = {"aws:sourceaccount": (owner,), "aws:sourcearn": (f"{account}*",)}
    policy, who = Policy.parse(document, name=_NAME), Principal(account=owner, service=_SERVICE)
    return all(
        policy.allowed_as(who, action, streams, context)
        and not policy.denies_to(who, action, streams, context)
        for action in _ACTIONS
    )


def _with(listed: list[str], streams: str, account: str) -> str:
    """The policy with one more group, or with the pattern of all vended ones in their place, once
    there would be no room for it any more."""
    pattern = f"{account}log-group:{_VENDED}*"
    wanted = [*listed, streams]
    if pattern in listed or len(_document([*wanted, pattern], account)) <= _CHARACTERS:
        return _document(wanted, account)
    others = [each for each in wanted if f":log-group:{_VENDED}" not in each]
    return _document([*others, pattern], account)


def _resources(document: str | None) -> list[str]:
    if document is None:
        return []
    statements = json.loads(document)["Statement"]
    first = statements[0] if isinstance(statements, list) else statements
    named = first.get("Resource", [])
    return named if isinstance(named, list) else [named]


def _document(resources: Iterable[str], account: str) -> str:
    statement = {
        "Sid": _NAME,
        "Effect": "Allow",
        "Principal": {"Service": [_SERVICE]},
        "Action": list(_ACTIONS),
        "Resource": list(resources),
        "Condition": {
            "StringEquals": {"aws:SourceAccount": [Arn.parse(account).account]},
            "ArnLike": {"aws:SourceArn": [f"{account}*"]},
        },
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, separators=(",", ":"))


def _full() -> AwsError:
    return AwsError(
        "InvalidLoggingConfiguration",
        "Invalid Logging Configuration: The CloudWatch Logs Resource Policy size was exceeded. We "
        "suggest prefixing your CloudWatch log group name with /aws/vendedlogs/states/.",
    )


def configuration(asked: Mapping[str, Any], context: LocalContext) -> dict[str, Any]:
    """The LoggingConfiguration of a request, with its defaults: level OFF, no execution data.

    Raises AwsError InvalidLoggingConfiguration for any other level without a destination, for more
    than one, and for a log group that is not there; these are AWS's words, as LocalStack's suite
    recorded them in 2024. Source: Step Functions API reference, LoggingConfiguration.
    """
    given: Mapping[str, Any] = asked.get("loggingConfiguration", {})
    wanted = {"level": "OFF", "includeExecutionData": False, **given}
    groups = list(log_groups(wanted))
    if len(groups) > 1 or (wanted["level"] != "OFF" and not groups):
        raise _invalid("Must specify exactly one Log Destination.")
    for arn, name in groups:
        logs = context.client("logs", arn.region)
        found = logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"]
        if all(group["logGroupName"] != name for group in found):
            raise _invalid("Log Destination not found.")
    return wanted


def log_groups(wanted: Mapping[str, Any]) -> Iterator[tuple[Arn, str]]:
    """The log groups that a LoggingConfiguration names: their ARNs and names."""
    for destination in wanted.get("destinations") or []:
        arn = Arn.parse(destination.get("cloudWatchLogsLogGroup", {}).get("logGroupArn", ""))
        yield arn, arn.resource.removeprefix("log-group:").removesuffix(":*")


def _invalid(why: str) -> AwsError:
    return AwsError("InvalidLoggingConfiguration", f"Invalid Logging Configuration: {why}")

"""Where the events of a machine's executions are written, as its LoggingConfiguration says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.protocol import AwsError


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

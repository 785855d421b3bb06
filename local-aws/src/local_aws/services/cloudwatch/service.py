"""CloudWatch: metrics, alarms and dashboards, which the emulator keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from local_aws.permissions.service import Refusal, ServicePermissions, first
from local_aws.protocol.call import Call
from local_aws.resources.base import Provider
from local_aws.service import Service

from .resources import Alarm, Dashboard


def _resources(call: Call, account: str) -> Iterator[str]:
    """DescribeAlarms is about every alarm, whichever it names.

    So AWS's own refusals say (aws-samples/amazon-cloudwatch-auto-alarms#1, read 2026-11-21).
    """
    head = f"arn:aws:cloudwatch:{call.region}:{account}"
    alarm, dashboard = first(call.parameters, "AlarmName"), first(call.parameters, "DashboardName")
    if call.operation == "DescribeAlarms":
        yield f"{head}:alarm:*"
    elif alarm is not None:
        yield f"{head}:alarm:{alarm}"
    elif dashboard is not None:
        yield f"{head}:dashboard/{dashboard}"


class CloudWatch(Service):
    """CloudWatch: metrics, alarms and dashboards, which the emulator keeps."""

    name = "cloudwatch"
    permissions = ServicePermissions(
        prefix="cloudwatch",
        resources=_resources,
        condition_keys={"cloudwatch:namespace": "Namespace"},
        denied=Refusal(code="AccessDenied", status=403),
    )

    def resource_types(self) -> Iterable[Provider]:
        """Its types of CloudFormation."""
        return (Alarm(), Dashboard())

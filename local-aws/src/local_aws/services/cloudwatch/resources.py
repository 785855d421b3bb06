"""CloudWatch alarms and dashboards."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Request, ResourceFailed


class Alarm(ApiProvider):
    """``AWS::CloudWatch::Alarm``: Ref is the name."""

    type_name = "AWS::CloudWatch::Alarm"
    name_property = "AlarmName"
    service = "cloudwatch"
    create_operation = "PutMetricAlarm"
    reading = "DescribeAlarms AlarmNames MetricAlarms 0"
    deletes = ("DeleteAlarms", "AlarmNames")
    not_carried_out = frozenset(
        {
            "ActionConfiguration",
            "EvaluationCriteria",
            "EvaluationInterval",
            "EvaluationWindow",
            "Metrics.AccountId",
            "WarmUpConfiguration",
        }
    )

    @override
    def create(self, request: Request) -> str:
        name: str = request.properties.get("AlarmName") or request.name(255)
        if self._alarms(request, name):
            raise ResourceFailed(f"{name} already exists", code="AlreadyExists")
        self.call(request, "PutMetricAlarm", request.properties, AlarmName=name)
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        (alarm,) = self._alarms(request, request.physical_id)
        return {"Arn": alarm["AlarmArn"]}

    @override
    def update(self, request: Request) -> Attributes:
        self.call(request, "PutMetricAlarm", request.properties, AlarmName=request.physical_id)
        self.retag(request, ResourceARN=request.attributes["Arn"])
        return dict(request.attributes)

    def _alarms(self, request: Request, name: str) -> list[dict[str, Any]]:
        alarms: list[dict[str, Any]] = self.call(request, "DescribeAlarms", AlarmNames=[name])[
            "MetricAlarms"
        ]
        return alarms


class Dashboard(ApiProvider):
    """``AWS::CloudWatch::Dashboard``: Ref is the name."""

    type_name = "AWS::CloudWatch::Dashboard"
    name_property = "DashboardName"
    service = "cloudwatch"
    create_operation = "PutDashboard"
    reading = "GetDashboard DashboardName"
    deletes = ("DeleteDashboards", "DashboardNames")

    @override
    def create(self, request: Request) -> str:
        name: str = request.properties.get("DashboardName") or request.name(255, stack=False)
        self.call(request, "PutDashboard", request.properties, DashboardName=name)
        return name

    @override
    def update(self, request: Request) -> Attributes:
        name = request.physical_id
        self.call(request, "PutDashboard", request.properties, DashboardName=name)
        answer = self.call(request, "GetDashboard", DashboardName=name)
        self.retag(request, ResourceARN=answer["DashboardArn"])
        return {}

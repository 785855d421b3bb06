"""Log groups, alarms and dashboards: made as they say, changed in place, deleted."""

from __future__ import annotations

import json

from tests.local_aws.services.cloudformation.conftest import Aws
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    resource,
    template,
)
from tests.local_aws.services.cloudformation.types.changes import changed_to, tags_of


def test_log_group(aws: Aws) -> None:
    logs = aws.client("logs")
    group = resource("Logs::LogGroup", LogGroupName="/ours", RetentionInDays=7, Tags=tags_of("a=1"))
    aws.create("logs", template({"Arn": get_att("Group", "Arn")}, Group=group))
    (found,) = logs.describe_log_groups(logGroupNamePrefix="/ours")["logGroups"]
    assert (found["retentionInDays"], found["arn"]) == (7, aws.outputs("logs")["Arn"])

    aws.update("logs", template(Group=changed_to(group, RetentionInDays=None, Tags=tags_of("b=2"))))

    (found,) = logs.describe_log_groups(logGroupNamePrefix="/ours")["logGroups"]
    assert "retentionInDays" not in found
    arn = found["arn"].removesuffix(":*")
    assert logs.list_tags_for_resource(resourceArn=arn)["tags"] == {"b": "2"}
    aws.delete("logs")
    assert logs.describe_log_groups(logGroupNamePrefix="/ours")["logGroups"] == []


def test_alarm_and_dashboard(aws: Aws) -> None:
    cloudwatch = aws.client("cloudwatch")
    alarm = resource(
        "CloudWatch::Alarm",
        AlarmName="errors",
        Namespace="AWS/SageMaker",
        MetricName="Invocation5XXErrors",
        Dimensions=[{"Name": "EndpointName", "Value": "digits"}],
        Statistic="Sum",
        Period="60",
        EvaluationPeriods=1,
        Threshold="1.5",
        ComparisonOperator="GreaterThanThreshold",
        TreatMissingData="notBreaching",
        Tags=tags_of("a=1"),
    )
    dashboard = resource(
        "CloudWatch::Dashboard", DashboardBody=json.dumps({"widgets": []}), Tags=tags_of("a=1")
    )
    aws.create("alarm", template({"Arn": get_att("A", "Arn")}, A=alarm, D=dashboard))
    (found,) = cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"]
    assert (found["Threshold"], found["Period"]) == (1.5, 60)
    assert aws.outputs("alarm")["Arn"] == found["AlarmArn"]

    aws.update(
        "alarm",
        template(A=changed_to(alarm, Threshold=3), D=changed_to(dashboard, Tags=tags_of("b=2"))),
    )

    (shown,) = cloudwatch.list_dashboards()["DashboardEntries"]
    tags = cloudwatch.list_tags_for_resource(ResourceARN=shown["DashboardArn"])["Tags"]
    assert tags == tags_of("b=2")
    (found,) = cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"]
    assert found["Threshold"] == 3
    second = aws.create("alarm-again", template(A=alarm))
    assert second["StackStatus"] == "ROLLBACK_COMPLETE"
    aws.delete("alarm")
    assert cloudwatch.describe_alarms(AlarmNames=["errors"])["MetricAlarms"] == []
    assert cloudwatch.list_dashboards()["DashboardEntries"] == []

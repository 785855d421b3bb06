"""Dashboards as their API keeps them."""

from __future__ import annotations

from typing import Any

from tests.local_aws.aws import Aws


def test_a_dashboard_has_the_tags_that_it_was_made_with(aws: Aws) -> None:
    """CloudWatch API reference, PutDashboard: tags of one that is there already are ignored."""
    cloudwatch = aws.client("cloudwatch")

    def put(name: str, value: str) -> Any:
        tags = [{"Key": "team", "Value": value}]
        cloudwatch.put_dashboard(DashboardName=name, DashboardBody="{}", Tags=tags)
        arn = cloudwatch.get_dashboard(DashboardName=name)["DashboardArn"]
        return cloudwatch.list_tags_for_resource(ResourceARN=arn)["Tags"]

    assert put("tagged", "a") == [{"Key": "team", "Value": "a"}]
    assert put("tagged", "b") == [{"Key": "team", "Value": "a"}]
    cloudwatch.delete_dashboards(DashboardNames=["tagged"])
    assert put("tagged", "b") == [{"Key": "team", "Value": "b"}]

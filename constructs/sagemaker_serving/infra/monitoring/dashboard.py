"""The CloudWatch dashboard of an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from sagemaker_serving.infra.monitoring.graphs import OF_COMPONENTS, OF_VARIANTS
from sagemaker_serving.infra.monitoring.watches import WatchedVariant
from sagemaker_serving.infra.synth.tokens import region_of

if TYPE_CHECKING:
    from sagemaker_serving.infra.monitoring.alarms import EndpointAlarms

_WHOLE_WIDTH = 24
_LOG_QUERY = (
    "fields @timestamp, @logStream, @message",
    "filter @message like /(?i)(error|exception|traceback)/",
    "sort @timestamp desc",
    "limit 50",
)


class EndpointDashboard(Construct):
    """One page on an endpoint: alarms, requests, errors, latency, what is used up, the log.

    Each graph has every variant; graphs on what no variant of this kind
    publishes are left out. It is named ``<endpoint>-<region>``: CloudWatch has
    each name once for all regions.

    :param alarms: their states stand on top.
    :param inference_components: names of components that share the endpoint's instances.
    :param log_group_names: whose last errors are listed; without any, none are.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        variants: Sequence[WatchedVariant],
        alarms: EndpointAlarms | None = None,
        inference_components: Sequence[str] = (),
        log_group_names: Sequence[str] = (),
    ) -> None:
        super().__init__(scope, construct_id)
        self.dashboard_name = f"{endpoint_name}-{region_of(self)}"
        """The dashboard's name."""
        graphs = [
            *(graph.of_variants(endpoint_name, variants) for graph in OF_VARIANTS),
            *(graph.of_components(inference_components) for graph in OF_COMPONENTS),
        ]
        dashboard = cloudwatch.Dashboard(
            self,
            "Resource",
            dashboard_name=self.dashboard_name,
            default_interval=cdk.Duration.hours(3),
        )
        if alarms is not None and alarms.alarms:
            dashboard.add_widgets(
                cloudwatch.AlarmStatusWidget(
                    title="Alarms", alarms=alarms.alarms, width=_WHOLE_WIDTH
                )
            )
        dashboard.add_widgets(*(graph for graph in graphs if graph is not None))
        if log_group_names:
            dashboard.add_widgets(
                cloudwatch.LogQueryWidget(
                    title="Errors in the log",
                    log_group_names=list(log_group_names),
                    query_lines=list(_LOG_QUERY),
                    width=_WHOLE_WIDTH,
                )
            )

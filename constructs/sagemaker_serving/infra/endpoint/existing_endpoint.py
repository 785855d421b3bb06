"""An endpoint that was there before the stack, moved to the stack's config by a custom resource."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.infra.endpoint.config import EndpointConfig
from sagemaker_serving.infra.endpoint.endpoint import (
    NOT_RETAINED,
    MovedEndpoint,
    endpoint_name_of,
)
from sagemaker_serving.infra.endpoint.guardrails import Guardrails
from sagemaker_serving.infra.functions.machine_provider import MachineProvider
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant, grant_key_grants
from sagemaker_serving.infra.synth.tokens import stack_of
from sagemaker_serving.spec.update import MOST_SECONDS

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs

    from sagemaker_serving.infra.monitoring.monitoring import EndpointMonitoring


class ExistingEndpoint(MovedEndpoint):
    """An endpoint that something else made, which a deploy moves to an `EndpointConfig`.

    CloudFormation imports no endpoint. So a function and a state machine call UpdateEndpoint and
    wait until it is done. The deploy fails when SageMaker went back, or when the endpoint serves
    another config than the stack says, as after `sagemaker-serving rollback`. A deploy that is
    taken back gives the endpoint the config back that it had. Nothing here makes the endpoint, and
    nothing deletes it: after the stack it serves on. So the config, its Models and their roles
    outlive the stack, too, and are kept when a deploy replaces them.

    ::

        ExistingEndpoint(
            self,
            "Endpoint",
            endpoint_name="digits",
            endpoint_config=config,
            guardrails=Guardrails.canary(percent=10).watching("digits-errors"),
        )

    :param endpoint_name: the endpoint, in the stack's account and region.
    :param keep_instance_counts: as of an `Endpoint`.
    :param guardrails: how it moves to a new config, and what takes that back. The update may take
        3,000 seconds in all unless they say less.
    :param monitoring: as of an `Endpoint`.
    :param function_role: what both functions run as; made here unless given, and so is the next.
    :param state_machine_role: what the state machine runs as.
    :param log_group: what functions and machine write to; made here, three of them, unless given.
    :param retain_logs: whether the logs made here outlive the stack.
    :param encryption_key: encrypts these logs, and CloudWatch Logs is let use it; absent,
        CloudWatch's own key does.

    Raises `Mistake` for a name that SageMaker does not take.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        endpoint_config: EndpointConfig,
        keep_instance_counts: bool = False,
        guardrails: Guardrails | None = None,
        monitoring: EndpointMonitoring | None = None,
        function_role: iam.IRole | None = None,
        state_machine_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._plain_name = endpoint_name_of(self, endpoint_name)
        self._update: dict[str, Any] = {}
        if guardrails is not None:
            if monitoring is not None:
                guardrails = guardrails.watching_of(monitoring.rollback_alarm_names)
            self._update["DeploymentConfig"] = _in_time(guardrails).members
        self._serve(endpoint_config, guardrails, monitoring)
        endpoint_config.keep_replaced(endpoint_name)
        endpoint_config.grant_to_roles(_keep)
        provider = MachineProvider(
            self,
            package="endpoint_update",
            then="update",
            when="ready",
            function_role=function_role,
            state_machine_role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        self._resource = cdk.CfnResource(
            self,
            "Resource",
            type="Custom::EndpointUpdate",
            properties={
                "ServiceToken": provider.service_token,
                "EndpointName": endpoint_name,
                "EndpointConfigName": endpoint_config.endpoint_config_name,
                "Content": endpoint_config.content_id,
            },
        )
        self._resource.node.add_dependency(provider.given_up)
        self._grant_update(provider.work.role, endpoint_config)
        self._render()
        if keep_instance_counts:
            self._keep_instance_counts()

    @cached_property
    def endpoint_name(self) -> str:
        """The endpoint's name, as a token that holds once it serves the config."""
        return self._resource.get_att("EndpointName").to_string()

    def _grant_update(self, role: iam.IRole, config: EndpointConfig) -> None:
        """What UpdateEndpoint and the looks around it need. That it is of the config, too, and the
        key's action are inferred: botocore's CreateEndpointConfig.KmsKeyId says that whoever calls
        UpdateEndpoint has to be let use the key, and the developer guide's "API Permissions" names
        kms:CreateGrant, and no other, for CreateEndpoint."""
        stack = stack_of(self)
        configs = stack.format_arn(
            service="sagemaker", resource="endpoint-config", resource_name="*"
        )
        update, describe = "sagemaker:UpdateEndpoint", "sagemaker:DescribeEndpoint"
        given = grant(role, [update, describe], self.endpoint_arn)
        of_configs = ["DescribeEndpointConfig", "AddTags", "ListTags"]
        given = given.combine(
            grant(role, [update, *(f"sagemaker:{action}" for action in of_configs)], configs)
        )
        models = stack.format_arn(service="sagemaker", resource="model", resource_name="*")
        given = given.combine(grant(role, ["sagemaker:DescribeModel"], models))
        for every in (configs, models):
            acknowledge_wildcard(role, every, "What serves may be anybody's, and have any name")
        given = given.combine(grant(role, ["cloudformation:DescribeStacks"], stack.stack_id))
        if config.encryption_key_arn is not None:
            given = given.combine(grant_key_grants(role, config.encryption_key_arn))
        given.apply_before(self._resource)

    def _keep_instance_counts(self) -> None:
        self._update["RetainAllVariantProperties"] = True
        self._update["ExcludeRetainedVariantProperties"] = [
            {"VariantPropertyType": kind} for kind in NOT_RETAINED
        ]
        self._render()

    def _render(self) -> None:
        """As text: CloudFormation hands a custom resource every number as one."""
        text = stack_of(self).to_json_string(self._update)
        self._resource.add_property_override("Update", text)


def _keep(role: iam.IRole) -> None:
    """With what it may do: the endpoint goes on using it after its stack."""
    for resource in role.node.find_all():
        if isinstance(resource, iam.CfnRole | iam.CfnPolicy):
            resource.apply_removal_policy(cdk.RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)


def _in_time(guardrails: Guardrails) -> Guardrails:
    """The same, taken back by SageMaker itself before CloudFormation would give up."""
    if guardrails.maximum_execution_timeout_seconds is not None:
        return guardrails
    return replace(guardrails, maximum_execution_timeout_seconds=MOST_SECONDS)

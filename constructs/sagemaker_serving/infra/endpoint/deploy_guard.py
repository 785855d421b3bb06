"""What looks at an endpoint before and after CloudFormation moves it, and after it is deleted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra.functions.own_function import OwnFunction
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs

    from sagemaker_serving.infra.endpoint.config import EndpointConfig
    from sagemaker_serving.infra.endpoint.endpoint import Endpoint
    from sagemaker_serving.infra.endpoint.inference_component import InferenceComponent


class DeployGuard(Construct):
    """Fails deploys that would end on another config than they say, and makes a delete wait.

    SageMaker takes an update back when the new version fails its health checks or finds no
    capacity, and CloudFormation may take that for done. So after each move a function asks which
    config serves, and fails the deploy with SageMaker's reason before anything is deleted. Before
    each, it refuses to move an endpoint that serves another config than the stack says, as after
    `sagemaker-serving rollback`. When the stack goes, the endpoint's role outlives the endpoint
    and its network interfaces, which SageMaker deletes in that role's name.

    ::

        endpoint = Endpoint(self, "Endpoint", endpoint_name="digits", endpoint_config=config)
        DeployGuard(self, "DeployGuard", endpoint=endpoint, endpoint_config=config)

    An `ExistingEndpoint` does the first by itself, and outlives its stack.

    :param function_role: what the function runs as; made here unless given.
    :param log_group: what it writes to; its own unless given.
    :param retain_logs: whether its own log outlives the stack.
    :param encryption_key: encrypts that log, and CloudWatch Logs is let use it.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint: Endpoint,
        endpoint_config: EndpointConfig,
        function_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        guard = OwnFunction(
            self,
            "Look",
            package="endpoint_update",
            handler="guard.handler",
            shares=("functions/custom_resource",),
            timeout=cdk.Duration.minutes(15),
            role=function_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        self._role = guard.role
        groups = endpoint_config.security_group_ids
        self._network = {"SecurityGroupIds": groups} if groups else {}
        self._asked: dict[str, Any] = {
            "ServiceToken": guard.function.function_arn,
            "EndpointName": endpoint.plain_name,
        }
        config = {
            "EndpointConfigName": endpoint_config.endpoint_config_name,
            "Content": endpoint_config.content_id,
        }
        self._given = self._grant(endpoint.plain_arn, has_network=bool(groups))
        self._before = self._first("Before", {**config, **self._network}, endpoint_config)
        self._after = cdk.CfnResource(
            self, "After", type="Custom::EndpointAfter", properties={**self._asked, **config}
        )
        endpoint.node.add_dependency(self._before)
        self._after.node.add_dependency(endpoint)
        endpoint.on_update(self._tell)

    def _first(
        self, construct_id: str, asked: Mapping[str, Any], config: EndpointConfig
    ) -> cdk.CfnResource:
        """What is made before others of the stack, and as it goes waits for their end, before the
        roles of ``config``."""
        made = cdk.CfnResource(
            self,
            construct_id,
            type="Custom::EndpointBefore",
            properties={**self._asked, **asked},
        )
        self._given.apply_before(made)
        config.grant_to_roles(made.node.add_dependency)
        return made

    def outlast(self, config: EndpointConfig, gates: Iterable[Construct]) -> None:
        """Keeps the roles of ``config`` until what its `CompiledModelGate`s have started is gone,
        with its network interfaces, also where a first deploy fails in a gate.

        Nothing looks at the endpoint then. So a resource of the same kind comes before the gates,
        and waits in the place of the other.
        """
        if not self._network:
            return
        first = None
        for gate in gates:
            if first is None:
                first = self._first("First", self._network, config)
            gate.node.add_dependency(first)
        if first is not None:
            self._before.add_property_deletion_override("SecurityGroupIds")

    def watch(self, components: Iterable[InferenceComponent]) -> None:
        """Looks at these components of the endpoint, too: which Model each serves."""
        for component in components:
            self._after.add_property_override(
                f"Components.{component.component_name}", component.model_name
            )
            self._after.node.add_dependency(component)
            arn = component.plain_arn
            grant(self._role, ["sagemaker:DescribeInferenceComponent"], arn)

    def _tell(self, text: str) -> None:
        """CloudFormation calls a custom resource when its properties change, so they have all that
        the endpoint is updated for, its tags too."""
        for each in (self._before, self._after):
            each.add_property_override("Update", text)

    def _grant(self, endpoint_arn: str, *, has_network: bool) -> iam.Grant:
        stack, role = stack_of(self), self._role
        given = grant(role, ["sagemaker:DescribeEndpoint"], endpoint_arn)
        given = given.combine(grant(role, ["cloudformation:DescribeStacks"], stack.stack_id))
        for kind, action in (
            ("endpoint-config", "DescribeEndpointConfig"),
            ("model", "DescribeModel"),
        ):
            every = stack.format_arn(service="sagemaker", resource=kind, resource_name="*")
            given = given.combine(grant(role, [f"sagemaker:{action}"], every))
            acknowledge_wildcard(role, every, "What serves may be anybody's, and have any name")
        if has_network:
            given = given.combine(grant(role, ["ec2:DescribeNetworkInterfaces"], "*"))
            acknowledge_wildcard(role, "*", "Network interfaces are described as a whole")
        return given

"""Several endpoints behind one name: inference routers, and the policies that let them in.

Source: SageMaker developer guide, "Route requests across AWS Regions with cross-Region inference
routing" and the pages below it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving.catalog.names import is_name
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.endpoint.endpoint import AnyEndpoint
from sagemaker_serving.infra.endpoint.inference_component import InferenceComponent
from sagemaker_serving.infra.functions.machine_provider import MachineProvider
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import TOKEN, is_token, stack_of
from sagemaker_serving.spec.routers import MOST_OF_A_POLICY, endpoint_policy

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs


@dataclass(frozen=True, kw_only=True)
class RoutingTarget:
    """One model of a router, and what serves it, all in the same format."""

    destinations: Sequence[AnyEndpoint | InferenceComponent | str]
    """1 to 10 endpoints, inference components, or the ARNs of such in any account and region of the
    partition. Those of the router's region are asked first."""

    asynchronous_output: S3Prefix | None = None
    """Where answers and failures of asynchronous requests go, below ``output/`` and ``failed/``;
    then every destination is an asynchronous endpoint, whose `AsyncInference` is ``routed`` there.
    The bucket is in the router's region and account. Absent, the target is a real-time one."""

    max_time_in_backlog_seconds: int | None = None
    """How long an asynchronous request may wait at a destination before it moves to another, 60 to
    21600; absent: 900."""


class InferenceRouter(Construct):
    """An inference router, by a custom resource, as CloudFormation has no type of it.

    ::

        router = InferenceRouter(
            self,
            "Router",
            router_name="digits",
            routing_targets={
                "digits": RoutingTarget(
                    destinations=[
                        endpoint,
                        "arn:aws:sagemaker:us-east-1:111122223333:endpoint/digits",
                    ]
                )
            },
        )
        router.grant_invoke(role)

    An update puts all routing targets again, so what was changed by hand goes with it;
    CloudFormation finds no drift of a custom resource. A deploy that is taken back puts the former
    ones. What is deleted is the router alone.

    :param router_name: 1 to 63 letters, digits and hyphens; its case counts. A deploy refuses
        another one under the same construct id: the role may do nothing to any other router.
    :param routing_targets: 1 to 20, by the name that callers give.
    :param function_role: what both functions run as; made here unless given, and so is the next.
    :param state_machine_role: what the state machine runs as.
    :param log_group: what functions and machine write to; made here, three of them, unless given.
    :param retain_logs: whether the logs made here outlive the stack.
    :param encryption_key: encrypts these logs, and CloudWatch Logs is let use it; absent,
        CloudWatch's own key does.

    Raises `Mistake` for names that SageMaker does not take, and for too many or no destinations.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        router_name: str,
        routing_targets: Mapping[str, RoutingTarget],
        function_role: iam.IRole | None = None,
        state_machine_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        _refuse(self, router_name, routing_targets)
        self._name = router_name
        self._targets = routing_targets
        self.resource = _custom(
            self,
            "InferenceRouter",
            {
                "InferenceRouterName": router_name,
                # As text: CloudFormation hands a custom resource every number as one.
                "RoutingTargets": stack_of(self).to_json_string(
                    [_members(name, target) for name, target in routing_targets.items()]
                ),
            },
            (
                [
                    f"sagemaker:{verb}InferenceRouter"
                    for verb in ("Create", "Describe", "Update", "Delete")
                ]
                + ["sagemaker:AddTags", "sagemaker:ListTags"],
                [self.router_arn],
            ),
            # SageMaker looks at destinations with the permissions of whoever makes the router.
            (
                ["sagemaker:DescribeEndpoint", "sagemaker:DescribeInferenceComponent"],
                self._arns,
            ),
            function_role=function_role,
            state_machine_role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        """The custom resource."""
        for each in (one for target in routing_targets.values() for one in target.destinations):
            if isinstance(each, Construct):
                self.resource.node.add_dependency(each)

    @property
    def router_name(self) -> str:
        """The name that callers give, as a token that holds once the router is in service."""
        return self.resource.ref

    @property
    def router_arn(self) -> str:
        """Its ARN, which keeps the name's case."""
        return stack_of(self).format_arn(
            service="sagemaker", resource="inference-router", resource_name=self._name
        )

    def grant_invoke(self, grantee: iam.IGrantable) -> iam.Grant:
        """Lets ``grantee`` call the router, and through it, not directly, each destination.

        A router has no role: it calls destinations with its caller's permissions (developer guide,
        "Security and data protection for inference routers").
        """
        ways = ["InvokeInferenceRouter", "InvokeInferenceRouterAsync"]
        given = grant(grantee, [f"sagemaker:{way}" for way in ways], self.router_arn)
        through = {"ArnEquals": {"sagemaker:SourceInferenceRouterArn": self.router_arn}}
        invoke = ["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointAsync"]
        return given.combine(grant(grantee, invoke, *self._arns, conditions=through))

    @property
    def _arns(self) -> list[str]:
        every = (one for target in self._targets.values() for one in target.destinations)
        return list(dict.fromkeys(_arn(each) for each in every))


class EndpointPolicy(Construct):
    """Lets routers of other accounts send requests to an endpoint, by a custom resource.

    A policy that is there is replaced. It goes with the endpoint. Raises `Mistake` for one that is
    longer than SageMaker takes.

    :param endpoint: the endpoint of this account.
    :param router_arns: the routers that may, each with all callers of its account that it lets.
    :param function_role: as of `InferenceRouter`, and so are the rest.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint: AnyEndpoint,
        router_arns: Sequence[str],
        function_role: iam.IRole | None = None,
        state_machine_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        stack = stack_of(self)
        document = endpoint_policy(
            endpoint.endpoint_arn,
            {
                arn: f"arn:{stack.partition}:iam::{cdk.Fn.select(4, cdk.Fn.split(':', arn))}:root"
                for arn in router_arns
            },
        )
        _refuse_long(self, document, len(router_arns))
        self.resource = _custom(
            self,
            "EndpointPolicy",
            {
                "EndpointName": endpoint.plain_name,
                "ResourcePolicy": stack.to_json_string(document),
            },
            (
                ["sagemaker:PutEndpointPolicy", "sagemaker:DeleteEndpointPolicy"],
                [endpoint.endpoint_arn],
            ),
            function_role=function_role,
            state_machine_role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        """The custom resource."""
        self.resource.node.add_dependency(endpoint)


def _refuse_long(scope: Construct, document: Mapping[str, object], routers: int) -> None:
    """What stands in the template must not exceed the most; what a deploy adds is not counted."""
    known = TOKEN.sub("", json.dumps(document, separators=(",", ":")))
    if len(known) > MOST_OF_A_POLICY:
        raise Mistake(
            f"{scope.node.path}: the policy of {routers} routers has over {MOST_OF_A_POLICY:,} "
            "characters, the most that SageMaker takes; let fewer in"
        )


def _custom(
    scope: Construct,
    kind: str,
    properties: Mapping[str, Any],
    *allowed: tuple[Sequence[str], Sequence[str]],
    **of_the_provider: Any,
) -> cdk.CfnResource:
    provider = MachineProvider(scope, package="inference_router", **of_the_provider)
    resource = cdk.CfnResource(
        scope,
        "Resource",
        type=f"Custom::{kind}",
        properties={"ServiceToken": provider.service_token, **properties},
    )
    for actions, arns in allowed:
        grant(provider.work.role, actions, *arns).apply_before(resource)
    resource.node.add_dependency(provider.given_up)
    return resource


def _members(name: str, target: RoutingTarget) -> dict[str, Any]:
    """A routing target in AWS's words."""
    found: dict[str, Any] = {
        "Name": name,
        "Destinations": [{"ResourceArn": _arn(each)} for each in target.destinations],
    }
    place = target.asynchronous_output
    if place is not None:
        output = {"S3OutputPath": f"{place.uri}/output", "S3FailurePath": f"{place.uri}/failed"}
        found["AsyncInferenceConfig"] = {"OutputConfig": output}
        if target.max_time_in_backlog_seconds is not None:
            found["AsyncInferenceConfig"]["ClientConfig"] = {
                "MaxTimeInBacklogSeconds": target.max_time_in_backlog_seconds
            }
    return found


def _arn(destination: AnyEndpoint | InferenceComponent | str) -> str:
    if isinstance(destination, str):
        return destination
    if isinstance(destination, AnyEndpoint):
        return destination.endpoint_arn
    return destination.component_arn


def _refuse(scope: Construct, name: str, targets: Mapping[str, RoutingTarget]) -> None:
    wrong = [
        f"{what} is {each!r}; names are 1 to 63 letters, digits and hyphens, and begin and end "
        "with a letter or digit"
        for what, each in (("router_name", name), *(("a routing target", one) for one in targets))
        if not is_token(each) and not is_name(each)
    ]
    if not 1 <= len(targets) <= 20:
        wrong.append(f"there are {len(targets)} routing targets; a router has 1 to 20")
    wrong += [
        f"{each} has {len(target.destinations)} destinations; a routing target has 1 to 10"
        for each, target in targets.items()
        if not 1 <= len(target.destinations) <= 10
    ]
    if wrong:
        raise Mistake(f"{scope.node.path}: {'; '.join(wrong)}")

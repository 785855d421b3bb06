"""What protects an `Endpoint` of ours, laid over one that another library or an L1 made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct, IConstruct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.endpoint.endpoint import keep_instance_counts_of
from sagemaker_serving.infra.endpoint.guardrails import Guardrails
from sagemaker_serving.infra.monitoring.alarms import EndpointAlarms
from sagemaker_serving.infra.monitoring.watches import WatchedVariant
from sagemaker_serving.infra.synth.tokens import is_token, stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_sns as sns

    from sagemaker_serving.spec.monitoring import AlarmThresholds

Kind = TypeVar("Kind")


class GuardedEndpoint(cdk.Mixin):
    """Guardrails, their alarms and retained counts for a plain endpoint of the CDK.

    ``alpha_endpoint.with_(GuardedEndpoint())``, or ``Mixins.of(app).apply(GuardedEndpoint())`` for
    every ``CfnEndpoint`` of an app: AWS's own, or that of ``aws-sagemaker-alpha``'s Endpoint. The
    endpoint needs a name, and its ``CfnEndpointConfig`` is one of the same stack.

    :param guardrails: how it moves to a new config; absent, a canary of 10 percent.
    :param keep_instance_counts: whether an update keeps the instance counts that scaling set.
    :param thresholds: of the `EndpointAlarms`, whose errors and latencies take an update back.
    :param topic: is told when an alarm goes off.

    ``apply_to`` raises `Mistake` for an endpoint without a name or without such a config, and for a
    serverless one. Source: CDK developer guide, "Mixins".
    """

    def __init__(
        self,
        *,
        guardrails: Guardrails | None = None,
        keep_instance_counts: bool = True,
        thresholds: AlarmThresholds | None = None,
        topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__()
        self._guardrails = Guardrails.canary() if guardrails is None else guardrails
        self._keep_instance_counts = keep_instance_counts
        self._thresholds = thresholds
        self._topic = topic

    def supports(self, construct: IConstruct) -> bool:
        """Whether it is a ``CfnEndpoint``."""
        return isinstance(construct, sagemaker.CfnEndpoint)

    def apply_to(self, endpoint: IConstruct) -> None:
        """Make the alarms beside ``endpoint``, and have it move by the guardrails."""
        assert isinstance(endpoint, sagemaker.CfnEndpoint)
        name = endpoint.endpoint_name
        if name is None or is_token(name):
            raise Mistake(
                f"{endpoint.node.path}: the endpoint has no endpoint_name, by which its alarms "
                "would know it; give it one"
            )
        config = _config_of(endpoint)
        above = endpoint.node.scope
        assert isinstance(above, Construct)
        guards = Construct(above, f"{endpoint.node.id}Guards")
        alarms = EndpointAlarms(
            guards,
            "Alarms",
            endpoint_name=name,
            endpoint_config_name=config.attr_endpoint_config_name,
            variants=list(_watched(config)),
            thresholds=self._thresholds,
            topic=self._topic,
        )
        guardrails = self._guardrails.watching(*alarms.rollback_alarm_names)
        endpoint.add_property_override("DeploymentConfig", guardrails.members)
        for number, arn in enumerate(_roles(config)):
            role = iam.Role.from_role_arn(guards, f"Role{number}", arn)
            guardrails.grant_watching(endpoint, role)
            endpoint.node.add_dependency(role)
        if self._keep_instance_counts:
            keep_instance_counts_of(endpoint)


def _config_of(endpoint: sagemaker.CfnEndpoint) -> sagemaker.CfnEndpointConfig:
    resolve = stack_of(endpoint).resolve
    wanted = resolve(endpoint.endpoint_config_name)
    for each in _of_kind(endpoint, sagemaker.CfnEndpointConfig):
        if wanted in (resolve(each.attr_endpoint_config_name), each.endpoint_config_name):
            return each
    raise Mistake(
        f"{endpoint.node.path}: the endpoint's config is no CfnEndpointConfig of its stack, so "
        "what to watch is not known; make both in one stack"
    )


def _watched(config: sagemaker.CfnEndpointConfig) -> Iterator[WatchedVariant]:
    for variant in _variants(config):
        if "serverlessConfig" in variant:
            raise Mistake(
                f"{config.node.path}: variant '{variant['variantName']}' is serverless; SageMaker "
                "has guardrails for endpoints on instances"
            )
        pools = sorted(variant.get("instancePools") or [{}], key=lambda one: one.get("priority", 0))
        yield WatchedVariant(
            name=variant["variantName"],
            instance_type=variant.get("instanceType", pools[0].get("instanceType")),
            asynchronous=config.async_inference_config is not None,
        )


def _roles(config: sagemaker.CfnEndpointConfig) -> Iterator[str]:
    """The roles that serve, each once: those of the config and of its stack's models."""
    resolve = stack_of(config).resolve
    names = [variant.get("modelName") for variant in _variants(config)]
    given = [config.execution_role_arn]
    for model in _of_kind(config, sagemaker.CfnModel):
        if resolve(model.attr_model_name) in names:
            given.append(model.execution_role_arn)
    yield from {str(resolve(arn)): arn for arn in given if arn is not None}.values()


def _variants(config: sagemaker.CfnEndpointConfig) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = stack_of(config).resolve(config.production_variants)
    return found


def _of_kind(beside: IConstruct, kind: type[Kind]) -> list[Kind]:
    return [each for each in stack_of(beside).node.find_all() if isinstance(each, kind)]

"""Inference components: models that share the instances of one endpoint."""

from __future__ import annotations

from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from sagemaker_serving.infra import (
    AnyEndpoint,
    EndpointAlarms,
    Guardrails,
    InferenceComponent,
    InferenceComponentMetrics,
)
from sagemaker_serving.infra.synth.acknowledge import NO_ALARM_ACTION, acknowledge
from sagemaker_serving.spec import Adapter, InstanceVariant, RollingUpdate
from stacks.artifacts import model_data
from stacks.serving_scope import ServingScope


def add_components(
    serving: ServingScope, endpoint: AnyEndpoint, alarms: EndpointAlarms | None
) -> dict[str, InferenceComponent]:
    """The components that the model's file names, by their names there.

    Callers know each as ``<environment>-<model>-<component>``. In production they are replaced
    by halves; ``alarms`` of the endpoint, and one on its own errors, take that back.
    """
    if not serving.spec.inference_components:
        return {}
    scope = Construct(serving.stack, "Components")
    (host,) = serving.spec.variants
    assert isinstance(host, InstanceVariant)
    above = serving.environment.endpoint_name(serving.name)
    components = {}
    for name, spec in serving.models_of_components.items():
        components[name] = InferenceComponent(
            scope,
            name,
            component_name=f"{above}-{name}",
            endpoint=endpoint,
            variant_name=host.name,
            model=serving.model(scope, f"{name}Model", spec, host.instance_type),
            settings=spec,
            guardrails=_guardrails(serving, scope, name, f"{above}-{name}", alarms),
            extra=spec.extra,
        )
    for name, adapter in serving.spec.inference_components.items():
        if isinstance(adapter, Adapter):
            components[adapter.base_inference_component_name].add_adapter(
                name,
                adapter_name=f"{above}-{name}",
                model_data=model_data(serving.stack, adapter.artifact, serving.folder),
                extra=adapter.extra,
            )
    return components


def _guardrails(
    serving: ServingScope,
    scope: Construct,
    name: str,
    full_name: str,
    alarms: EndpointAlarms | None,
) -> Guardrails | None:
    update = serving.spec.move
    if update is None and serving.environment.production:
        update = RollingUpdate(rolling_percent=50)
    if update is None:
        return None
    guardrails = Guardrails.of(update)
    if alarms is None:
        return guardrails
    errors = _errors(scope, f"{name}Errors", full_name)
    return guardrails.watching_of([errors.alarm_name, *alarms.rollback_alarm_names])


def _errors(scope: Construct, construct_id: str, component_name: str) -> cloudwatch.Alarm:
    """Goes off when a component fails on over 1 % of its requests."""
    alarm = cloudwatch.Alarm(
        scope,
        construct_id,
        alarm_name=f"{component_name}-invocation-5xx-errors",
        alarm_description=f"{component_name}: 5XX answers over 1 % of requests",
        metric=InferenceComponentMetrics(
            inference_component_name=component_name
        ).invocation_5xx_rate(),
        threshold=0.01,
        comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluation_periods=3,
        datapoints_to_alarm=2,
        treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
    )
    acknowledge(
        alarm, NO_ALARM_ACTION, "It takes updates back; the endpoint's own alarms tell a topic"
    )
    return alarm

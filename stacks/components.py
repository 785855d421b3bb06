"""Inference components: models that share the instances of one endpoint."""

from __future__ import annotations

from constructs import Construct

from sagemaker_serving.infra import (
    AnyEndpoint,
    EndpointAlarms,
    Guardrails,
    InferenceComponent,
    InferenceComponentMetrics,
)
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
    errors = InferenceComponentMetrics(inference_component_name=full_name).alarm_on_errors(
        scope, f"{name}Errors"
    )
    return guardrails.watching_of([errors.alarm_name, *alarms.rollback_alarm_names])

"""The endpoint of a model, of whichever kind its file says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aws_cdk import aws_logs as logs
from constructs import Construct

from sagemaker_serving.infra import (
    AsyncInference,
    CompiledModelGate,
    CompiledModelJudge,
    DataCapture,
    DeployGuard,
    Endpoint,
    EndpointConfig,
    EndpointMonitoring,
    EndpointPolicy,
    ExistingEndpoint,
    Guardrails,
    InstanceVariant,
    MovedEndpoint,
    S3Prefix,
    ServerlessVariant,
)
from sagemaker_serving.infra.synth.acknowledge import NO_KEY_ON_VOLUMES, acknowledge
from sagemaker_serving.log_groups import endpoint_log_group
from sagemaker_serving.rules import can_be_guarded, is_guarded
from sagemaker_serving.spec import Asynchronous, CanaryUpdate, Model, Variant
from sagemaker_serving.spec import Container as ContainerSpec
from sagemaker_serving.spec import DataCapture as DataCaptureSpec
from sagemaker_serving.spec import InstanceVariant as InstanceVariantSpec
from sagemaker_serving.spec.base import Spec
from sagemaker_serving.spec.compilation import Acceptance
from sagemaker_serving.spec.data_capture import CapturedRequests
from sagemaker_serving.spec.kinds import QueuedRequests
from sagemaker_serving.spec.places import ASYNC_PLACES, CAPTURED, CORE_DUMPS, ROUTED
from sagemaker_serving.spec.transition import SERVERLESS
from sagemaker_serving.spec.variants import InstanceHost, ServerlessHost
from stacks.components import add_components
from stacks.kept_versions import keeps_endpoint
from stacks.monitoring import alarm_topic
from stacks.scaling import scale
from stacks.serving_scope import ServingScope


def add_endpoint(serving: ServingScope) -> None:
    """Adds models, endpoint, components, alarms and scaling to the model's stack.

    Outputs ``EndpointName``, and the places in S3 that callers of an asynchronous or a
    multi-model endpoint need.
    """
    models = Construct(serving.stack, "Models")
    config, gates = _config(serving, models)
    guardrails = _guardrails(serving)
    monitoring = _monitoring(
        serving, config, is_watched=guardrails is not None and can_be_guarded(serving.spec)
    )
    endpoint = _endpoint(serving, config, guardrails, monitoring)
    if serving.spec.allowed_routers:
        EndpointPolicy(
            serving.stack,
            "EndpointPolicy",
            endpoint=endpoint,
            router_arns=serving.spec.allowed_routers,
            retain_logs=serving.environment.production,
            encryption_key=serving.key,
        )
    components = add_components(
        serving, endpoint, None if monitoring is None else monitoring.alarms
    )
    if isinstance(endpoint, Endpoint):
        guard = DeployGuard(
            serving.stack,
            "DeployGuard",
            endpoint=endpoint,
            endpoint_config=config,
            retain_logs=serving.environment.production,
            encryption_key=serving.key,
        )
        guard.watch(components.values())
        guard.outlast(config, gates)
    scale(serving.spec, endpoint, components)
    serving.publish("EndpointName", "endpoint-name", endpoint.endpoint_name)
    if serving.spec.multi_model is not None:
        serving.publish("ArchivesPrefix", "archives", f"{serving.archives.uri}/")


def _guardrails(serving: ServingScope) -> Guardrails | None:
    """How the endpoint moves to a new version.

    Where the file says nothing, production moves by a canary of 10 percent, if the endpoint is
    of a kind that SageMaker has guardrails for; anything else moves at once, and so does a
    change of variants.
    """
    spec = serving.spec
    changes_variants = spec.transition is not None and spec.transition.step == "change_variants"
    if changes_variants or not is_guarded(spec, production=serving.environment.production):
        return None
    return Guardrails.of(spec.move if spec.move is not None else CanaryUpdate(canary_percent=10))


def _monitoring(
    serving: ServingScope, config: EndpointConfig, *, is_watched: bool
) -> EndpointMonitoring | None:
    """What watches the endpoint; None where its file says nothing of it.

    ``is_watched`` is whether SageMaker looks at alarms while it moves. Of an endpoint that was
    there SageMaker made the log, as the first container wrote.
    """
    stack, environment, spec = serving.stack, serving.environment, serving.spec
    monitoring = environment.monitoring_of(serving.name)
    if monitoring is None:
        return None
    name, log = environment.endpoint_name(serving.name), None
    if spec.endpoint is not None:
        log = logs.LogGroup.from_log_group_name(stack, "EndpointLog", endpoint_log_group(name))
    return EndpointMonitoring(
        stack,
        "Monitoring",
        endpoint_name=name,
        variants=config.watched_variants,
        endpoint_config_name=config.endpoint_config_name if is_watched else None,
        alarms=monitoring.alarms,
        thresholds=monitoring.thresholds,
        topic=alarm_topic(stack, environment, monitoring) if monitoring.alarms else None,
        dashboard=monitoring.dashboard,
        inference_components=[f"{name}-{each}" for each in spec.inference_components],
        log_group=log,
        log_retention_days=monitoring.log_retention_days,
        retain_logs=environment.production,
        encryption_key=serving.key,
    )


def _endpoint(
    serving: ServingScope,
    config: EndpointConfig,
    guardrails: Guardrails | None,
    monitoring: EndpointMonitoring | None,
) -> MovedEndpoint:
    of_both: dict[str, Any] = {
        "endpoint_name": serving.environment.endpoint_name(serving.name),
        "endpoint_config": config,
        "keep_instance_counts": _has_released_scaling(serving.spec),
        "guardrails": guardrails,
        "monitoring": monitoring,
    }
    if serving.spec.endpoint is None:
        return Endpoint(
            serving.stack,
            "Endpoint",
            keep_replaced=keeps_endpoint(serving.environment, serving.name),
            extra=serving.spec.extra.endpoint,
            **of_both,
        )
    return ExistingEndpoint(
        serving.stack,
        "Endpoint",
        retain_logs=serving.environment.production,
        encryption_key=serving.key,
        **of_both,
    )


def _has_released_scaling(spec: Model) -> bool:
    """Whether variants have the instances that scaling left, and no scaling in this deploy."""
    keep = spec.transition.keep if spec.transition is not None else {}
    return any(kept != SERVERLESS for kept in keep.values())


def _config(
    serving: ServingScope, models: Construct
) -> tuple[EndpointConfig, list[CompiledModelGate]]:
    spec = serving.spec
    shares_instances = bool(spec.inference_components)
    variants = [_variant(serving, models, variant) for variant in spec.variants]
    shadows = [_on_instances(serving, models, shadow) for shadow in spec.shadow_variants]
    config = EndpointConfig(
        serving.stack,
        "EndpointConfig",
        variants=variants,
        shadow_variants=shadows,
        async_inference=(
            None if spec.asynchronous is None else _asynchronous(serving, spec.asynchronous)
        ),
        data_capture=None if spec.data_capture is None else _capture(serving, spec.data_capture),
        metrics_config=spec.metrics_config,
        encryption_key=serving.key,
        execution_role=serving.role if shares_instances else None,
        network=serving.network if shares_instances else None,
        network_isolation=spec.network_isolation and shares_instances,
        extra=spec.extra.endpoint_config,
    )
    if serving.key is None:
        acknowledge(
            config, NO_KEY_ON_VOLUMES, "No key was asked for; SageMaker encrypts with its own"
        )
    return config, _guard_config(serving, config, [*variants, *shadows])


def _variant(
    serving: ServingScope, models: Construct, variant: Variant
) -> InstanceVariant | ServerlessVariant:
    if isinstance(variant, InstanceVariantSpec):
        return _on_instances(serving, models, variant)
    return ServerlessVariant(
        model=serving.model(models, variant.name, variant, None),
        extra=variant.extra,
        **_fields_of(variant, ServerlessHost),
    )


def _on_instances(
    serving: ServingScope, models: Construct, variant: InstanceVariantSpec
) -> InstanceVariant:
    shares_instances = bool(serving.spec.inference_components)
    return InstanceVariant(
        model=None
        if shares_instances
        else serving.model(models, variant.name, variant, variant.instance_type),
        core_dump=None
        if variant.core_dump is None
        else _place(serving, variant.core_dump.prefix, CORE_DUMPS),
        extra=variant.extra,
        **_fields_of(variant, InstanceHost),
    )


def _fields_of(written: Spec, part: type[Spec]) -> dict[str, Any]:
    return {name: getattr(written, name) for name in part.model_fields}


def _asynchronous(serving: ServingScope, spec: Asynchronous) -> AsyncInference:
    places = {kind: serving.prefix(below) for kind, below in ASYNC_PLACES.items()}
    for kind, place in places.items():
        serving.publish(f"Async{kind.title()}", f"async-{kind}", f"{place.uri}/")
    success = serving.topic("SuccessTopic", spec.success_topic)
    error = serving.topic("ErrorTopic", spec.error_topic)
    made_here = "new" in (spec.success_topic, spec.error_topic)
    return AsyncInference(
        inputs=places["input"],
        output=places["output"],
        failure=places["failure"],
        routed=tuple(
            S3Prefix(bucket=serving.bucket, prefix=f"{ROUTED}/{target}")
            for target in serving.environment.asynchronous_targets(serving.name)
        ),
        success_topic=success,
        error_topic=error,
        topic_key=serving.key if made_here else None,
        **_fields_of(spec, QueuedRequests),
    )


def _capture(serving: ServingScope, spec: DataCaptureSpec) -> DataCapture:
    destination = _place(serving, spec.prefix, CAPTURED)
    serving.publish("Captured", "captured", f"{destination.uri}/")
    return DataCapture(destination=destination, **_fields_of(spec, CapturedRequests))


def _place(serving: ServingScope, prefix: str | None, below: str) -> S3Prefix:
    """The prefix of the environment's bucket that the file names, or one of the model's own."""
    if prefix is None:
        return serving.prefix(below)
    return S3Prefix(bucket=serving.bucket, prefix=prefix)


def _guard_config(
    serving: ServingScope,
    config: EndpointConfig,
    variants: Sequence[InstanceVariant | ServerlessVariant],
) -> list[CompiledModelGate]:
    """Lets the config wait until each compiled model that its file holds to something is accepted,
    by these gates.

    Without one nothing is added.
    """
    spec = serving.spec
    judge: CompiledModelJudge | None = None
    gates = []
    for written, variant in zip((*spec.variants, *spec.shadow_variants), variants, strict=True):
        for number, accept in enumerate(_accepted(serving, written)):
            assert accept.golden is not None, "which a rule demands"
            if judge is None:
                scope = Construct(serving.stack, "Gate")
                judge = CompiledModelJudge(
                    scope,
                    "Judge",
                    retain_logs=serving.environment.production,
                    encryption_key=serving.key,
                )
            gate = CompiledModelGate(
                scope,
                f"{variant.name}{number or ''}",
                judge=judge,
                variant=variant,
                golden=serving.folder / accept.golden,
                max_error=accept.max_error,
                agreement=accept.agreement,
            )
            gate.guard(config)
            gates.append(gate)
    return gates


def _accepted(serving: ServingScope, variant: ContainerSpec) -> Iterator[Acceptance]:
    """What the variant's containers are held to, so far as a deploy can judge it."""
    spec = serving.spec
    if spec.inference_components:
        return
    parts: Sequence[ContainerSpec] = spec.containers or [variant]
    for part in parts:
        compilation = spec.container(part).compile
        accept = None if compilation is None else compilation.accept
        if accept is not None and (accept.max_error, accept.agreement) != (None, None):
            yield accept

"""The gates of a stack: compiled models that are judged before its endpoint may serve them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constructs import Construct

from sagemaker_serving.infra import (
    CompiledModelGate,
    CompiledModelJudge,
    EndpointConfig,
    InstanceVariant,
    ServerlessVariant,
)
from sagemaker_serving.spec import Container as ContainerSpec
from sagemaker_serving.spec.compilation import Acceptance
from stacks.serving_scope import ServingScope


def guard_config(
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

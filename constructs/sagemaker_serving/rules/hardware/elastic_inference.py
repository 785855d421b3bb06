"""Rules on Elastic Inference, which AWS has ended."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import VariantFacts
from sagemaker_serving.rules.hardware.instance_types import known

_DOCS = "AWS SageMaker developer guide of 2023, Elastic Inference"


@rule(refused=True, source=Accelerator.ENDED, example="accelerator_type: ml.eia2.medium")
def elastic_inference_ended(variant: VariantFacts) -> Iterator[Finding]:
    """No variant asks for an Elastic Inference accelerator.

    AWS has ended the service: CreateEndpointConfig refuses the parameter. To render such a template
    all the same, for a private region or an old test, use ``accept_retired``.
    """
    if variant.accelerator_type.given and not variant.accept_retired:
        in_environment = variant.accelerator_type.name == "accelerator_type"
        otherwise = (
            ", or write accept_retired: [elastic-inference] to render it all the same"
            if in_environment
            else ""
        )
        yield variant.accelerator_type.says(
            f"is {_shown(variant)}; AWS has ended Elastic Inference; use a small GPU "
            "(ml.g4dn.xlarge), Inferentia2 (ml.inf2.xlarge) or Graviton (ml.c7g.xlarge) "
            f"instead{otherwise}"
        )


@warning(source=Accelerator.ENDED, example="accept_retired: [elastic-inference]")
def elastic_inference_accepted(variant: VariantFacts) -> Iterator[Finding]:
    """An accelerator that is rendered although the service has ended gets a warning.

    CloudFormation once accepted the template; AWS refuses it now.
    """
    if variant.accelerator_type.given and variant.accept_retired:
        yield variant.accelerator_type.says(
            f"is {_shown(variant)} and accept_retired allows it; the template is rendered, but AWS "
            "has ended Elastic Inference and will refuse it"
        )


@rule(source=Accelerator.ENDED, example="accelerator_type: ml.eia3.medium")
def elastic_inference_type(variant: VariantFacts) -> Iterator[Finding]:
    """An accelerator is one of the six that there were.

    Where a retired accelerator is rendered on purpose, it is at least one that existed.
    """
    kind = variant.accelerator_type.text
    if kind is not None and kind not in Accelerator.TYPES:
        yield variant.accelerator_type.says(
            f"is {kind!r}; there were {', '.join(Accelerator.TYPES)}; use one of them"
        )


@rule(source=_DOCS, example="instance_type: ml.g4dn.xlarge")
def elastic_inference_host(variant: VariantFacts) -> Iterator[Finding]:
    """An accelerator is attached to a CPU instance.

    It was attached over the network to hosts without one of their own; arm64 and burstable
    hosts had no image for it.
    """
    kind = known(variant.instance_type)
    if variant.accelerator_type.given and kind is not None and not Accelerator.takes(kind):
        yield variant.instance_type.says(
            f"is {kind.name!r}; Elastic Inference went with x86 CPU instances only; use "
            "ml.c5.xlarge, or leave the accelerator out"
        )


@rule(source=_DOCS, example="Mode: MultiModel")
def elastic_inference_multi_model(variant: VariantFacts) -> Iterator[Finding]:
    """An accelerator serves one model, never a multi-model endpoint.

    The accelerator held one model.
    """
    for container in variant.containers:
        if variant.accelerator_type.given and container.mode.text == "MultiModel":
            yield container.mode.says(
                "is 'MultiModel' on a variant with an Elastic Inference accelerator, which serves "
                "one model; remove the accelerator"
            )


def _shown(variant: VariantFacts) -> str:
    text = variant.accelerator_type.text
    return repr(text) if text is not None else "given"

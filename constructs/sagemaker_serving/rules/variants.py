"""Rules on production variants."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.environments import is_name
from sagemaker_serving.rules.facts import ModelFacts, VariantFacts
from sagemaker_serving.rules.numbers import at_least

_SOURCE = "botocore ProductionVariant, read 2026-11-21"


@rule("variant-name", source=_SOURCE)
def variant_name(variant: VariantFacts) -> Iterator[Finding]:
    """A variant's name is one that SageMaker takes."""
    name = variant.name.text
    if name is not None and not is_name(name):
        yield (
            variant.name.where,
            f"name is {name!r}; variant names take 1 to 63 letters, digits and hyphens "
            "between them; rename the variant",
        )


@rule("variant-names-unique", source=_SOURCE)
def variant_names_unique(model: ModelFacts) -> Iterator[Finding]:
    """No two variants of an endpoint share a name."""
    seen: set[str] = set()
    for variant in model.variants:
        name = variant.name.text
        if name is None:
            continue
        if name in seen:
            yield variant.name.where, f"a variant named {name!r} stands above; rename one of them"
        seen.add(name)


@rule("variant-count", source="botocore ProductionVariantList, read 2026-11-21")
def variant_count(model: ModelFacts) -> Iterator[Finding]:
    """An endpoint has 1 to 10 variants."""
    if len(model.variants) > 10:
        yield (
            model.variants_fact.where,
            f"there are {len(model.variants)} variants; an endpoint takes 1 to 10; remove some",
        )


@rule("variant-instances", source=_SOURCE)
def variant_instances(variant: VariantFacts) -> Iterator[Finding]:
    """A variant starts with at least one instance and a weight of 0 or more."""
    yield from at_least(variant.initial_instance_count, 1)
    yield from at_least(variant.weight, 0)


@rule("variant-weights", source="AWS SageMaker developer guide, ProductionVariant; read 2026-11-21")
def variant_weights(model: ModelFacts) -> Iterator[Finding]:
    """Some variant gets traffic: not every weight is 0."""
    weights = [variant.weight.value for variant in model.variants]
    if weights and all(weight == 0 and weight is not False for weight in weights):
        yield (
            model.variants_fact.where,
            "every variant's weight is 0, so no request would be answered; "
            "give one of them a weight over 0",
        )

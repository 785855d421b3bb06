"""Rules on the environment as a whole: its name, region, account, tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.catalog import regions
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import EnvironmentFacts, ModelFacts
from sagemaker_serving.suggest import nearest

_NAME = re.compile(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}")


def is_name(text: str) -> bool:
    """Whether endpoints, variants and jobs may be called so: at most 63 characters."""
    return len(text) <= 63 and _NAME.fullmatch(text) is not None


@rule("endpoint-name", source="botocore EndpointName, read 2026-11-21")
def endpoint_name(model: ModelFacts) -> Iterator[Finding]:
    """The endpoint's name, ``<environment>-<model>``, is one that SageMaker takes."""
    environment = model.environment_name.text
    if environment is None:
        return
    name = f"{environment}-{model.name}"
    if not is_name(name):
        yield (
            model.where,
            f"the endpoint would be named {name!r} ({len(name)} characters); names take at most "
            "63 letters, digits and hyphens between them, no underscore; "
            f"rename the {'model' if is_name(environment) else 'environment'}",
        )


@rule("region", source="SageMaker price lists in cfn-lint, read 2026-11-21")
def region(environment: EnvironmentFacts) -> Iterator[Finding]:
    """The region is one in which SageMaker is offered."""
    value = environment.region.text
    if value is not None and value not in regions():
        close = nearest(value, regions())
        hint = (
            f"did you mean {close}" if close is not None else f"use one of {', '.join(regions())}"
        )
        yield (
            environment.region.where,
            f"region is {value!r}; SageMaker hosting is not offered there; {hint}",
        )


@rule("account", source="AWS account ids, read 2026-11-21")
def account(environment: EnvironmentFacts) -> Iterator[Finding]:
    """An account is twelve digits."""
    value = environment.account.text
    if value is not None and not re.fullmatch(r"\d{12}", value):
        yield (
            environment.account.where,
            f"account is {value!r}; an AWS account is 12 digits in quotes; "
            "leave it out to use the account that is deployed to",
        )


@rule("tags", source="botocore sagemaker Tag and TagList, read 2026-11-21")
def tags(environment: EnvironmentFacts) -> Iterator[Finding]:
    """At most 50 tags; keys up to 128, values up to 256 characters, none starting with aws:."""
    entries = dict(environment.tags.entries())
    if len(entries) > 50:
        yield environment.tags.where, f"there are {len(entries)} tags; AWS takes 50; remove some"
    for key, fact in entries.items():
        if key.lower().startswith("aws:") or not 1 <= len(key) <= 128:
            yield (
                fact.where,
                f"the tag key {key!r} is not 1 to 128 characters without 'aws:'; rename it",
            )
        if fact.text is not None and len(fact.text) > 256:
            yield (
                fact.where,
                f"the tag's value has {len(fact.text)} characters; AWS takes 256; shorten it",
            )


@rule("something-to-deploy", source="this project")
def something_to_deploy(environment: EnvironmentFacts) -> Iterator[Finding]:
    """An environment has models, and each has an endpoint or a batch pipeline."""
    for model in environment.models:
        if not model.variants and model.transform is None and not model.variants_fact.value:
            yield (
                model.where,
                "the model has neither variants nor batch_transform, so nothing would answer; "
                "add one of them",
            )

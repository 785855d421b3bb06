"""Rules on the environment as a whole: its name, region, account, tags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.suggest import nearest
from sagemaker_serving.catalog.instances import priced_regions, regions
from sagemaker_serving.catalog.names import is_name
from sagemaker_serving.rules.engine import Finding, note, rule
from sagemaker_serving.rules.facts import EnvironmentFacts, ModelFacts


@rule(source="botocore EndpointName", example="name: prod_eu")
def endpoint_name(model: ModelFacts) -> Iterator[Finding]:
    """The endpoint's name, ``<environment>-<model>``, is one that SageMaker takes.

    At most 63 letters, digits and hyphens; an underscore passes every YAML check and fails there.
    """
    environment = model.environment_name.text
    if environment is None:
        return
    name = f"{environment}-{model.name}"
    if not is_name(name):
        yield model.finding(
            f"the endpoint would be named {name!r} ({len(name)} characters); names take at most 63 "
            "letters, digits and hyphens between them, no underscore; rename the "
            f"{' and the '.join(_at_fault(environment, model.name))}"
        )


@rule(source="IAM user guide, IAM identifiers", example="permissions_boundary_arn: Boundary")
def organization_arn(environment: EnvironmentFacts) -> Iterator[Finding]:
    """What an organization demands names policies and roles by their ARN.

    IAM takes no name for a boundary, and the CDK CLI assumes no role by its name.
    """
    demands = environment.organization
    roles = [fact for name, fact in demands.get("bootstrap").entries() if "role" in name]
    for fact in (demands.get("permissions_boundary_arn"), *roles):
        kind = "role" if fact in roles else "policy"
        if fact.text is not None and not re.match(rf"arn:[^:]+:iam::[^/]+:{kind}/", fact.text):
            yield fact.says(
                f"is {fact.value!r}; write the {kind}'s ARN, arn:aws:iam::<account>:{kind}/<name>"
            )


@rule(source="CloudFormation user guide, stack names", example="name: 1dev")
def environment_name(environment: EnvironmentFacts) -> Iterator[Finding]:
    """An environment's name begins with a letter, as its stacks' names do, and is not Default.

    CDK refuses any other as it synthesizes, and leaves the word Default out of what it names.
    """
    name = environment.name.text
    if name == "Default":
        yield environment.name.says(f"is {name!r}, a word that CDK leaves out; use another")
    if name is not None and is_name(name) and not name[0].isalpha():
        yield environment.name.says(
            f"is {name!r}; the names of stacks begin with it, and so with a letter; rename the "
            "environment"
        )


@rule(source="this project", example="models: {Storage: {artifact: model}}")
def model_name(model: ModelFacts) -> Iterator[Finding]:
    """No model is named as a stack that every environment has.

    Two stacks of one name cannot stand in one environment.
    """
    if model.name in ("Storage", "Network", "Routers"):
        yield model.finding(
            f"{model.name!r} is the name of the environment's own stack; rename the model"
        )


@rule(
    source="SageMaker price lists in cfn-lint and sagemaker-core's image tables",
    example="region: eu-west-11",
)
def region(environment: EnvironmentFacts) -> Iterator[Finding]:
    """The region is one in which SageMaker is offered.

    With a misspelt region the first call of a deploy fails, with a message about a host name.
    """
    value = environment.region.text
    if value is not None and value not in regions():
        close = nearest(value, regions())
        hint = (
            f"did you mean {close}" if close is not None else f"use one of {', '.join(regions())}"
        )
        yield environment.region.says(
            f"is {value!r}; SageMaker hosting is not offered there; {hint}"
        )


@note(
    source="SageMaker price lists in cfn-lint; sagemaker-core's image tables",
    example="region: us-iso-east-1",
)
def region_unpriced(environment: EnvironmentFacts) -> Iterator[Finding]:
    """A region that AWS's tables of images name, and no price list, is taken with what is known.

    They are those of the isolated and sovereign partitions, and some to come.
    """
    value = environment.region.text
    if value in regions() and value not in priced_regions():
        yield environment.region.finding(
            f"no price list has {value!r}, so whether it has these instance types was not checked"
        )


@rule(source="AWS account ids", example='account: "12345"')
def account(environment: EnvironmentFacts) -> Iterator[Finding]:
    """An account is twelve digits.

    A number loses its leading zeros in YAML, and an alias is no id.
    """
    value = environment.account.text
    if value is not None and not re.fullmatch(r"[0-9]{12}", value):
        yield environment.account.says(
            f"is {value!r}; an AWS account is 12 digits in quotes; leave it out to use the account "
            "that is deployed to"
        )


@rule(source="this project", example="models: {digits: {artifact: model}}")
def something_to_deploy(environment: EnvironmentFacts) -> Iterator[Finding]:
    """An environment has models, and each has an endpoint or a batch pipeline.

    An empty stack deploys and serves nothing.
    """
    if environment.models_fact.value == {}:
        yield environment.models_fact.says("is empty, so nothing would answer; add one")
    for model in environment.models:
        if not model.variants and model.transform is None and not model.variants_fact.value:
            yield model.finding(
                "the model has neither variants nor batch_transform, so nothing would answer; add "
                "one of them"
            )


def _at_fault(environment: str, model: str) -> list[str]:
    """Which of the two names no endpoint may have; the longer one where only both are too long."""
    parts = {"environment": environment, "model": model}
    wrong = [part for part, name in parts.items() if not is_name(name)]
    return wrong or [max(parts, key=lambda part: len(parts[part]))]

"""Rules on a template's resources: types and properties that CloudFormation knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from local_aws.schemas import type_names
from local_aws.suggest import did_you_mean
from sagemaker_serving.catalog.properties import Shape, sagemaker_resource_types
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.resources import (
    GoneFirstFacts,
    PropertiesFacts,
    ResourceTypeFacts,
)

_REGISTRY = "CloudFormation's registry in cfn-lint"
_ANYWHERE = "us-east-1"
"""The region with nearly every type."""
_JOBS = ("CompilationJob", "TransformJob", "TrainingJob", "HyperParameterTuningJob")
_ELSEWHERE = {"AcceleratorType"}
"""Properties that a rule of their own is about."""


@warning(
    source="botocore DeleteEndpointConfig; hashicorp/terraform-provider-aws issue 40048",
    example="a plan that deletes an endpoint configuration before it creates it again",
)
def replaced_in_use(replaced: GoneFirstFacts) -> Iterator[Finding]:
    """What an endpoint uses is replaced by making the new one first.

    An endpoint whose configuration or model is deleted under it can't scale out or be updated,
    until the new one is there; where making that fails, it stays so.
    """
    if replaced.users:
        yield replaced.name.finding(
            f"{replaced.resource} is deleted before its replacement is made, while "
            f"{', '.join(replaced.users)} uses it; set create_before_destroy in its lifecycle, and "
            "leave its name out, or use name_prefix"
        )


@rule(
    source=_REGISTRY,
    example="Type: AWS::SageMaker::CompilationJob",
    silent={"plans": "Terraform's provider judges its types"},
)
def resource_type(resource: ResourceTypeFacts) -> Iterator[Finding]:
    """A resource is of a type that CloudFormation has.

    A job that runs once and ends is not a resource; a template can only have something that starts
    it. Types of third parties, custom resources and modules pass.
    """
    name = resource.kind.text
    if name is None or name in sagemaker_resource_types():
        return
    if resource.regions != () and not name.startswith("AWS::SageMaker::"):
        return
    _, _, job = name.rpartition("::")
    if job in _JOBS and name.startswith("AWS::SageMaker::"):
        advice = (
            f"jobs are no resources; run it as a Step Functions task, Create{job}, or from a "
            "custom resource"
        )
    elif resource.regions is not None and name in type_names("sam"):
        advice = "it is one of AWS SAM's; add Transform: AWS::Serverless-2016-10-31"
    else:
        known = resource.regions is not None
        types = (
            [*type_names("sam"), *type_names(_ANYWHERE)] if known else sagemaker_resource_types()
        )
        advice = did_you_mean(name, types) or "remove it"
    yield resource.kind.finding(f"CloudFormation has no type {name}; {advice}")


@warning(
    source=f"{_REGISTRY}, of each region",
    example="Type: AWS::SageMaker::Cluster, in a region without it",
)
def resource_region(resource: ResourceTypeFacts) -> Iterator[Finding]:
    """CloudFormation has a resource's type in the region that it is deployed to.

    Types reach regions one after the other, and the copy of the registry is of one day.
    """
    if resource.regions:
        others = ", ".join(resource.regions[:5])
        more = f" and {len(resource.regions) - 5} more" if len(resource.regions) > 5 else ""
        yield resource.kind.finding(
            f"CloudFormation has no type {resource.kind.text} in {resource.region.text}; it has it "
            f"in {others}{more}"
        )


@rule(
    source=f"{_REGISTRY}; botocore's service model",
    example="VariantNam: a",
    silent={
        "environment files": "their types judge fields: unknown-field",
        "constructs": "Python judges keywords",
        "plans": "Terraform's provider judges arguments",
    },
)
def unknown_property(facts: PropertiesFacts) -> Iterator[Finding]:
    """A resource's properties, and an action's arguments, are spelt as AWS spells them.

    CloudFormation refuses a name it does not know, and a Step Functions task fails when it runs.
    """
    yield from _unknown(facts.properties, facts.known, facts.owner)


def _unknown(fact: Fact, known: Shape, owner: str) -> Iterator[Finding]:
    if isinstance(known, list):
        for entry in fact.items():
            yield from _unknown(entry, known[0], owner)
        return
    for key, inner in fact.entries() if isinstance(known, Mapping) else ():
        if key in known:
            yield from _unknown(inner, known[key], owner)
        elif key not in _ELSEWHERE:
            hint = did_you_mean(key, known) or f"known: {', '.join(known)}"
            yield inner.finding(f"{owner} has no property {key!r} here; {hint}")

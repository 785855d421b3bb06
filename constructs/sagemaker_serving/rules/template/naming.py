"""Who uses which resource of a template: by its name, by its ARN, and while it is replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.template import Unknown
from sagemaker_serving.catalog.role_users import role_users
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.resources import GoneFirstFacts
from sagemaker_serving.rules.facts.roles import ByArnFacts, NamedFacts, OtherNameFacts
from sagemaker_serving.rules.template.marks import MARK, same_text
from sagemaker_serving.rules.template.resources import (
    ALARM,
    KINDS,
    NAMED_BY,
    TARGET,
    Resource,
    Resources,
)
from sagemaker_serving.rules.template.roles import ROLE, at
from sagemaker_serving.spec.members import COMPONENT, ENDPOINT, ENDPOINT_CONFIG, MODEL

_NAMES = {
    ENDPOINT_CONFIG: {
        "ProductionVariants.*.ModelName": MODEL,
        "ProductionVariants.*.InstancePools.*.ModelNameOverride": MODEL,
        "ShadowProductionVariants.*.ModelName": MODEL,
    },
    ENDPOINT: {"EndpointConfigName": ENDPOINT_CONFIG},
    COMPONENT: {
        "EndpointName": ENDPOINT,
        "Specification.ModelName": MODEL,
        "Specification.BaseInferenceComponentName": COMPONENT,
    },
    TARGET: {"ResourceId": ENDPOINT},
    "AWS::ApplicationAutoScaling::ScalingPolicy": {"ResourceId": TARGET},
}
"""The properties that name a resource of SageMaker's, each with its type (CloudFormation template
reference, each type's page)."""
_OF_VARIANT = re.compile(r"endpoint/([^/]+)/variant/.*", re.DOTALL)
_REFERENCES = {TARGET: "Id"}
_REF_IS_ARN = {kind: NAMED_BY[kind] for kind in (MODEL, ENDPOINT_CONFIG, ENDPOINT, COMPONENT)}
"""Types whose ``Ref`` is the ARN, each with its attribute that is the name (CloudFormation template
reference, return values; go-to-k/cdk-real-drift issue 1527)."""
_METRICS = ("Dimensions.*.Value", "Metrics.*.MetricStat.Metric.Dimensions.*.Value")
_TRACKING = "TargetTrackingScalingPolicyConfiguration.CustomizedMetricSpecification"
OF_LOGS = ("AWS::Logs::LogGroup", "AWS::Logs::MetricFilter", "AWS::Logs::SubscriptionFilter")
_STATEMENTS = ("PolicyDocument.Statement.*.Resource", "PolicyDocument.Statement.*.Resource.*")
_TAKE_NAMES: dict[str, tuple[str, ...]] = {
    **{kind: tuple(paths) for kind, paths in _NAMES.items()},
    "AWS::ApplicationAutoScaling::ScalingPolicy": (
        *("ResourceId", f"{_TRACKING}.Dimensions.*.Value"),
    ),
    ALARM: _METRICS,
    "AWS::ApiGateway::Method": ("Integration.Uri",),
    **dict.fromkeys(OF_LOGS, ("LogGroupName",)),
    "AWS::IAM::Role": tuple(f"Policies.*.{path}" for path in _STATEMENTS),
    **dict.fromkeys(("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"), _STATEMENTS),
    ENDPOINT: (
        *("EndpointConfigName", "DeploymentConfig.AutoRollbackConfiguration.Alarms.*.AlarmName"),
    ),
}
"""Every property that takes a name of what could be referred to, and no ARN; a policy's resource
takes one within its text."""
_TAKE_ROLES_BY_NAME = (
    *("AWS::CodeBuild::Project", "AWS::Glue::Crawler", "AWS::Glue::Job"),
    *("AWS::Batch::ComputeEnvironment", "AWS::ECS::TaskDefinition"),
)
"""Types that take a role's name for its ARN (CloudFormation template reference, their pages; ECS
API reference, taskRoleArn)."""
_REFERENCE = re.compile(rf"{MARK}([A-Za-z0-9]+)\.[A-Za-z]+Name{MARK}")
_VARIABLE = re.compile("(?i).*endpoint.*name")
"""A function's variable that says that it is an endpoint's name."""


def named_by_text(user: Resource, resources: Resources) -> Iterator[NamedFacts]:
    """Each resource that ``user`` names by the same text as it is named, and does not wait for."""
    for path, kind in _NAMES.get(user.type, {}).items():
        for given in at(user.properties, path.split(".")):
            text = same_text(given.value)
            if text is None or _is_reference(given, resources):
                continue
            for other in resources.of_types(kind):
                own = same_text(other.properties.get(NAMED_BY[kind]).value)
                waits = resources.waits(user.logical_id, other.logical_id)
                if own is not None and own == _within(text, kind) and not waits:
                    attribute = f"{other.logical_id}.{_REFERENCES.get(kind, NAMED_BY[kind])}"
                    yield NamedFacts(
                        name=given,
                        user=user.logical_id,
                        named=other.logical_id,
                        reference=_reference(other, attribute),
                    )


def _is_reference(given: Fact, resources: Resources) -> bool:
    """Whether it is nothing but a reference to a resource of the template, and so waits for it."""
    value = given.value
    whole = isinstance(value, Unknown) and not value.pieces
    return whole and resources.find(value.name or "") is not None


def named_by_arn(user: Resource, resources: Resources) -> Iterator[ByArnFacts]:
    """Each name for which ``user`` is given the ARN of a resource, perhaps within a text.

    None in a plan: it tells which resources a value is made of, and not how, so that a name cut out
    of an ARN by ``split`` looks the same.
    """
    for given, after_text in _names_of(user):
        value = given.value
        parts = (value.pieces or (value,)) if isinstance(value, Unknown) else ()
        for place, part in enumerate(parts):
            other = resources.find(part.name or "") if isinstance(part, Unknown) else None
            if other is None or isinstance(part, str) or (after_text and not any(parts[:place])):
                continue
            if "." in other.logical_id:  # Terraform's
                continue
            attribute = part.source.removeprefix(other.logical_id)
            name = _REF_IS_ARN.get(other.type)
            in_uri = user.type == "AWS::ApiGateway::Method"  # of Lambda it takes the ARN
            by_arn = attribute.endswith(".Arn") and not in_uri
            if by_arn or (name and part.source and not attribute):
                yield ByArnFacts(
                    name=given,
                    named=other.logical_id,
                    reference=_reference(other, f"{other.logical_id}.{name}" if name else ""),
                )


def named_by_other(user: Resource, resources: Resources) -> Iterator[OtherNameFacts]:
    """Each name that is another thing's than the one whose name belongs there: an endpoint's
    configuration's for the endpoint's own. None where the two are called the same."""
    for given, wanted in _names_with_kinds(user):
        text = same_text(given.value) or ""
        of_variant = _OF_VARIANT.fullmatch(text)
        name = Fact(of_variant[1] if of_variant is not None else text, given.where)
        reference = _REFERENCE.fullmatch(str(name.value))
        referred = None if reference is None else resources.find(reference[1])
        is_meant = referred is not None and referred.type == wanted
        if not text or is_meant or resources.referred(name, wanted) is not None:
            continue
        attribute = NAMED_BY[wanted]
        for kind in _REF_IS_ARN:
            by_text = resources.referred(name, kind) if kind != wanted else None
            is_reference = referred is not None and referred.type == kind
            other = referred if is_reference else by_text
            if other is None:
                continue
            using = [
                each
                for each in resources.of_types(wanted)
                if resources.waits(each.logical_id, other.logical_id)
            ]
            named = [same_text(each.properties.get(attribute).value) for each in using]
            if is_reference or (named and all(named)):
                yield OtherNameFacts(
                    name=given,
                    wanted=KINDS[wanted],
                    named=other.logical_id,
                    kind=KINDS[kind],
                    reference=_reference(using[0], f"{using[0].logical_id}.{attribute}")
                    if len(using) == 1
                    else "",
                )


def _names_with_kinds(user: Resource) -> Iterator[tuple[Fact, str]]:
    """The names that a resource is given, each with the type that it is of."""
    for path, wanted in _NAMES.get(user.type, {}).items():
        for given in at(user.properties, path.split(".")):
            if path != "ResourceId":
                yield given, wanted
            elif _OF_VARIANT.fullmatch(same_text(given.value) or ""):
                yield given, ENDPOINT
    dimensions = at(user.properties, ["Dimensions", "*"]) if user.type == ALARM else ()
    for each in dimensions:
        if each.get("Name").text == "EndpointName":
            yield each.get("Value"), ENDPOINT
    for name, given in _variables(user):
        if "config" not in name.lower():
            yield given, ENDPOINT


def arns_by_name(user: Resource, resources: Resources) -> Iterator[ByArnFacts]:
    """Each resource of a policy, and each role, for which its name alone stands."""
    for path in () if user.type in _TAKE_ROLES_BY_NAME else role_users(user.type):
        for given in at(user.properties, path.split(".")):
            value = given.value
            role = resources.find(value.name or "") if isinstance(value, Unknown) else None
            if role is not None and role.type == ROLE and value.source == role.logical_id:
                yield ByArnFacts(
                    name=given,
                    named=role.logical_id,
                    reference=f"!GetAtt {role.logical_id}.Arn",
                    takes_arn=True,
                )
    for path in _TAKE_NAMES.get(user.type, ()):
        for given in at(user.properties, path.split(".")) if "Statement" in path else ():
            value = given.value
            alone = isinstance(value, Unknown) and not any(isinstance(x, str) for x in value.pieces)
            other = resources.find(value.name or "") if isinstance(value, Unknown) else None
            name = "" if other is None else _REF_IS_ARN.get(other.type)
            if alone and other is not None and value.source == f"{other.logical_id}.{name}":
                reference = f"!Ref {other.logical_id}"
                yield ByArnFacts(
                    name=given, named=other.logical_id, reference=reference, takes_arn=True
                )


def _names_of(user: Resource) -> Iterator[tuple[Fact, bool]]:
    """The names that a resource is given, and whether an ARN is one only behind other text."""
    for path in _TAKE_NAMES.get(user.type, ()):
        for given in at(user.properties, path.split(".")):
            yield given, "Statement" in path
    for _, given in _variables(user):
        yield given, False


def _variables(user: Resource) -> Iterator[tuple[str, Fact]]:
    """A function's variables that say that they are the name of an endpoint, or of its
    configuration."""
    if user.type in ("AWS::Lambda::Function", "AWS::Serverless::Function"):
        for name, given in user.properties.get("Environment").get("Variables").entries():
            if _VARIABLE.fullmatch(name):
                yield name, given


def _reference(other: Resource, attribute: str) -> str:
    """How a template, or Terraform, whose addresses have dots, refers to a resource's name."""
    if "." in other.logical_id:
        return f"{other.logical_id}.name"
    return f"!GetAtt {attribute}" if attribute else f"!Ref {other.logical_id}"


def gone_first(resource: Resource, resources: Resources) -> Iterator[GoneFirstFacts]:
    """A model or a configuration that is deleted first, with what of the plan uses it."""
    is_gone_first = resource.logical_id in resources.template.gone_first
    if is_gone_first and resource.type in (MODEL, ENDPOINT_CONFIG):
        using = resources.of_types(ENDPOINT_CONFIG, ENDPOINT, COMPONENT)
        yield GoneFirstFacts(
            name=resource.properties.get(NAMED_BY[resource.type]),
            resource=resource.logical_id,
            users=tuple(
                each.logical_id
                for each in using
                if resources.waits(each.logical_id, resource.logical_id)
            ),
        )


def _within(text: str, kind: str) -> str:
    """The endpoint's name within what a scalable target is called; all else is a name itself."""
    found = _OF_VARIANT.fullmatch(text) if kind == ENDPOINT else None
    return text if found is None else found[1]

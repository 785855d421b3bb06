"""What is refused before anything is made, every problem at once and by logical id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.resources import ResourceTypes
from local_aws.resources.base import Provider
from local_aws.resources.custom_resource import missing_service_token
from local_aws.schemas import Schema, is_custom, schema_of
from local_aws.services.cloudformation.engine.graph import resource_graph
from local_aws.services.cloudformation.engine.refusals import PropertyProblem, refuse
from local_aws.services.cloudformation.engine.stacks import STACK_TYPE, Resource
from local_aws.services.cloudformation.engine.template import Template
from local_aws.template import (
    FUNCTIONS,
    PSEUDO_PARAMETERS,
    Reference,
    function_name,
    references,
    unresolved_condition,
)

AUTO_EXPAND = "CAPABILITY_AUTO_EXPAND"

_POLICIES = {
    "DeletionPolicy": ("Delete", "Retain", "RetainExceptOnCreate"),
    "UpdateReplacePolicy": ("Delete", "Retain"),
}
_SNAPSHOT = "Snapshot"
_WITH_SNAPSHOTS = frozenset(
    f"AWS::{name}"
    for name in (
        *("DocDB::DBCluster", "EC2::Volume", "ElastiCache::CacheCluster"),
        *("ElastiCache::ReplicationGroup", "Neptune::DBCluster", "RDS::DBCluster"),
        *("RDS::DBInstance", "Redshift::Cluster"),
    )
)
"""The types of which AWS takes a snapshot; here there is nothing to take one of ("DeletionPolicy
attribute", CloudFormation template reference)."""

_ATTRIBUTES = {
    "CreationPolicy": frozenset(
        {
            "AWS::AppStream::Fleet",
            "AWS::AutoScaling::AutoScalingGroup",
            "AWS::CloudFormation::WaitCondition",
            "AWS::EC2::Instance",
        }
    ),
    "UpdatePolicy": frozenset(
        {
            "AWS::AppStream::Fleet",
            "AWS::AutoScaling::AutoScalingGroup",
            "AWS::ElastiCache::ReplicationGroup",
            "AWS::Elasticsearch::Domain",
            "AWS::Lambda::Alias",
            "AWS::OpenSearchService::Domain",
        }
    ),
}
"""Attributes by the types that have them (same reference, "CreationPolicy attribute" and
"UpdatePolicy attribute"). They are only kept, as nothing here is replaced by and
by, and nothing runs that could send signals."""

_IAM_NAMES = {
    "AWS::IAM::Group": "GroupName",
    "AWS::IAM::InstanceProfile": "InstanceProfileName",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::IAM::Policy": None,
    "AWS::IAM::Role": "RoleName",
    "AWS::IAM::User": "UserName",
}
"""The types that need a capability, and the property that makes it CAPABILITY_NAMED_IAM."""


def check_references(template: Template) -> None:
    """Refuse names that nothing has, functions that do not exist, and cycles."""
    refuse(_structural_problems(template))
    cycle = resource_graph(template).cycle()
    if cycle:
        refuse([f"Circular dependency between resources: [{', '.join(cycle)}]"])


def undeployable_types(
    template: Template,
    active: Iterable[str],
    types: ResourceTypes,
    context: LocalContext,
    region: str,
) -> list[str | PropertyProblem]:
    """The types and properties that CloudFormation or the local AWS does not have.

    ``active`` are the resources that the deployment would make: what the local AWS lacks
    matters only there.
    """
    deployed = set(active)
    return [
        problem
        for logical_id, definition in template.resources.items()
        for problem in _type_problems(
            logical_id, definition, logical_id in deployed, types, context, region
        )
    ]


def check_capabilities(template: Template, given: Iterable[str], *, expanded: bool) -> None:
    """Refuse IAM resources that the caller has not acknowledged.

    ``expanded``: nobody has seen what transforms made of the template, which asks for
    CAPABILITY_AUTO_EXPAND. Raises AwsError ``InsufficientCapabilitiesException``.
    """
    needed = [*required_capabilities(template), *([AUTO_EXPAND] if expanded else [])]
    acknowledged = set(given)
    if "CAPABILITY_NAMED_IAM" in acknowledged:
        acknowledged.add("CAPABILITY_IAM")
    missing = [capability for capability in needed if capability not in acknowledged]
    if missing:
        raise AwsError(
            "InsufficientCapabilitiesException", f"Requires capabilities : [{', '.join(missing)}]"
        )


def required_capabilities(template: Template) -> list[str]:
    """CAPABILITY_IAM, or CAPABILITY_NAMED_IAM when an IAM resource is named; what transforms."""
    iam = [each for each in template.resources.values() if each["Type"] in _IAM_NAMES]
    named = any(_IAM_NAMES[each["Type"]] in (each.get("Properties") or {}) for each in iam)
    needed = ["CAPABILITY_NAMED_IAM" if named else "CAPABILITY_IAM"] if iam else []
    return [*needed, AUTO_EXPAND] if template.transforms else needed


def _structural_problems(template: Template) -> Iterator[str]:
    for section in ("Resources", "Outputs", "Conditions", "Rules"):
        for name, definition in template.section(section).items():
            for function in _functions(definition):
                if function not in FUNCTIONS:
                    yield (
                        f"Template error: {function} in {section}/{name} is not a function of "
                        "the local AWS"
                    )
    for section in ("Resources", "Outputs"):
        yield from _dangling(template, section)
        for definition in template.section(section).values():
            yield from _dangling_conditions(template, section, definition)


def _dangling(template: Template, section: str) -> Iterator[str]:
    """What CloudFormation says of all names that a section uses and nothing has."""
    definitions = template.section(section).values()
    missing = [name for each in definitions for name in _unknown_names(template, each)]
    if missing:
        yield (
            "Template format error: Unresolved resource dependencies "
            f"[{', '.join(dict.fromkeys(missing))}] in the {section} block of the template"
        )


def _unknown_names(template: Template, definition: dict[str, Any]) -> Iterator[str]:
    values = {*template.parameters, *PSEUDO_PARAMETERS}
    for part in ("Properties", "Value", "Export"):
        for reference in references(definition.get(part)):
            is_value = reference.attribute is None and reference.name in values
            if not is_value and reference.name not in template.resources:
                yield reference.name
    for attribute in (*_POLICIES, "CreationPolicy"):
        for reference in references(definition.get(attribute)):
            if reference.attribute is not None or reference.name not in values:
                yield reference.name
    for other in _listed(definition.get("DependsOn", [])):
        if other not in template.resources:
            yield other


def _dangling_conditions(
    template: Template, section: str, definition: dict[str, Any]
) -> Iterator[str]:
    condition = definition.get("Condition")
    if condition is not None and condition not in template.conditions:
        yield (
            f"Template format error: Unresolved condition dependency {condition} in the "
            f"{section} block of the template"
        )
    for condition in _conditions(definition):
        if condition not in template.conditions:
            yield str(unresolved_condition(condition))


def _type_problems(
    logical_id: str,
    definition: dict[str, Any],
    deployed: bool,
    types: ResourceTypes,
    context: LocalContext,
    region: str,
) -> Iterator[str | PropertyProblem]:
    type_name = definition["Type"]
    schema = schema_of(type_name, region)
    if schema is None and not is_custom(type_name):
        yield (f"Template format error: Unrecognized resource types: [{type_name}] ({logical_id})")
        return
    if not deployed:
        return
    provider = types.provider_of(type_name)
    if provider is None:
        yield f"Resource {logical_id}: the local AWS cannot deploy {type_name}"
        return
    for attribute in definition.keys() & _ATTRIBUTES.keys():
        if type_name not in _ATTRIBUTES[attribute]:
            yield (
                f"Resource {logical_id}: {attribute} is no attribute of {type_name}; those of "
                f"{', '.join(sorted(_ATTRIBUTES[attribute]))} have one"
            )
    if context.strict:
        kept = only_kept(definition, types, context, region)
        if Provider.whole in kept:
            yield f"Resource {logical_id}: the local AWS only keeps {type_name}, and it is strict"
        for name in definition.keys() & _ATTRIBUTES.keys() & set(kept):
            yield f"Resource {logical_id}: the local AWS only keeps {name}, and it is strict"
    properties = definition.get("Properties") or {}
    if schema is None:
        for problem in missing_service_token(properties):
            yield PropertyProblem(logical_id, type_name, problem)
        return
    for problem in schema.problems(properties, whole=provider.judged_whole):
        yield PropertyProblem(logical_id, type_name, problem)
    places = schema.places(schema.without_read_only(properties))
    for place in provider.refused(context, region, places):
        yield f"Resource {logical_id}: the local AWS does not carry out {place} of {type_name}"


def only_kept(
    definition: Mapping[str, Any], types: ResourceTypes, context: LocalContext, region: str
) -> list[str]:
    """What the local AWS keeps of a resource and does nothing with, as `Provider.only_kept` names
    it; attributes beside the properties, too."""
    type_name = definition["Type"]
    schema, provider = schema_of(type_name, region), types.provider_of(type_name)
    if schema is None or provider is None:
        return []
    places = schema.places(schema.without_read_only(definition.get("Properties") or {}))
    attributes = [name for name in _ATTRIBUTES if name in definition]
    attributes += [f"{name} {_SNAPSHOT}" for name in _POLICIES if definition.get(name) == _SNAPSHOT]
    return [*provider.only_kept(context, region, places), *attributes]


def undeployable_values(
    planned: Iterable[Resource], types: ResourceTypes, *, strict: bool
) -> list[str]:
    """The values that the local AWS cannot carry out, of resources as they are planned."""
    return [problem for resource in planned for problem in _value_problems(resource, types, strict)]


def _value_problems(resource: Resource, types: ResourceTypes, strict: bool) -> Iterator[str]:
    given = (resource.deletion_policy, resource.update_replace_policy)
    for (attribute, allowed), value in zip(_POLICIES.items(), given, strict=True):
        if value == _SNAPSHOT and resource.type in _WITH_SNAPSHOTS:
            continue
        if value not in allowed:
            yield (
                f"Resource {resource.logical_id}: {attribute} is {value!r}; the local AWS has "
                f"{', '.join(allowed)}"
            )
    provider = types.provider_of(resource.type)
    for problem in provider.problems(resource.properties) if provider is not None else ():
        yield (
            f"Resource {resource.logical_id}: the local AWS cannot deploy this {resource.type}: "
            f"{problem}"
        )
    for kept in provider.kept_by_value(resource.properties) if strict and provider else ():
        what = f"this {resource.type}" if kept == Provider.whole else kept
        yield f"Resource {resource.logical_id}: the local AWS only keeps {what}, and it is strict"


def attribute_problems(template: Template, region: str) -> list[str]:
    """The attributes that a Fn::GetAtt asks for and the resource's type does not have.

    AWS accepts such a template and fails the deployment before it makes anything (recorded by
    LocalStack's suite, 2023).
    """
    return [
        f"[Error] {place}: Resource type {template.resources[reference.name]['Type']} does not "
        f"support attribute {{{reference.attribute}}}."
        for section in ("Resources", "Outputs")
        for place, reference in _placed_references(template.section(section), f"/{section}")
        if not _has_attribute(template, reference, region)
    ]


def _placed_references(value: Any, place: str) -> Iterator[tuple[str, Reference]]:
    name = function_name(value)
    if name in ("Fn::GetAtt", "Fn::Sub"):
        yield from ((f"{place}/{name}", reference) for reference in references(value))
        return
    items = value.items() if isinstance(value, dict) else enumerate(_children(value))
    for key, item in items:
        yield from _placed_references(item, f"{place}/{key}")


def _has_attribute(template: Template, reference: Reference, region: str) -> bool:
    if not reference.attribute or reference.name not in template.resources:
        return True
    type_name = template.resources[reference.name]["Type"]
    first = reference.attribute.split(".")[0]
    if type_name == STACK_TYPE:  # what it has beside, its template tells
        return first == "Outputs"
    schema: Schema | None = schema_of(type_name, region)
    return schema is None or first in schema.properties


def _functions(value: Any) -> Iterator[str]:
    name = function_name(value)
    if name is not None:
        yield name
    for item in _children(value):
        yield from _functions(item)


def _conditions(value: Any) -> Iterator[str]:
    """The conditions that Fn::If names in a value."""
    if function_name(value) == "Fn::If":
        argument = value["Fn::If"]
        if isinstance(argument, list) and argument and isinstance(argument[0], str):
            yield argument[0]
    for item in _children(value):
        yield from _conditions(item)


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]

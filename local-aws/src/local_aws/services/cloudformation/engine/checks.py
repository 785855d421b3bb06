"""What is refused before anything is made, every problem at once and by logical id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.resources import ResourceTypes
from local_aws.resources.custom_resource import missing_service_token
from local_aws.resources.schemas import Schema, is_custom, schema_of
from local_aws.services.cloudformation.engine.graph import resource_graph
from local_aws.services.cloudformation.engine.refusals import refuse
from local_aws.services.cloudformation.engine.stacks import Resource
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

_TRANSFORMS = frozenset({"AWS::LanguageExtensions"})
_POLICIES = {
    "DeletionPolicy": ("Delete", "Retain", "RetainExceptOnCreate"),
    "UpdateReplacePolicy": ("Delete", "Retain"),
}
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
) -> list[str]:
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


def check_capabilities(template: Template, given: Iterable[str], *, reviewed: bool) -> None:
    """Refuse IAM resources that the caller has not acknowledged, and transforms, too, unless
    what they make of the template is ``reviewed``, as in a change set.

    Raises AwsError ``InsufficientCapabilitiesException``.
    """
    needed = required_capabilities(template)
    if reviewed:
        needed = [capability for capability in needed if capability != AUTO_EXPAND]
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
    for transform in template.transforms:
        if transform not in _TRANSFORMS:
            yield f"Transform {transform} cannot be deployed on the local AWS"
    for section in ("Resources", "Outputs", "Conditions", "Rules"):
        for name, definition in template.section(section).items():
            for function in _functions(definition):
                if function not in FUNCTIONS:
                    yield (
                        f"Template error: {function} in {section}/{name} is not a function of "
                        "the local AWS"
                    )
    for logical_id, definition in template.resources.items():
        yield from _dangling(template, "Resources", logical_id, definition.get("Properties"))
        yield from _dangling_conditions(template, "Resources", logical_id, definition)
        yield from _policy_problems(logical_id, definition)
        for other in _listed(definition.get("DependsOn", [])):
            if other not in template.resources:
                yield _unresolved(other, "Resources", logical_id)
    for name, definition in template.outputs.items():
        yield from _dangling(template, "Outputs", name, definition)
        yield from _dangling_conditions(template, "Outputs", name, definition)


def _dangling(template: Template, section: str, name: str, value: Any) -> Iterator[str]:
    for reference in references(value):
        known = reference.name in template.resources or (
            reference.attribute is None
            and (reference.name in template.parameters or reference.name in PSEUDO_PARAMETERS)
        )
        if not known:
            yield _unresolved(reference.name, section, name)


def _dangling_conditions(
    template: Template, section: str, name: str, definition: dict[str, Any]
) -> Iterator[str]:
    condition = definition.get("Condition")
    if condition is not None and condition not in template.conditions:
        yield (
            f"Template format error: Unresolved condition dependency {condition} in the "
            f"{section} block of the template ({name})"
        )
    for condition in _conditions(definition):
        if condition not in template.conditions:
            yield str(unresolved_condition(condition))


def _policy_problems(logical_id: str, definition: dict[str, Any]) -> Iterator[str]:
    for attribute in ("CreationPolicy", "UpdatePolicy"):
        if attribute in definition:
            yield f"Resource {logical_id}: {attribute} cannot be deployed on the local AWS"
    for attribute, allowed in _POLICIES.items():
        value = definition.get(attribute, "Delete")
        if value not in allowed:
            yield (
                f"Resource {logical_id}: {attribute} is {value!r}; the local AWS has "
                f"{', '.join(allowed)}"
            )


def _type_problems(
    logical_id: str,
    definition: dict[str, Any],
    deployed: bool,
    types: ResourceTypes,
    context: LocalContext,
    region: str,
) -> Iterator[str]:
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
    properties = definition.get("Properties") or {}
    if schema is None:
        for problem in missing_service_token(properties):
            yield f"Properties validation failed for resource {logical_id} with message: {problem}"
        return
    for problem in schema.problems(properties):
        yield f"Properties validation failed for resource {logical_id} with message: {problem}"
    for name in properties:
        if name in schema.properties and not provider.supports(context, region, name):
            yield (f"Resource {logical_id}: the local AWS does not carry out {name} of {type_name}")


def undeployable_values(planned: Iterable[Resource], types: ResourceTypes) -> list[str]:
    """The values that the local AWS cannot carry out, of resources as they are planned."""
    return [
        f"Resource {resource.logical_id}: the local AWS cannot deploy this {resource.type}: "
        f"{problem}"
        for resource in planned
        if (provider := types.provider_of(resource.type)) is not None
        for problem in provider.problems(resource.properties)
    ]


def check_attributes(template: Template, region: str) -> None:
    """Refuse a Fn::GetAtt of an attribute that the resource's type does not have."""
    refuse(
        f"Template error: resource {reference.name} does not support attribute type "
        f"{reference.attribute} in Fn::GetAtt"
        for section in (template.resources, template.outputs)
        for reference in references(list(section.values()))
        if not _has_attribute(template, reference, region)
    )


def _has_attribute(template: Template, reference: Reference, region: str) -> bool:
    if not reference.attribute or reference.name not in template.resources:
        return True
    schema: Schema | None = schema_of(template.resources[reference.name]["Type"], region)
    return schema is None or reference.attribute.split(".")[0] in schema.properties


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


def _unresolved(missing: str, section: str, name: str) -> str:
    return (
        f"Template format error: Unresolved resource dependencies [{missing}] in the {section} "
        f"block of the template ({name})"
    )

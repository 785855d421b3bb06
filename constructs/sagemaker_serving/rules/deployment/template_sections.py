"""Rules on what a template declares: its sections, and the attributes of what stands in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.schemas import is_custom
from local_aws.suggest import did_you_mean
from local_aws.template import function_name
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.template import TemplateFacts

_ANATOMY = "AWS CloudFormation user guide, template sections"
_ATTRIBUTES = "AWS CloudFormation template reference, resource attributes"

_SECTIONS = (
    *("Resources", "Parameters", "Outputs", "Conditions", "Mappings", "Rules", "Transform"),
    *("Metadata", "Description", "AWSTemplateFormatVersion", "Hooks"),
)
_MAPS = ("Parameters", "Mappings", "Conditions", "Rules", "Outputs", "Metadata")
_VERSION = "2010-09-09"
_OF_RESOURCES = (
    *("Type", "Properties", "DependsOn", "Condition", "Metadata", "DeletionPolicy"),
    *("UpdateReplacePolicy", "CreationPolicy", "UpdatePolicy"),
)
"""A custom resource may have Version, too, as the user guide's walkthroughs write it."""
_POLICIES = {
    "DeletionPolicy": ("Delete", "Retain", "RetainExceptOnCreate", "Snapshot"),
    "UpdateReplacePolicy": ("Delete", "Retain", "Snapshot"),
}
_SNAPSHOT = (
    *("AWS::DocDB::DBCluster", "AWS::EC2::Volume", "AWS::ElastiCache::CacheCluster"),
    *("AWS::ElastiCache::ReplicationGroup", "AWS::Neptune::DBCluster", "AWS::RDS::DBCluster"),
    *("AWS::RDS::DBInstance", "AWS::Redshift::Cluster"),
)
_OF_OUTPUTS = ("Value", "Description", "Export", "Condition")
_LISTS = ("Fn::Cidr", "Fn::GetAZs", "Fn::Split")
"""Functions that give a list."""


@rule(source=_ANATOMY, example="Resource: {…}")
def template_section(template: TemplateFacts) -> Iterator[Finding]:
    """A template's sections are CloudFormation's, each of its form.

    CloudFormation refuses the template. Sections that a macro takes, such as SAM's Globals, pass.
    """
    for name, given in template.document.entries():
        if name not in _SECTIONS and not template.macros:
            meant = did_you_mean(name, _SECTIONS, "?") or f"it has {', '.join(_SECTIONS)}"
            yield given.finding(f"a template has no section {name!r}; {meant}")
        elif name in _MAPS and not isinstance(given.value, Mapping | None):
            yield given.finding(f"{name} must be a mapping of names")
    version = template.document.get("AWSTemplateFormatVersion")
    if version.given and str(version.value) != _VERSION:
        yield version.finding(
            f"AWSTemplateFormatVersion is {version.value!r}; {_VERSION!r} is the only one"
        )
    if template.description.given and template.description.text is None:
        yield template.description.finding(
            "Description must be text; functions may not stand in it"
        )


@rule(source=_ATTRIBUTES, example="{Type: AWS::SNS::Topic, Propertys: {…}}")
def template_resource(template: TemplateFacts) -> Iterator[Finding]:
    """A resource is a mapping with a type, and its attributes are CloudFormation's.

    CloudFormation refuses the template. Attributes that a macro may take pass.
    """
    for name, resource in template.sections["Resources"].items():
        if name.startswith("Fn::"):
            continue
        if not isinstance(resource.value, Mapping):
            yield resource.finding(f"the resource {name} must be a mapping with a Type")
            continue
        kind, beside = resource.get("Type"), {*resource.value} & {*_OF_RESOURCES}
        if kind.text is None and not template.macros:
            yield kind.finding(f"the resource {name} needs a Type, which is text; add it")
        known = (*_OF_RESOURCES, "Version") if is_custom(kind.text or "") else _OF_RESOURCES
        for key, given in resource.entries():
            if not template.macros and key not in known and not key.startswith("Fn::"):
                meant = (
                    did_you_mean(key, [each for each in _OF_RESOURCES if each not in beside], "?")
                    or "put properties below Properties"
                )
                yield given.finding(f"a resource has no attribute {key!r}; {meant}")
        yield from _forms(resource, extended=template.extended or template.macros)


def _forms(resource: Fact, *, extended: bool) -> Iterator[Finding]:
    properties, waits = resource.get("Properties"), resource.get("DependsOn")
    condition = resource.get("Condition")
    if not isinstance(properties.value, Mapping | None):
        yield properties.finding("Properties must be a mapping")
    several = waits.value if isinstance(waits.value, list) else [waits.value]
    if waits.given and not all(isinstance(each, str) for each in several):
        yield waits.finding("DependsOn must be a logical id, or a list of them, without functions")
    if condition.given and condition.text is None:
        yield condition.finding("Condition must be the name of a condition")
    for name, allowed in _POLICIES.items():
        policy = resource.get(name)
        if not policy.given or (extended and function_name(policy.value) is not None):
            continue
        if policy.text not in allowed:
            yield policy.finding(f"{name} is {policy.value!r}; choose of {', '.join(allowed)}")
        elif policy.text == "Snapshot" and not _has_snapshots(resource.get("Type").text):
            yield policy.finding(
                f"{name} is Snapshot, and {resource.get('Type').text} has none; use Retain"
            )


def _has_snapshots(kind: str | None) -> bool:
    return kind in _SNAPSHOT or not (kind or "").startswith("AWS::")


@rule(source=_ANATOMY, example="Outputs: {Name: {Values: a}}")
def template_output(template: TemplateFacts) -> Iterator[Finding]:
    """An output has a value, which is text, and perhaps an export of its own name.

    CloudFormation refuses the template. Two exports of one name exclude each other.
    """
    exports: dict[str, str] = {}
    for name, output in template.sections["Outputs"].items():
        if name.startswith("Fn::"):
            continue
        if not isinstance(output.value, Mapping):
            yield output.finding(f"the output {name} must be a mapping with a Value")
            continue
        for key, given in output.entries():
            if key not in _OF_OUTPUTS and not key.startswith("Fn::"):
                meant = did_you_mean(key, _OF_OUTPUTS, "?") or f"it has {', '.join(_OF_OUTPUTS)}"
                yield given.finding(f"an output has no attribute {key!r}; {meant}")
        value, export = output.get("Value"), output.get("Export")
        described, condition = output.get("Description"), output.get("Condition")
        if not value.given and not any(key.startswith("Fn::") for key, _ in output.entries()):
            yield value.finding(f"the output {name} needs a Value; add it")
        elif _is_no_text(value.value):
            yield value.finding(f"the Value of the output {name} must be text; use Fn::Join")
        if described.given and described.text is None:
            yield described.finding("an output's Description must be text, without functions")
        elif described.text is not None and len(described.text.encode()) > 1024:
            yield described.finding("an output's Description has at most 1,024 bytes; shorten it")
        if condition.given and condition.text is None:
            yield condition.finding("Condition must be the name of a condition")
        yield from _export(export, exports, name)


def _export(export: Fact, exports: dict[str, str], output: str) -> Iterator[Finding]:
    if not export.given:
        return
    if not isinstance(export.value, Mapping) or [*export.value] != ["Name"]:
        if function_name(export.value) is None:
            yield export.finding("Export must be a mapping with a Name alone: Export: {Name: …}")
        return
    name = export.get("Name")
    if name.value is None or name.value == "" or isinstance(name.value, list):
        yield name.finding("an export's Name must be text that is not empty")
    other = exports.setdefault(repr(name.value), output)
    if other != output:
        yield name.finding(f"the output {other} exports the same name; give each export its own")


def _is_no_text(value: Any) -> bool:
    if isinstance(value, Mapping):
        called = function_name(value)
        replaced = any("::" in str(key) for key in value)
        return called in _LISTS or (called is None and not replaced)
    return isinstance(value, list)


@rule(source=_ANATOMY, example="Mappings: {Sizes: {prod: ml.c5.large}}")
def template_map(template: TemplateFacts) -> Iterator[Finding]:
    """A mapping has two levels of keys, and below them text, numbers or lists of these.

    CloudFormation refuses the template.
    """
    for name, mapping in template.sections["Mappings"].items():
        if name.startswith("Fn::") or function_name(mapping.value) is not None:
            continue
        if not isinstance(mapping.value, Mapping):
            yield mapping.finding(f"the mapping {name} must be a mapping of keys")
        for first, inner in mapping.entries():
            if first.startswith("Fn::") or function_name(inner.value) is not None:
                continue
            if not isinstance(inner.value, Mapping):
                yield inner.finding(f"{first} of the mapping {name} must be a mapping of keys")
            for second, value in inner.entries():
                if not all(isinstance(each.value, str | int | float) for each in value.each()):
                    yield value.finding(
                        f"{second} of {first} must be text, a number or a list of these; functions "
                        "may not stand in a mapping"
                    )

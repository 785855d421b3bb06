"""Resources beside the schemas of their types, as cfn-lint ships CloudFormation's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from local_aws.schemas import Schema, is_custom, regions_of, schema_of
from local_aws.template import Unknown
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.resources import ResourceTypeFacts
from sagemaker_serving.rules.facts.template import SchemaFacts
from sagemaker_serving.rules.template.reading import Template
from sagemaker_serving.rules.template.resources import Resource, Resources

_OF_OTHERS = re.compile(r"(?!AWS::)[A-Za-z0-9]+(::[A-Za-z0-9]+){2}|.+::MODULE")
"""Types of third parties, and modules."""

_ANYWHERE = "us-east-1"
"""The region with nearly every type; its schemas judge where no region is given."""

_SERVERLESS, _SAM = "AWS::Serverless::", "AWS::Serverless-2016-10-31"
_KEEPING = ("AWS::LanguageExtensions", _SAM, "AWS::CodeDeployBlueGreen")
"""Transforms that leave resources of other services as they are (AWS CloudFormation user guide,
transform reference); a macro may add anything."""

_PACKAGED = {
    "AWS::ApiGateway::RestApi": "BodyS3Location",
    "AWS::CodeCommit::Repository": "Code",
    "AWS::ElasticBeanstalk::ApplicationVersion": "SourceBundle",
    "AWS::Lambda::Function": "Code",
    "AWS::Lambda::LayerVersion": "Content",
    "AWS::StepFunctions::StateMachine": "DefinitionS3Location",
}
"""Properties that may be a local path, in whose place ``aws cloudformation package`` puts an object
(AWS CLI reference, cloudformation package)."""

_CUSTOM = {"properties": {}, "additionalProperties": True, "required": ["ServiceToken"]}
"""All that CloudFormation asks of a custom resource (template reference,
AWS::CloudFormation::CustomResource)."""


@cache
def schemas_are_here() -> bool:
    """Whether there is a copy of CloudFormation's schemas on this machine."""
    return find_spec("cfnlint") is not None


def schema_facts(resource: Resource, resources: Resources) -> Iterator[SchemaFacts]:
    """A resource of a template that was read whole, with the schema of its type.

    None of one that a macro may add to, and none of a type without a schema.
    """
    template, region = resources.template, resources.region.text
    if template.document is None or not schemas_are_here() or not is_whole(resource, resources):
        return
    schema = (
        Schema(resource.type, _CUSTOM)
        if is_custom(resource.type)
        else schema_of(resource.type, region if region is not None else _ANYWHERE)
    )
    if schema is not None:
        properties = Fact(_unpackaged(resource), resource.properties.where)
        yield SchemaFacts(properties=properties, schema=schema)


def type_attributes(kind: str) -> tuple[str, ...]:
    """What Fn::GetAtt can name of a type, at the first level: its own members, too.

    () of one without a schema here, and of one whose attributes a template of its own declares.
    """
    if not schemas_are_here() or kind in _OF_ANOTHER_TEMPLATE or is_custom(kind):
        return ()
    schema = schema_of(kind, _ANYWHERE)
    if schema is None:
        return ()
    read_only = (place[0] for place in sorted(schema.read_only_places))
    return tuple(dict.fromkeys((*read_only, *schema.properties)))


_OF_ANOTHER_TEMPLATE = (
    "AWS::CloudFormation::Stack",
    "AWS::ServiceCatalog::CloudFormationProvisionedProduct",
)


def type_facts(kind: Fact, resources: Resources) -> ResourceTypeFacts:
    """The type of a resource, and where there is such a type."""
    name, region, template = kind.text or "", resources.region, resources.template
    here = region.text if region.text is not None else _ANYWHERE
    passes = not name or is_custom(name) or _OF_OTHERS.fullmatch(name) is not None
    read = template.document is not None and schemas_are_here() and _is_kept(template)
    if passes or not read or schema_of(name, here) is not None:
        return ResourceTypeFacts(kind=kind)
    regions: tuple[str, ...] | None = regions_of(name)
    if regions and (name.startswith(_SERVERLESS) or region.text is None):
        needed = name.startswith(_SERVERLESS) and _SAM not in _transforms(template)
        regions = () if needed else None
    return ResourceTypeFacts(kind=kind, region=region, regions=regions)


def is_whole(resource: Resource, resources: Resources) -> bool:
    """Whether no macro adds to a resource of the template."""
    template = resources.template
    return _is_kept(template) and "Fn::Transform" not in template.resources[resource.logical_id]


def _is_kept(template: Template) -> bool:
    """Whether the template's own resources are what is deployed."""
    if "Modules" in (template.document or {}):
        return False
    return all(name in _KEEPING for name in _transforms(template))


def _transforms(template: Template) -> list[Any]:
    named = (template.document or {}).get("Transform")
    transforms = named if isinstance(named, list) else [named]
    names = [each.get("Name") if isinstance(each, dict) else each for each in transforms]
    return [name for name in names if name is not None]


def _unpackaged(resource: Resource) -> Any:
    value, name = resource.properties.value, _PACKAGED.get(resource.type)
    if name is not None and isinstance(value, dict) and isinstance(value.get(name), str):
        return {**value, name: Unknown()}
    return value

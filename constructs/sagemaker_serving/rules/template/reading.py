"""Reads a CloudFormation template: JSON, or YAML with short intrinsics (``!Ref``, ``!Sub``)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from local_aws.template import Evaluator, Names, TemplateError, referenced, repeated, short_form
from sagemaker_serving.errors import ProblemsFound, Where
from sagemaker_serving.rules.template.json_lines import json_where
from sagemaker_serving.rules.template.marks import SUBSTITUTION
from sagemaker_serving.spec.yaml_text import read_yaml, text_of

_BESIDE_PROPERTIES = frozenset(
    {
        *("Type", "Condition", "DependsOn", "Metadata", "DeletionPolicy", "UpdateReplacePolicy"),
        *("CreationPolicy", "UpdatePolicy"),
    }
)
"""What a resource has beside its Properties (CloudFormation user guide, resource attributes)."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """A template as it was read: its resources as plain data, and where they stand.

    ``parameters``, ``mappings`` and ``conditions`` are what its functions look up, ``assertions``
    its section Rules, which refuses values of parameters; ``metadata`` is the template's own,
    ``document`` all of it where it was read from a file of ``size`` bytes. A value's
    place begins with the resource's logical id and goes on with its properties:
    ``Config.ProductionVariants[0].InstanceType``. ``gone_first`` are the resources of a plan that
    are replaced by deleting them first, ``same_name`` those whose replacement is made first and has
    their name.
    """

    resources: Mapping[str, Any]
    where: Where
    parameters: Mapping[str, Any] = field(default_factory=dict)
    mappings: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)
    assertions: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    document: Mapping[str, Any] | None = None
    size: int = 0
    gone_first: frozenset[str] = frozenset()
    same_name: frozenset[str] = frozenset()


def read_template(path: Path) -> Template:
    """Reads ``path`` as a CloudFormation template, whoever wrote it.

    The file of a state machine's definition is read as the template would be that names it. Raises
    `ProblemsFound` when there is no such file, or it is neither JSON nor YAML, or has no resources.
    """
    text = text_of(path, "name a template that exists")
    if is_definition(sections_of(text)):
        return _of_definition(path, text)
    data, where = _load(text, str(path))
    if not isinstance(data, dict) or not isinstance(data.get("Resources"), dict):
        message = "there is no mapping Resources; this is no CloudFormation template"
        raise ProblemsFound.of("template", Where(str(path), (), {(): 1}), message)
    read = add_sections(template_of(data["Resources"], where), data)
    return replace(_with_loops(read), document=data, size=len(text.encode()))


def sections_of(text: str) -> set[str]:
    """The names at the top of a file; of JSON that is none yet, as where ``${…}`` stands outside of
    texts, every name."""
    if not text.lstrip().startswith("{"):
        return set(re.findall(r"^([A-Za-z0-9_]+)\s*:", text, re.MULTILINE))
    try:
        return set(json.loads(text))
    except (ValueError, RecursionError):
        return set(re.findall(r'"([A-Za-z0-9_]+)"\s*:', text))


def is_definition(sections: Set[str]) -> bool:
    """Whether a file with these names is a state machine's definition (Amazon States Language,
    top-level fields)."""
    return {"StartAt", "States"} <= sections and "Resources" not in sections


def _of_definition(path: Path, text: str) -> Template:
    """A state machine with this definition. Of what stands beside it nothing is known: what its
    ``${…}`` stand for, its role, and whether it is an express one."""
    unknown = {"Fn::ImportValue": "unknown"}
    properties = {
        "DefinitionUri": path.name,
        "DefinitionSubstitutions": dict.fromkeys(SUBSTITUTION.findall(text), unknown),
        "Role": unknown,
        "Type": unknown,
    }
    machine = {"Type": "AWS::Serverless::StateMachine", "Properties": properties}
    return template_of({"StateMachine": machine}, Where(str(path)))


def _with_loops(template: Template) -> Template:
    """``template`` with the resources and conditions that its loops make, by the parameters'
    defaults; as it is where a loop's list is not known."""
    defaults = {
        name: referenced(str(declared.get("Type")), str(declared["Default"]))
        for name, declared in template.parameters.items()
        if isinstance(declared, dict) and "Default" in declared
    }
    evaluator = Evaluator(
        Names(defaults), mappings=template.mappings, conditions=template.conditions
    )
    made: dict[str, Any] = {}
    lines = dict(template.where.lines)
    for key, declared in template.resources.items():
        try:
            each = repeated({key: declared}, evaluator)
        except TemplateError:
            each = {key: declared}
        if key not in each:
            body = declared[2] if len(declared[2]) == 1 else {}
            for path, line in template.where.lines.items():
                if path[:1] == (key,) and (body or len(path) == 1):
                    inner = path[4:] if path[3:4] == ("Properties",) else path[3:]
                    lines |= {(name, *inner): line for name in each}
        made |= each
    conditions = template.conditions
    with suppress(TemplateError):
        conditions = repeated(conditions, evaluator)
    where = replace(template.where, lines=lines)
    return replace(template, resources=made, conditions=conditions, where=where)


def add_sections(template: Template, document: Mapping[str, Any]) -> Template:
    """``template`` with what stands beside the resources of ``document``."""
    names = ("Parameters", "Mappings", "Conditions", "Rules", "Metadata")
    parameters, mappings, conditions, assertions, metadata = (
        part if isinstance(part, dict) else {} for part in map(document.get, names)
    )
    return replace(
        template,
        parameters=parameters,
        mappings=mappings,
        conditions=conditions,
        assertions=assertions,
        metadata=metadata,
    )


def template_of(resources: Mapping[str, Any], where: Where | None = None) -> Template:
    """A template that is in memory already; ``where`` has the lines of its file, if any."""
    where = where if where is not None else Where()
    lines = {shown(path): line for path, line in where.lines.items()}
    labels = {shown(path): label for path, label in where.labels.items()}
    return Template(resources=resources, where=Where(where.source, (), lines, labels))


def shown(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """A path of the document as places of resources are written: id, then property."""
    if len(path) >= 2 and path[0] == "Resources":
        inner = path[3:] if path[2:3] == ("Properties",) else path[2:]
        return (path[1], *inner)
    return path


def written(template: Template, path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Where a place of ``template`` stands in its document: the way back from `shown`."""
    name, *inner = path or ("",)
    if name not in template.resources:
        return path
    resource = template.resources[str(name)]
    parts: Mapping[Any, Any] = resource if isinstance(resource, Mapping) else {}
    properties = parts.get("Properties")
    beside = inner and inner[0] in _BESIDE_PROPERTIES
    if beside and not (isinstance(properties, Mapping) and inner[0] in properties):
        return ("Resources", name, *inner)
    return ("Resources", name, "Properties", *inner)


def _load(text: str, source: str) -> tuple[Any, Where]:
    """The data, and where its values stand."""
    if text.lstrip().startswith("{"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            pass
        else:
            return data, json_where(text, source)
    data, where, _ = read_yaml(text, source, _TemplateLoader)
    return data, where


_Base: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _TemplateLoader(_Base):  # type: ignore[misc]
    """Knows CloudFormation's short tags, and takes dates for the text that they are."""


_TemplateLoader.add_multi_constructor("!", short_form)
_TemplateLoader.add_constructor(
    "tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node)
)

"""Rules on a template's resources by the schemas of their types, whatever service they are of.

Where a rule of this project has said something of the same place, these say nothing
(`rules.check`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.schemas import Fault
from local_aws.suggest import nearest
from sagemaker_serving.errors import Severity, Where
from sagemaker_serving.rules.deployment.schema_words import allowed, shown, some_of
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts.template import SchemaFacts

_SCHEMA = "CloudFormation's resource schemas in cfn-lint"
_ADDED = "what cfn-lint adds to CloudFormation's resource schemas"

_UNKNOWN = ("additionalProperties", "propertyNames", "readOnly")
_ADDED_KEYWORDS = (
    *("requiredXor", "requiredOr", "dependentRequired", "dependentExcluded", "uniqueKeys"),
    *("maxUniqueItems", "format", "not", "false"),
)


@rule("schema-required", source=_SCHEMA, example="{Type: AWS::IAM::Role, Properties: {}}")
def schema_required(resource: SchemaFacts) -> Iterator[Finding]:
    """A resource has what its type cannot do without, at any depth.

    CloudFormation refuses it. Of a misspelt member only the misspelling is told.
    """
    misspelt = {
        (fault.path, meant)
        for fault in resource.faults
        for meant in [_meant(resource, fault) if fault.keyword in _UNKNOWN else None]
        if meant is not None
    }
    for fault in resource.faults:
        where = _where(resource, fault)
        if fault.keyword in ("required", "dependencies"):
            name = fault.names[-1]
            if (fault.path, name) not in misspelt:
                yield where / name, f"{_owner(resource, fault)} needs {name}; add it"
        elif fault.alternatives and _lacks(fault):
            wanted = dict.fromkeys(
                " with ".join(each.names[0] for each in some) for some in fault.alternatives
            )
            yield where, f"{_owner(resource, fault)} needs {' or '.join(wanted)}; add one"


@rule("schema-unknown", source=_SCHEMA, example="{Type: AWS::S3::Bucket, Properties: {Name: a}}")
def schema_unknown(resource: SchemaFacts) -> Iterator[Finding]:
    """A resource's members are spelt as its type spells them, at any depth.

    CloudFormation refuses others.
    """
    for fault in resource.faults:
        if fault.keyword not in _UNKNOWN or fault.keyword == "readOnly":
            continue
        (name,) = fault.names
        where, owner = _where(resource, fault) / name, _owner(resource, fault)
        if fault.keyword == "propertyNames":
            yield where, f"{owner} may have no {name!r}; remove it"
        else:
            yield where, f"{owner} has no member {name!r}; {_hint(resource, fault)}"


@rule(
    "schema-read-only",
    source="aws-cloudformation/cloudformation-resource-schema, README on readOnlyProperties and "
    "issue 102, which is open",
    severity=Severity.WARNING,
    example="{Type: AWS::SNS::Topic, Properties: {TopicArn: …}}",
)
def schema_read_only(resource: SchemaFacts) -> Iterator[Finding]:
    """A resource gives no member that only its service sets.

    CloudFormation says nothing and leaves it out, as the local AWS does, so that the resource is
    another than the template reads.
    """
    for fault in resource.faults:
        if fault.keyword == "readOnly":
            (name,) = fault.names
            said = f"{name} of {_owner(resource, fault)} is set by AWS alone; remove it"
            yield _where(resource, fault) / name, said


@rule("schema-type", source=_SCHEMA, example="{MemorySize: large}")
def schema_type(resource: SchemaFacts) -> Iterator[Finding]:
    """A value is of the type that its type's schema says: text, a number, a list, a mapping.

    CloudFormation refuses others. Text may stand for numbers and truth values, and they for text.
    """
    for fault in resource.faults:
        if fault.keyword == "type":
            yield _where(resource, fault), _wrong(fault)


@rule("schema-value", source=_SCHEMA, example="{BucketName: My_Bucket}")
def schema_value(resource: SchemaFacts) -> Iterator[Finding]:
    """A value is of the form, length, range and count that its type's schema says.

    CloudFormation refuses others. What only a deploy knows passes unjudged.
    """
    elsewhere = ("required", "dependencies", "type", *_UNKNOWN, *_ADDED_KEYWORDS)
    for fault in resource.faults:
        if fault.keyword not in elsewhere and not (fault.alternatives and _lacks(fault)):
            yield _where(resource, fault), _wrong(fault)


_FORMS = {
    ("AWS::Lambda::Permission", "Principal"): (re.compile(r"\S+"), "be a text without blanks"),
}
"""Where a service's action has a form for a member and the schema of the type has none, of all that
the templates of benchmarks/wrong_templates have."""


@rule(
    "schema-action",
    source="botocore's service model, AddPermission",
    example="{Type: AWS::Lambda::Permission, Properties: {Principal: all of them}}",
)
def schema_action(resource: SchemaFacts) -> Iterator[Finding]:
    """A value has the form that the service's action wants of it, where its schema wants none.

    The deploy fails at the service.
    """
    for (type_name, name), (form, wanted) in _FORMS.items():
        fact = resource.properties.get(name)
        said = fact.value if resource.schema.type_name == type_name else None
        if isinstance(said, str) and said and form.fullmatch(said) is None:
            yield fact.where, f"{name} is {shown(said)}; it must {wanted}"


@rule(
    "schema-added",
    source=_ADDED,
    severity=Severity.WARNING,
    example="{Type: AWS::Events::Rule, Properties: {Name: hourly}}",
)
def schema_added(resource: SchemaFacts) -> Iterator[Finding]:
    """A resource is what its service takes beyond CloudFormation's schema.

    Members need one another or exclude one another, and ids, ARNs and networks have their forms.
    The deploy fails at the service. CloudFormation's own schemas don't say it, so it is a warning.
    """
    told = set()
    for fault in resource.faults:
        key = fault.path, fault.keyword, frozenset(fault.names)
        if fault.keyword in _ADDED_KEYWORDS and key not in told:
            told.add(key)
            yield _where(resource, fault), _together(fault, resource)


def _together(fault: Fault, resource: SchemaFacts) -> str:
    names, owner = fault.names, _owner(resource, fault)
    match fault.keyword:
        case "dependentRequired":
            return f"{owner} has {names[0]}, which needs {names[1]}; add it"
        case "dependentExcluded":
            return f"{owner} has {names[0]} and {names[1]}, which exclude each other; remove one"
        case "requiredXor" if any(name in fault.value for name in names):
            given = [name for name in names if name in fault.value]
            return f"{owner} has {' and '.join(given)}, which exclude each other; keep one"
        case "requiredXor" | "requiredOr":
            return f"{owner} needs {' or '.join(names)}; add one"
        case "uniqueKeys":
            keys = " and ".join(fault.schema["uniqueKeys"])
            return f"{owner} has two entries of the same {keys}; give each its own"
        case "maxUniqueItems":
            most = fault.schema["maxUniqueItems"]
            return f"{owner} has {len(fault.value)} entries; at most {most} are allowed"
        case "format":
            return _wrong(fault)
        case _:
            return f"{owner} may not be {shown(fault.value)} beside what else is given; remove it"


def _wrong(fault: Fault) -> str:
    name = str(fault.path[-1]) if fault.path else "Properties"
    if fault.path and isinstance(fault.path[-1], int):
        name = f"entry {name} of {fault.path[-2]}"
    return f"{name} is {shown(fault.value)}; {allowed(fault)}"


def _owner(resource: SchemaFacts, fault: Fault) -> str:
    """What a fault is of, as a reader of the place calls it."""
    names = [str(each) for each in fault.path if isinstance(each, str)]
    return names[-1] if names else resource.schema.type_name


def _where(resource: SchemaFacts, fault: Fault) -> Where:
    """The place as it is written: entries before it may have been left out."""
    here = resource.properties
    for key in fault.path:
        entry = list(here.items())[key : key + 1] if isinstance(key, int) else []
        here = entry[0] if entry else here.get(str(key))
    return here.where


def _hint(resource: SchemaFacts, fault: Fault) -> str:
    near, known = _meant(resource, fault), _known(resource, fault)
    if near is not None:
        return f"did you mean {near}?"
    if "patternProperties" in fault.schema:
        return f"names here must match {some_of([*fault.schema['patternProperties']])}"
    return f"it has {some_of(known)}" if known else "remove it"


def _meant(resource: SchemaFacts, fault: Fault) -> str | None:
    """The member that a misspelt one was to be, of those that are not there."""
    absent = [name for name in _known(resource, fault) if name not in fault.value]
    return nearest(fault.names[0], absent)


def _lacks(fault: Fault) -> bool:
    return all(each.keyword == "required" for some in fault.alternatives for each in some)


def _known(resource: SchemaFacts, fault: Fault) -> list[str]:
    read_only = () if fault.path else resource.schema.read_only
    return [name for name in fault.schema.get("properties") or () if name not in read_only]

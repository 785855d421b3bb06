"""Rules on a template's resources by the schemas of their types, whatever service they are of.

Where a rule of this project has said something of the same place, these say nothing
(`rules.check`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from local_aws.schemas import Fault, format_in_words
from local_aws.suggest import nearest
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts.template import SchemaFacts

_SCHEMA = "CloudFormation's resource schemas in cfn-lint"
_ADDED = "what cfn-lint adds to CloudFormation's resource schemas"

_UNKNOWN = ("additionalProperties", "propertyNames", "readOnly")
_ADDED_KEYWORDS = (
    *("requiredXor", "requiredOr", "dependentRequired", "dependentExcluded", "uniqueKeys"),
    *("maxUniqueItems", "format", "not", "false"),
)


@rule(source=_SCHEMA, example="{Type: AWS::IAM::Role, Properties: {}}")
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


@rule(source=_SCHEMA, example="{Type: AWS::S3::Bucket, Properties: {Name: a}}")
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


@warning(
    source="aws-cloudformation/cloudformation-resource-schema, README on readOnlyProperties and "
    "issue 102, which is open",
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


@rule(source=_SCHEMA, example="{MemorySize: large}")
def schema_type(resource: SchemaFacts) -> Iterator[Finding]:
    """A value is of the type that its type's schema says: text, a number, a list, a mapping.

    CloudFormation refuses others. Text may stand for numbers and truth values, and they for text.
    """
    for fault in resource.faults:
        if fault.keyword == "type":
            yield _where(resource, fault), _wrong(fault)


@rule(source=_SCHEMA, example="{BucketName: My_Bucket}")
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
the templates of benchmarks/wrong have."""


@rule(
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
            yield fact.finding(f"{name} is {shown(said)}; it must {wanted}")


@warning(source=_ADDED, example="{Type: AWS::Events::Rule, Properties: {Name: hourly}}")
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
    return resource.properties.inside(fault.path).where


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


_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "a mapping",
    "array": "a list",
    "null": "null",
}
_LISTED = 15
"""How many names are told."""


def shown(value: Any) -> str:
    """A value in a sentence: what is large by its kind alone."""
    match value:
        case dict():
            return f"a mapping of {len(value)}"
        case list():
            return f"a list of {len(value)}"
        case None:
            return "null"
        case str() if len(value) > 60:
            return f"{value[:50]!r}… of {len(value)} characters"
        case _:
            return repr(value)


def allowed(fault: Fault) -> str:
    """What the schema wants in the place of a fault's value, and what to do."""
    schema, keyword = fault.schema, fault.keyword
    limit = schema.get(keyword)
    match keyword:
        case "type":
            kinds = limit if isinstance(limit, list) else [limit]
            return f"it must be {' or '.join(_TYPES[str(kind)] for kind in kinds)}"
        case "enum":
            return _one_of(fault.value, schema.get("enum", schema.get("enumCaseInsensitive", ())))
        case "const":
            return f"it must be {limit}"
        case "pattern":
            pattern = str(limit)
            return f"it must match {pattern if len(pattern) <= 150 else f'{pattern[:140]}…'}"
        case "format":
            return f"it must be {format_in_words(str(limit))}"
        case "minLength" | "maxLength" | "minItems" | "maxItems":
            what = "characters" if keyword.endswith("Length") else "entries"
            least, most = (f"{end}{keyword[3:]}" for end in ("min", "max"))
            return f"it must have {_between(schema.get(least), schema.get(most))} {what}"
        case "minProperties" | "maxProperties":
            both = schema.get("minProperties"), schema.get("maxProperties")
            return f"it must have {_between(*both)} members"
        case "minimum" | "maximum":
            return f"it must be {_between(schema.get('minimum'), schema.get('maximum'))}"
        case "exclusiveMinimum" | "exclusiveMaximum":
            return f"it must be {'more' if keyword.endswith('Minimum') else 'less'} than {limit}"
        case "multipleOf":
            return f"it must be a multiple of {limit}"
        case "uniqueItems":
            return "no entry may be there twice; remove the second"
        case "oneOf" if not fault.alternatives:
            return "it has members of several forms that exclude each other; keep those of one"
        case _:
            return f"the schema's {keyword} does not allow it"


def some_of(names: Sequence[str]) -> str:
    """Names after one another, of many the first."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _between(least: Any, most: Any) -> str:
    if least in (None, 0) or most is None:
        return f"at least {least}" if most is None else f"at most {most}"
    return f"exactly {least}" if least == most else f"{least} to {most}"


def _one_of(value: Any, choices: Sequence[Any]) -> str:
    texts = [str(each) for each in choices]
    alike = {text.lower(): text for text in texts}
    near = alike.get(str(value).lower()) or nearest(str(value), texts)
    if near is not None and len(texts) > _LISTED:
        return f"did you mean {near}?"
    meant = f"; did you mean {near}?" if near is not None else ""
    return f"it must be {texts[0]}" if len(texts) == 1 else f"it must be of {some_of(texts)}{meant}"

"""Rules on a template's functions: which there are, where they may stand, what they take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.suggest import nearest
from local_aws.template import FUNCTIONS, Evaluator, Names, TemplateError, function_name
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts.template import TemplateFacts

_REFERENCE = "AWS CloudFormation template reference, intrinsic functions"
_SECTIONS = "AWS CloudFormation user guide, template sections"

_FUNCTIONS = frozenset(
    f"Fn::{name}"
    for name in (
        *("Base64", "Cidr", "FindInMap", "GetAtt", "GetAZs", "If", "ImportValue", "Join"),
        *("Select", "Split", "Sub", "Transform", "And", "Equals", "Not", "Or"),
        *("Contains", "EachMemberEquals", "EachMemberIn", "RefAll", "ValueOf", "ValueOfAll"),
        "GetStackOutput",
    )
)
_EXTENDED = frozenset({"Fn::Length", "Fn::ToJsonString", "Fn::ForEach"})
"""Those that the transform AWS::LanguageExtensions alone has."""
_IN_CONDITIONS = frozenset(
    {
        *("Ref", "Fn::And", "Fn::Equals", "Fn::Not", "Fn::Or", "Fn::FindInMap", "Fn::Sub"),
        *("Fn::Join", "Fn::Select", "Fn::Split", "Fn::Length", "Fn::ToJsonString", "Fn::If"),
        "Fn::ForEach",
    }
)


@rule(source=_REFERENCE, example="Fn::Substitute: …")
def template_function(template: TemplateFacts) -> Iterator[Finding]:
    """A function is one that CloudFormation has, where it may stand.

    CloudFormation refuses the template.
    """
    loops = [
        (declared.where, name)
        for section in template.sections.values()
        for name, declared in section.items()
        if name.startswith("Fn::ForEach")
    ]
    called = [(where, name) for where, name, _ in template.functions]
    packed = any(name.startswith(("Fn::Rain", "Fn::Transform")) for _, name in called)
    plain = not packed and not template.document.get("Transform").given
    for where, name in (*loops, *called):
        bare = "::".join(name.split("::")[:2])
        if bare in _EXTENDED and plain:
            yield where, f"{bare} needs Transform: AWS::LanguageExtensions; add it"
        elif bare != "Ref" and bare not in _FUNCTIONS | _EXTENDED:
            if template.macros:
                continue
            near = nearest(bare, _FUNCTIONS | _EXTENDED)
            meant = f"; did you mean {near}?" if near else f"; choose of {', '.join(_FUNCTIONS)}"
            yield where, f"CloudFormation has no function {name}{meant}"
        elif where.path[:1] == ("Conditions",) and bare not in _IN_CONDITIONS:
            yield (
                where,
                f"{name} may not stand in a condition; conditions compare parameters and mappings",
            )


@rule(source=_REFERENCE, example="!Select [2, [a, b]]")
def template_argument(template: TemplateFacts) -> Iterator[Finding]:
    """A function has the arguments that it takes.

    CloudFormation refuses the template, or the deploy. What only the deploy knows passes unjudged,
    and so do templates with macros.
    """
    named = (each.name for each in template.mentions if each.function in ("Condition", "Fn::If"))
    open_ones = {name: {"Ref": name} for name in (*template.sections["Conditions"], *named)}
    evaluator = Evaluator(Names({}), mappings={}, conditions=open_ones, tolerant=True)
    for where, name, argument in template.functions:
        if template.macros or name not in FUNCTIONS or _is_packed(argument):
            continue
        counts, needed = _COUNTED.get(name, ((), ""))
        try:
            if not counts:
                evaluator.work_out(name, argument)
            elif not isinstance(argument, list) or len(argument) not in counts:
                raise TemplateError(f"every {name} object requires {needed}")
        except TemplateError as error:
            said = str(error).removeprefix("Template error: ").rstrip(".")
            yield where, f"{name} cannot be worked out: {said}"


_COUNTED = {
    "Fn::If": ((3,), "a condition and two values"),
    "Fn::FindInMap": ((3, 4), "a map and two keys"),
}
"""Functions of which the number of arguments alone is judged here: template-condition and
template-mapping judge the names."""


@rule(source=_SECTIONS, example="Conditions: {IsProd: !Ref Stage}")
def template_boolean(template: TemplateFacts) -> Iterator[Finding]:
    """A condition is a function that gives true or false, and does not need itself.

    CloudFormation refuses the template.
    """
    for name, declared in template.sections["Conditions"].items():
        if template.macros or name.startswith("Fn::"):
            continue
        value = declared.value
        called = function_name(value)
        is_other = isinstance(value, Mapping) and set(value) == {"Condition"}
        if called not in _BOOLEAN and not is_other:
            said = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:57]}..."
            yield declared.finding(
                f"the condition {name} is {said}; it must be Fn::And, Fn::Equals, Fn::Not, Fn::Or "
                "or another condition"
            )
        elif name in _conditions_of(value, template, set()):
            yield declared.finding(f"the condition {name} needs itself; take that reference away")


_BOOLEAN = ("Fn::And", "Fn::Equals", "Fn::Not", "Fn::Or", "Fn::Contains", "Fn::If")


def _conditions_of(value: Any, template: TemplateFacts, seen: set[str]) -> set[str]:
    """The conditions that one needs, others between them."""
    if isinstance(value, list):
        for each in value:
            _conditions_of(each, template, seen)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key == "Condition" and isinstance(inner, str) and inner not in seen:
                seen.add(inner)
                declared = template.sections["Conditions"].get(inner)
                _conditions_of(declared.value if declared else None, template, seen)
            _conditions_of(inner, template, seen)
    return seen


def _is_packed(argument: Any) -> bool:
    """Whether a preprocessor replaces a part of it: ``{"Rain::Embed": "code.py"}``."""
    if isinstance(argument, list):
        return any(map(_is_packed, argument))
    if not isinstance(argument, Mapping):
        return False
    own = [
        key for key in argument if "::" in str(key) and not str(key).startswith(("Fn::", "AWS::"))
    ]
    return bool(own) or any(map(_is_packed, argument.values()))

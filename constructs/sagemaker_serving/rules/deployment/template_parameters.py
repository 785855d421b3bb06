"""Rules on a template's parameters: their types, attributes, defaults and allowed values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.suggest import did_you_mean
from local_aws.template import TemplateError, as_text, broken, is_ssm_value
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.template import TemplateFacts

_SOURCE = "AWS CloudFormation user guide, Parameters syntax, supplied parameter types and quotas"
_OF_AWS = (
    r"AWS::EC2::(AvailabilityZone::Name|(Image|Instance|Subnet|Volume|VPC)::Id|KeyPair::KeyName"
    r"|SecurityGroup::(Id|GroupName))|AWS::Route53::HostedZone::Id|AWS::SSM::Parameter::Name"
)
_PLAIN = rf"String|Number|CommaDelimitedList|{_OF_AWS}|List<(String|Number|{_OF_AWS})>"
_TYPES = re.compile(rf"{_PLAIN}|AWS::SSM::Parameter::Value<({_PLAIN})>")
_ATTRIBUTES = (
    *("Type", "Default", "Description", "NoEcho", "AllowedValues", "AllowedPattern"),
    *("ConstraintDescription", "MinLength", "MaxLength", "MinValue", "MaxValue"),
)
_BOUNDS = (("MinLength", "MaxLength"), ("MinValue", "MaxValue"))


@rule(source=_SOURCE, example="{Type: Text, Default: a}")
def template_parameter(template: TemplateFacts) -> Iterator[Finding]:
    """A parameter has a type that there is, and takes its own default and allowed values.

    CloudFormation refuses the template, or each deploy that leaves the default or chooses the
    value. A pattern that Python does not read passes unjudged.
    """
    for parameter in template.sections["Parameters"].values():
        kind, default = parameter.get("Type"), parameter.get("Default")
        if kind.text is None or not _TYPES.fullmatch(kind.text):
            shown = repr(kind.value) if kind.given else "absent"
            yield kind.finding(
                f"the parameter's Type is {shown}; it must be String, Number, List<Number>, "
                "CommaDelimitedList, or AWS's own such as AWS::SSM::Parameter::Value<String>"
            )
            continue
        if is_ssm_value(kind.text):
            continue
        declared = {name: fact.value for name, fact in parameter.entries() if name != "Default"}
        choosable = {**declared, "AllowedValues": None}
        for written in parameter.get("AllowedValues").items():
            yield from _refused(written, "an allowed value", choosable)
        yield from _refused(default, "Default", declared)


@rule(source=_SOURCE, example="{Type: String, AllowedValue: [a]}")
def template_parameter_form(template: TemplateFacts) -> Iterator[Finding]:
    """A parameter's attributes are CloudFormation's, each with a value of its kind.

    Values are text or numbers, never functions; a default has at most 4,096 bytes and a description
    4,000. CloudFormation refuses the template.
    """
    for name, parameter in template.sections["Parameters"].items():
        if name.startswith("Fn::"):
            continue
        for key, given in parameter.entries():
            if key not in _ATTRIBUTES:
                meant = did_you_mean(key, _ATTRIBUTES, "?") or f"it has {', '.join(_ATTRIBUTES)}"
                yield given.finding(f"a parameter has no attribute {key!r}; {meant}")
            elif key == "AllowedValues":
                if not isinstance(given.value, list) or not given.value:
                    yield given.finding("AllowedValues must be a list of one value or more")
            elif not isinstance(given.value, str | int | float):
                yield given.says(f"is {given.value!r}; it must be text or a number")
            elif key == "NoEcho" and given.flag is None:
                yield given.says(f"is {given.value!r}; it must be true or false")
        for name, limit in (("Default", 4096), ("Description", 4000)):
            size = len((parameter.get(name).text or "").encode())
            if size > limit:
                yield parameter.get(name).says(f"has {size} bytes; at most {limit} are allowed")
        for least, most in _BOUNDS:
            low, high = (_number(parameter.get(name).value) for name in (least, most))
            for name, number in ((least, low), (most, high)):
                given = parameter.get(name)
                if number is None and isinstance(given.value, str | int | float):
                    yield given.says(f"is {given.value!r}; it must be a number")
            if low is not None and high is not None and low > high:
                yield parameter.get(most).says(
                    f"is {high:g}, below {least}, {low:g}; no value is right; correct one"
                )


def _number(value: Any) -> float | None:
    try:
        return float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        return None


def _refused(written: Fact, name: str, declared: Mapping[str, Any]) -> Iterator[Finding]:
    """What a value breaks of a declaration, as far as that is one."""
    if not isinstance(written.value, str | int | float):
        return
    text = as_text(written.value)
    try:
        said = next(broken(declared, text), None)
    except (TemplateError, ValueError, TypeError):
        return
    if said is not None:
        yield written.finding(f"{name} is {text!r}; it {said.rstrip('.')}")

"""A template's parameters: what was given, what was kept, what SSM holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local_aws.services.cloudformation.engine.refusals import refuse, validation_error
from local_aws.services.cloudformation.engine.template import Template
from local_aws.template import Unknown, as_text, is_ssm_value, referenced, refusals

_UNKNOWN = str(Unknown())
"""A nested stack's value that only its parent's deployment will know."""

MASK = "****"
"""What is shown of a NoEcho parameter's value."""

FetchSsm = Callable[[Sequence[str]], Mapping[str, str]]
"""SSM parameters' values by name; the names that do not exist are absent."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a stack: its value as given and, for SSM types, as resolved."""

    key: str
    value: str
    resolved_value: str | None = None
    no_echo: bool = False
    type: str = "String"

    @property
    def reference(self) -> Any:
        """What ``Ref`` gives: text, or a list of texts for the list types."""
        if self.value == _UNKNOWN:
            return Unknown(self.key)
        text = self.value if self.resolved_value is None else self.resolved_value
        return referenced(self.type, text)

    @property
    def shown(self) -> str:
        """The value as DescribeStacks shows it."""
        return MASK if self.no_echo else self.value


def resolve(
    template: Template,
    given: Sequence[Mapping[str, Any]],
    previous: Mapping[str, Parameter],
    fetch_ssm: FetchSsm,
) -> dict[str, Parameter]:
    """The value of every declared parameter.

    ``given`` are the request's entries (ParameterKey with ParameterValue or
    UsePreviousValue); ``previous`` are the stack's own. A parameter that is not given
    takes its default. Raises AwsError ``ValidationError`` naming every parameter that has
    no value, is not declared, or breaks its constraints.
    """
    entries = {entry["ParameterKey"]: entry for entry in given}
    undeclared = [key for key in entries if key not in template.parameters]
    if undeclared:
        raise validation_error(
            f"Parameters: [{', '.join(undeclared)}] do not exist in the template"
        )
    values = {
        key: _value(key, declared, entries.get(key), previous)
        for key, declared in template.parameters.items()
    }
    missing = [key for key, value in values.items() if value is None]
    if missing:
        raise validation_error(f"Parameters: [{', '.join(missing)}] must have values")
    found = {key: value for key, value in values.items() if value is not None}
    refuse(
        problem
        for key, value in found.items()
        if value != _UNKNOWN
        for problem in refusals(key, template.parameters[key], value)
    )
    resolved = _resolve_ssm(template, found, fetch_ssm)
    return {
        key: Parameter(
            key,
            value,
            resolved.get(key),
            as_text(template.parameters[key].get("NoEcho", False)) == "true",
            template.parameters[key].get("Type", "String"),
        )
        for key, value in found.items()
    }


def _value(
    key: str,
    declared: Mapping[str, Any],
    entry: Mapping[str, Any] | None,
    previous: Mapping[str, Parameter],
) -> str | None:
    if entry is not None and entry.get("UsePreviousValue"):
        if key in previous:
            return previous[key].value
        raise validation_error(
            f"Invalid input for parameter key {key}. Cannot specify usePreviousValue as true for "
            "a parameter key not in the previous template"
        )
    if entry is not None and "ParameterValue" in entry:
        return str(entry["ParameterValue"])
    default = declared.get("Default")
    return None if default is None else as_text(default)


def _resolve_ssm(
    template: Template, values: Mapping[str, str], fetch_ssm: FetchSsm
) -> dict[str, str]:
    names = {
        key: value
        for key, value in values.items()
        if is_ssm_value(template.parameters[key].get("Type", ""))
    }
    if not names:
        return {}
    found = fetch_ssm(sorted(set(names.values())))
    refuse(
        f"Parameter {key} should either have input value or default value"
        for key, name in names.items()
        if name not in found
    )
    return {key: found[name] for key, name in names.items()}

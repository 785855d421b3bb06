"""Intrinsic functions: a template's values, evaluated.

An `Evaluator` knows the parameters, mappings and conditions; what a resource
refers to by ``Ref`` and ``Fn::GetAtt`` it asks its `References`. A value that is
not known yet (a change set is planned before anything is made) is `UNKNOWN` and
makes everything built from it unknown, without touching its neighbours.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from local_aws.template.refusals import validation_error
from local_aws.template.template import Template
from local_aws.template.values import NO_VALUE, UNKNOWN, as_text, has_unknown, same

SUBSTITUTION = re.compile(r"\$\{([^!{}][^{}]*)\}")
_LITERAL = re.compile(r"\$\{!([^{}]*)\}")


class References(Protocol):
    """What a template's own resources answer."""

    def ref(self, logical_id: str) -> Any:
        """The resource's Ref value."""

    def attribute(self, logical_id: str, name: str) -> Any:
        """The resource's attribute ``name``."""


class NoReferences:
    """Where resources may not be referred to: conditions and rules."""

    def ref(self, logical_id: str) -> Any:
        """Refuse: conditions and rules see parameters only."""
        raise validation_error(
            f"Template format error: Unresolved dependencies [{logical_id}]. "
            "Cannot reference resources in the Conditions block of the template"
        )

    def attribute(self, logical_id: str, name: str) -> Any:
        """Refuse: conditions and rules see parameters only."""
        return self.ref(logical_id)


@dataclass(frozen=True)
class Surroundings:
    """Where a template is evaluated: its stack, region, account."""

    stack_name: str
    stack_id: str
    region: str
    account_id: str
    notification_arns: tuple[str, ...] = ()

    def pseudo_parameters(self) -> dict[str, Any]:
        """The ``AWS::…`` parameters by name."""
        china = self.region.startswith("cn-")
        gov = self.region.startswith("us-gov-")
        return {
            "AWS::AccountId": self.account_id,
            "AWS::NoValue": NO_VALUE,
            "AWS::NotificationARNs": list(self.notification_arns),
            "AWS::Partition": "aws-cn" if china else "aws-us-gov" if gov else "aws",
            "AWS::Region": self.region,
            "AWS::StackId": self.stack_id,
            "AWS::StackName": self.stack_name,
            "AWS::URLSuffix": "amazonaws.com.cn" if china else "amazonaws.com",
        }


class Evaluator:
    """Evaluates one template's values for one set of parameters.

    ``parameters`` are the resolved values by name; ``references`` answers for the
    template's resources; ``import_value`` gives another stack's export by name.
    Every failure is an AwsError ``ValidationError`` in CloudFormation's words.
    """

    def __init__(
        self,
        template: Template,
        parameters: Mapping[str, Any],
        surroundings: Surroundings,
        references: References,
        import_value: Callable[[str], Any],
    ) -> None:
        self._template = template
        self._values = {**surroundings.pseudo_parameters(), **parameters}
        self._region = surroundings.region
        self._references = references
        self._import_value = import_value
        self._conditions: dict[str, bool] = {}
        self._judging: list[str] = []

    def evaluate(self, value: Any) -> Any:
        """``value`` with every function in it replaced by its result."""
        if isinstance(value, list):
            items = [self.evaluate(item) for item in value]
            return [item for item in items if item is not NO_VALUE]
        if not isinstance(value, dict):
            return value
        name = function_name(value)
        if name is not None:
            return self._call(name, value[name])
        evaluated = {key: self.evaluate(item) for key, item in value.items()}
        return {key: item for key, item in evaluated.items() if item is not NO_VALUE}

    def condition(self, name: str) -> bool:
        """Whether the named condition holds."""
        if name not in self._conditions:
            if name not in self._template.conditions:
                raise validation_error(
                    f"Template format error: Unresolved condition dependency {name}"
                )
            if name in self._judging:
                raise validation_error(
                    f"Template format error: Circular dependency between conditions: [{name}]"
                )
            self._judging.append(name)
            try:
                self._conditions[name] = self.holds(self._template.conditions[name])
            finally:
                self._judging.pop()
        return self._conditions[name]

    def holds(self, expression: Any) -> bool:
        """Whether a condition or assertion is true."""
        if isinstance(expression, dict) and set(expression) == {"Condition"}:
            return self.condition(expression["Condition"])
        result = self.evaluate(expression)
        if isinstance(result, bool):
            return result
        if result in ("true", "false"):
            return bool(result == "true")
        raise validation_error(
            "Template validation error: Template error: every condition must be a function that "
            f"gives true or false, not {result!r}"
        )

    def _call(self, name: str, argument: Any) -> Any:
        if name == "Ref":
            return self._ref(argument)
        function = _FUNCTIONS.get(name)
        if function is None:
            raise validation_error(
                f"Template error: {name} is not a function of the local AWS; it has "
                f"{', '.join(sorted(_FUNCTIONS))} and Ref"
            )
        return function(self, argument)

    def _ref(self, name: Any) -> Any:
        if not isinstance(name, str):
            raise _malformed("Ref", "a string")
        return self._values[name] if name in self._values else self._references.ref(name)

    def _get_att(self, argument: Any) -> Any:
        logical_id, attribute = attribute_reference(argument)
        name = self.evaluate(attribute)
        return UNKNOWN if name is UNKNOWN else self._references.attribute(logical_id, name)

    def _join(self, argument: Any) -> Any:
        delimiter, items = self._arguments("Fn::Join", argument, 2)
        if items is UNKNOWN:
            return UNKNOWN
        if not isinstance(delimiter, str) or not isinstance(items, list):
            raise _malformed("Fn::Join", "a delimiter and a list")
        return UNKNOWN if UNKNOWN in items else delimiter.join(as_text(item) for item in items)

    def _sub(self, argument: Any) -> Any:
        text, variables = argument if isinstance(argument, list) else (argument, {})
        if not isinstance(text, str) or not isinstance(variables, dict):
            raise _malformed("Fn::Sub", "a string, or a string and a map of variables")
        values = {name: self.evaluate(value) for name, value in variables.items()}
        found: list[Any] = []

        def replaced(match: re.Match[str]) -> str:
            name = match.group(1).strip()
            value = values[name] if name in values else self._substitute(name)
            found.append(value)
            return as_text(value)

        result = _LITERAL.sub(r"${\1}", SUBSTITUTION.sub(replaced, text))
        return UNKNOWN if UNKNOWN in found else result

    def _substitute(self, name: str) -> Any:
        logical_id, dot, attribute = name.partition(".")
        return self._get_att([logical_id, attribute]) if dot else self._ref(name)

    def _select(self, argument: Any) -> Any:
        index, items = self._arguments("Fn::Select", argument, 2)
        if UNKNOWN in (index, items):
            return UNKNOWN
        if not isinstance(items, list) or not str(index).isdigit():
            raise _malformed("Fn::Select", "an index and a list")
        if int(index) >= len(items):
            raise validation_error(
                f"Template error: Fn::Select cannot select nonexistent value at index {index}"
            )
        return items[int(index)]

    def _split(self, argument: Any) -> Any:
        delimiter, text = self._arguments("Fn::Split", argument, 2)
        if text is UNKNOWN:
            return UNKNOWN
        if not isinstance(delimiter, str) or not isinstance(text, str):
            raise _malformed("Fn::Split", "a delimiter and a string")
        return text.split(delimiter)

    def _find_in_map(self, argument: Any) -> Any:
        arguments = self.evaluate(argument)
        if not isinstance(arguments, list) or len(arguments) not in (3, 4):
            raise _malformed("Fn::FindInMap", "a map name and two keys")
        if UNKNOWN in arguments[:3]:
            return UNKNOWN
        name, first, second = arguments[:3]
        try:
            return self.evaluate(self._template.mappings[name][as_text(first)][as_text(second)])
        except (KeyError, TypeError):
            if len(arguments) == 4 and "DefaultValue" in arguments[3]:
                return arguments[3]["DefaultValue"]
            raise validation_error(
                f"Template error: Unable to get mapping for {name}::{first}::{second}"
            ) from None

    def _if(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 3:
            raise _malformed("Fn::If", "a condition and two values")
        name, yes, no = argument
        holds = self.condition(name) if isinstance(name, str) else self.holds(name)
        return self.evaluate(yes if holds else no)

    def _equals(self, argument: Any) -> bool:
        left, right = self._arguments("Fn::Equals", argument, 2)
        return same(left, right)

    def _and(self, argument: Any) -> bool:
        return all(self.holds(item) for item in _several("Fn::And", argument))

    def _or(self, argument: Any) -> bool:
        return any(self.holds(item) for item in _several("Fn::Or", argument))

    def _not(self, argument: Any) -> bool:
        if not isinstance(argument, list) or len(argument) != 1:
            raise _malformed("Fn::Not", "a list of one condition")
        return not self.holds(argument[0])

    def _base64(self, argument: Any) -> Any:
        text = self.evaluate(argument)
        return text if text is UNKNOWN else base64.b64encode(as_text(text).encode()).decode()

    def _get_azs(self, argument: Any) -> list[str]:
        region = self.evaluate(argument) or self._region
        return [f"{region}{zone}" for zone in "abc"]

    def _cidr(self, argument: Any) -> Any:
        block, count, bits, *_ = [*self._arguments("Fn::Cidr", argument, 2, 3), None]
        if UNKNOWN in (block, count, bits):
            return UNKNOWN
        try:
            network = ipaddress.ip_network(block)
            prefix = network.max_prefixlen - (int(bits) if bits is not None else 8)
            subnets = [str(net) for net in islice(network.subnets(new_prefix=prefix), int(count))]
        except (TypeError, ValueError) as error:
            raise validation_error(f"Template error: Fn::Cidr: {error}") from None
        if len(subnets) < int(count):
            raise validation_error(f"Template error: Fn::Cidr: {block} has not {count} subnets")
        return subnets

    def _import(self, argument: Any) -> Any:
        name = self.evaluate(argument)
        return name if name is UNKNOWN else self._import_value(as_text(name))

    def _contains(self, argument: Any) -> bool:
        items, wanted = self._arguments("Fn::Contains", argument, 2)
        return any(same(item, wanted) for item in items)

    def _each_equals(self, argument: Any) -> bool:
        items, wanted = self._arguments("Fn::EachMemberEquals", argument, 2)
        return all(same(item, wanted) for item in items)

    def _each_in(self, argument: Any) -> bool:
        items, allowed = self._arguments("Fn::EachMemberIn", argument, 2)
        return all(any(same(item, other) for other in allowed) for item in items)

    def _length(self, argument: Any) -> Any:
        items = self.evaluate(argument)
        return items if items is UNKNOWN else len(items)

    def _to_json(self, argument: Any) -> Any:
        value = self.evaluate(argument)
        return UNKNOWN if has_unknown(value) else json.dumps(value, separators=(",", ":"))

    def _arguments(self, name: str, argument: Any, *counts: int) -> list[Any]:
        if not isinstance(argument, list) or len(argument) not in counts:
            raise _malformed(name, f"a list of {' or '.join(map(str, counts))}")
        return [self.evaluate(item) for item in argument]


_FUNCTIONS: dict[str, Callable[[Evaluator, Any], Any]] = {
    "Fn::And": Evaluator._and,
    "Fn::Base64": Evaluator._base64,
    "Fn::Cidr": Evaluator._cidr,
    "Fn::Contains": Evaluator._contains,
    "Fn::EachMemberEquals": Evaluator._each_equals,
    "Fn::EachMemberIn": Evaluator._each_in,
    "Fn::Equals": Evaluator._equals,
    "Fn::FindInMap": Evaluator._find_in_map,
    "Fn::GetAZs": Evaluator._get_azs,
    "Fn::GetAtt": Evaluator._get_att,
    "Fn::If": Evaluator._if,
    "Fn::ImportValue": Evaluator._import,
    "Fn::Join": Evaluator._join,
    "Fn::Length": Evaluator._length,
    "Fn::Not": Evaluator._not,
    "Fn::Or": Evaluator._or,
    "Fn::Select": Evaluator._select,
    "Fn::Split": Evaluator._split,
    "Fn::Sub": Evaluator._sub,
    "Fn::ToJsonString": Evaluator._to_json,
}

SUPPORTED_FUNCTIONS = frozenset({*_FUNCTIONS, "Ref"})
"""Every function a template may use here."""


def function_name(value: Any) -> str | None:
    """The function that an object calls, or None when it is plain data."""
    if not isinstance(value, dict) or len(value) != 1:
        return None
    (name,) = value
    return name if name == "Ref" or str(name).startswith("Fn::") else None


def attribute_reference(argument: Any) -> tuple[str, Any]:
    """The logical id and attribute of a ``Fn::GetAtt``, in its list or dotted form."""
    if isinstance(argument, str) and "." in argument:
        logical_id, attribute = argument.split(".", 1)
        return logical_id, attribute
    if isinstance(argument, list) and len(argument) >= 2 and isinstance(argument[0], str):
        rest = argument[1:]
        joined = ".".join(rest) if all(isinstance(part, str) for part in rest) else rest[0]
        return argument[0], joined
    raise _malformed("Fn::GetAtt", "a logical id and an attribute")


def _several(name: str, argument: Any) -> list[Any]:
    if not isinstance(argument, list) or not 2 <= len(argument) <= 10:
        raise _malformed(name, "a list of 2 to 10 conditions")
    return argument


def _malformed(name: str, wanted: str) -> Exception:
    return validation_error(f"Template error: every {name} object requires {wanted}")

"""Intrinsic functions: a template's values, evaluated.

An `Evaluator` knows a template's mappings and conditions; for every other name it asks the
caller's `Names`. A value that is not known (a change set is planned before anything is made, a
template is judged before it is deployed) is an `Unknown` and makes everything built from it
unknown, without touching its neighbours.
"""

from __future__ import annotations

import base64
import ipaddress
import json
from collections.abc import Callable, Mapping
from copy import copy
from itertools import islice
from typing import Any

from local_aws.template.syntax import (
    PLACEHOLDER,
    attribute_reference,
    function_name,
    malformed,
    substitution,
    unresolved_condition,
)
from local_aws.template.values import (
    NO_VALUE,
    TemplateError,
    Unknown,
    as_text,
    has_unknown,
    joined,
    same,
)


class Names:
    """What a reader of a template knows: ``values`` of parameters; all else is `Unknown`.

    Who knows more answers more, in a class of its own, or raises its own error.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def ref(self, name: str) -> Any:
        """What ``Ref`` gives for a parameter, pseudo parameter or resource."""
        return self._values[name] if name in self._values else Unknown(name, source=name)

    def attribute(self, logical_id: str, name: str) -> Any:
        """The resource's attribute ``name``."""
        return Unknown(logical_id, source=f"{logical_id}.{name}")

    def imported(self, name: str) -> Any:
        """What another stack exports as ``name``."""
        return Unknown()

    def zones(self, region: str) -> Any:
        """The names of a region's availability zones, which each account has its own of."""
        return Unknown()

    def equal(self, compared: list[Any]) -> bool | Unknown:
        """Whether the two values of an ``Fn::Equals`` are the same, of which one is not known."""
        return Unknown()


class Evaluator:
    """Evaluates one template's values for one set of names.

    Raises `TemplateError`, in CloudFormation's words, for what cannot be worked out. When
    ``tolerant``, a function that cannot be is `Unknown` instead.
    """

    def __init__(
        self,
        names: Names,
        *,
        mappings: Mapping[str, Any],
        conditions: Mapping[str, Any],
        tolerant: bool = False,
    ) -> None:
        self._names = names
        self._mappings = mappings
        self._expressions = conditions
        self._tolerant = tolerant
        self._conditions: dict[str, bool | Unknown] = {}
        self._assumed: dict[str, bool | Unknown] = {}
        self._judging: tuple[str, ...] = ()

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
        evaluated = {str(key): self.evaluate(item) for key, item in value.items()}
        return {key: item for key, item in evaluated.items() if item is not NO_VALUE}

    def condition(self, name: str) -> bool | Unknown:
        """Whether the named condition holds."""
        if name not in self._conditions:
            if name not in self._expressions:
                raise unresolved_condition(name)
            if name in self._judging:
                raise TemplateError(
                    f"Template format error: Circular dependency between conditions: [{name}]"
                )
            # A list of one's own: resources that are made at once ask for the same conditions.
            within = copy(self)
            within._judging = (*self._judging, name)
            self._conditions[name] = within.holds(self._expressions[name])
        return self._conditions[name]

    def assuming(self, name: Any, holds: bool) -> Evaluator:
        """One that only looks whether values could be: the named condition is taken for that."""
        other = copy(self)
        other._tolerant = True
        other._assumed = {**self._assumed, **({name: holds} if isinstance(name, str) else {})}
        other._conditions = dict(other._assumed)
        return other

    def holds(self, expression: Any) -> bool | Unknown:
        """Whether a condition or assertion is true."""
        if isinstance(expression, dict) and set(expression) == {"Condition"}:
            return self.condition(str(expression["Condition"]))
        result = self.evaluate(expression)
        if isinstance(result, bool | Unknown):
            return result
        if result in ("true", "false"):
            return bool(result == "true")
        raise TemplateError(
            "Template validation error: Template error: every condition must be a function that "
            f"gives true or false, not {result!r}"
        )

    def work_out(self, name: str, argument: Any) -> Any:
        """The value of one function.

        Raises `TemplateError` where it cannot be worked out, even when ``tolerant``; functions in
        its argument may be unknown then.
        """
        return _FUNCTIONS[name](self, argument)

    def _call(self, name: str, argument: Any) -> Any:
        try:
            if name not in _FUNCTIONS:
                raise TemplateError(
                    f"Template error: {name} is not a function of the local AWS; it has "
                    f"{', '.join(sorted(FUNCTIONS - {'Ref'}))} and Ref"
                )
            return self.work_out(name, argument)
        except TemplateError:
            if self._tolerant:
                return Unknown()
            raise

    def _ref(self, name: Any) -> Any:
        if not isinstance(name, str):
            raise malformed("Ref")
        # A parameter's value may be that text, too, and is none then, as recorded of AWS.
        value = name if name == "AWS::NoValue" else self._names.ref(name)
        return NO_VALUE if value == "AWS::NoValue" else value

    def _get_att(self, argument: Any) -> Any:
        logical_id, attribute = attribute_reference(argument)
        name = self.evaluate(attribute)
        if isinstance(name, Unknown):
            return Unknown(logical_id)
        return self._names.attribute(logical_id, as_text(name))

    def _join(self, argument: Any) -> Any:
        delimiter, items = self._arguments("Fn::Join", argument, 2)
        if isinstance(items, Unknown):
            return Unknown()
        if not isinstance(delimiter, str) or not isinstance(items, list):
            raise malformed("Fn::Join")
        return joined([piece for item in items for piece in (delimiter, item)][1:])

    def _sub(self, argument: Any) -> Any:
        text, variables = substitution(argument)
        values = {name: self.evaluate(value) for name, value in variables.items()}
        pieces: list[Any] = []
        end = 0
        for found in PLACEHOLDER.finditer(text):
            literal, name = found[1], found[2].strip()
            pieces.append(text[end : found.start()])
            if literal:
                pieces.append(f"${{{found[2]}}}")
            else:
                pieces.append(values[name] if name in values else self._substitute(name))
            end = found.end()
        return joined([*pieces, text[end:]])

    def _substitute(self, name: str) -> Any:
        logical_id, dot, attribute = name.partition(".")
        return self._get_att([logical_id, attribute]) if dot else self._ref(name)

    def _select(self, argument: Any) -> Any:
        index, items = self._arguments("Fn::Select", argument, 2)
        if isinstance(index, Unknown) or isinstance(items, Unknown):
            return Unknown()
        selectable = isinstance(items, list) and str(index).isdecimal()
        if not selectable or int(index) >= len(items):
            raise malformed("Fn::Select")
        return items[int(index)]

    def _split(self, argument: Any) -> Any:
        delimiter, text = self._arguments("Fn::Split", argument, 2)
        if isinstance(text, Unknown):
            return Unknown()
        if not isinstance(delimiter, str) or not isinstance(text, str) or not delimiter:
            raise malformed("Fn::Split")
        return text.split(delimiter)

    def _find_in_map(self, argument: Any) -> Any:
        arguments = self.evaluate(argument)
        if not isinstance(arguments, list) or len(arguments) not in (3, 4):
            raise malformed("Fn::FindInMap")
        if any(isinstance(each, Unknown) for each in arguments[:3]):
            return Unknown()
        name, first, second = map(as_text, arguments[:3])
        try:
            return self._mappings[name][first][second]
        except (KeyError, TypeError):
            default = arguments[3] if len(arguments) == 4 else None
            if isinstance(default, dict) and "DefaultValue" in default:
                return default["DefaultValue"]
            raise TemplateError(
                f"Template error: Unable to get mapping for {name}::{first}::{second}"
            ) from None

    def _if(self, argument: Any) -> Any:
        if not isinstance(argument, list) or len(argument) != 3:
            raise malformed("Fn::If")
        name, yes, no = argument
        holds = self.condition(name) if isinstance(name, str) else self.holds(name)
        if isinstance(holds, Unknown):
            either = (
                self.assuming(name, True).evaluate(yes),
                self.assuming(name, False).evaluate(no),
            )
            return Unknown(branches=either)
        return self.evaluate(yes if holds else no)

    def _equals(self, argument: Any) -> bool | Unknown:
        left, right = self._arguments("Fn::Equals", argument, 2)
        if has_unknown([left, right]):
            return self._names.equal(argument)
        return same(left, right)

    def _and(self, argument: Any) -> bool | Unknown:
        return self._any_is(False, "Fn::And", argument)

    def _or(self, argument: Any) -> bool | Unknown:
        return self._any_is(True, "Fn::Or", argument)

    def _any_is(self, settling: bool, name: str, argument: Any) -> bool | Unknown:
        """``settling`` when one condition is that; what is unknown could be."""
        if not isinstance(argument, list) or not 2 <= len(argument) <= 10:
            raise malformed(name)
        unknown = None
        for item in argument:
            holds = self.holds(item)
            if holds is settling:
                return settling
            unknown = holds if isinstance(holds, Unknown) else unknown
        return unknown if unknown is not None else not settling

    def _not(self, argument: Any) -> bool | Unknown:
        if not isinstance(argument, list) or len(argument) != 1:
            raise malformed("Fn::Not")
        holds = self.holds(argument[0])
        return holds if isinstance(holds, Unknown) else not holds

    def _base64(self, argument: Any) -> Any:
        text = self.evaluate(argument)
        if isinstance(text, Unknown):
            return Unknown()
        return base64.b64encode(as_text(text).encode(errors="surrogatepass")).decode()

    def _get_azs(self, argument: Any) -> Any:
        region = self.evaluate(argument) or self._ref("AWS::Region")
        return Unknown() if isinstance(region, Unknown) else self._names.zones(as_text(region))

    def _cidr(self, argument: Any) -> Any:
        block, count, bits, *_ = [*self._arguments("Fn::Cidr", argument, 2, 3), None]
        if any(isinstance(each, Unknown) for each in (block, count, bits)):
            return Unknown()
        try:
            network = ipaddress.ip_network(block)
            prefix = network.max_prefixlen - (int(bits) if bits is not None else 8)
            subnets = [str(net) for net in islice(network.subnets(new_prefix=prefix), int(count))]
        except (TypeError, ValueError) as error:
            raise TemplateError(f"Template error: Fn::Cidr: {error}") from None
        if len(subnets) < int(count):
            raise TemplateError(f"Template error: Fn::Cidr: {block} has not {count} subnets")
        return subnets

    def _import(self, argument: Any) -> Any:
        name = self.evaluate(argument)
        return Unknown() if isinstance(name, Unknown) else self._names.imported(as_text(name))

    def _contains(self, argument: Any) -> bool | Unknown:
        return self._members("Fn::Contains", argument, _has)

    def _each_equals(self, argument: Any) -> bool | Unknown:
        return self._members(
            "Fn::EachMemberEquals",
            argument,
            lambda items, wanted: all(same(item, wanted) for item in items),
        )

    def _each_in(self, argument: Any) -> bool | Unknown:
        return self._members(
            "Fn::EachMemberIn",
            argument,
            lambda items, allowed: all(_has(allowed, item) for item in items),
        )

    def _members(
        self, name: str, argument: Any, holds: Callable[[list[Any], Any], bool]
    ) -> bool | Unknown:
        items, other = self._arguments(name, argument, 2)
        if has_unknown([items, other]):
            return Unknown()
        return holds(_listed(name, items), other)

    def _length(self, argument: Any) -> Any:
        items = self.evaluate(argument)
        return Unknown() if isinstance(items, Unknown) else len(_listed("Fn::Length", items))

    def _to_json(self, argument: Any) -> Any:
        value = self.evaluate(argument)
        return (
            Unknown()
            if has_unknown(value)
            else json.dumps(value, separators=(",", ":"), default=str)
        )

    def _arguments(self, name: str, argument: Any, *counts: int) -> list[Any]:
        if not isinstance(argument, list) or len(argument) not in counts:
            raise malformed(name)
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
    "Ref": Evaluator._ref,
}

FUNCTIONS = frozenset(_FUNCTIONS)
"""Every function that is worked out."""


def _has(items: Any, wanted: Any) -> bool:
    return isinstance(items, list) and any(same(item, wanted) for item in items)


def _listed(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise malformed(name)
    return value

"""Conditions of policy statements: their operators, and what a missing key means.

Source: IAM user guide, "IAM JSON policy elements: Condition operators" and
"Single-valued vs. multivalued context keys".
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from local_aws.policies.patterns import (
    Context,
    UnknownVariable,
    filled_in,
    matches_arn,
    matches_value,
)

Test = Callable[[str, str, Context], bool]
"""Whether a policy's value fits a call's value: ``test(wanted, given, context)``."""


class UnknownOperator(ValueError):
    """A condition has an operator that IAM does not have."""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """One operator on one key, with the values that a policy gives for it.

    ``key`` is in lower case. ``quantifier`` is "", "forallvalues" or "foranyvalue".
    """

    operator: str
    key: str
    values: tuple[str, ...]
    quantifier: str = ""
    if_exists: bool = False

    @classmethod
    def parse(cls, operator: str, key: str, values: Sequence[str]) -> Condition:
        """Read ``{operator: {key: values}}``; raises `UnknownOperator`."""
        quantifier, _, name = operator.rpartition(":")
        plain = name.lower().removesuffix("ifexists")
        if plain not in _KNOWN or quantifier.lower() not in _QUANTIFIERS:
            raise UnknownOperator(
                f"'{operator}' is no condition operator; IAM has {', '.join(sorted(OPERATORS))}, "
                "each with …IfExists, ForAllValues: and ForAnyValue: too"
            )
        return cls(
            operator=plain,
            key=key.lower(),
            values=tuple(values),
            quantifier=quantifier.lower(),
            if_exists=plain != name.lower(),
        )

    def holds(self, context: Context) -> bool:
        """Whether the call is as the condition wants it."""
        given = context.get(self.key, ())
        if self.operator == "null":
            return all((not given) == (value.lower() == "true") for value in self.values)
        negated = self.operator in NEGATIONS
        if not given:
            if self.quantifier == "foranyvalue":
                return False
            return self.if_exists or negated or self.quantifier == "forallvalues"
        fits = [self._fits(value, context) != negated for value in given]
        if self.quantifier == "foranyvalue":
            return any(fits)
        return all(fits) if negated or self.quantifier else any(fits)

    def _fits(self, given: str, context: Context) -> bool:
        test = _TESTS[NEGATIONS.get(self.operator, self.operator)]
        return any(_safely(test, wanted, given, context) for wanted in self.values)


def parse_conditions(block: Mapping[str, Mapping[str, object]]) -> tuple[Condition, ...]:
    """A statement's Condition block; all of it must hold. Raises `UnknownOperator`."""
    return tuple(
        Condition.parse(operator, key, _texts(values))
        for operator, keys in block.items()
        for key, values in keys.items()
    )


def _texts(values: object) -> list[str]:
    several = values if isinstance(values, (list, tuple)) else [values]
    return [str(value).lower() if isinstance(value, bool) else str(value) for value in several]


def _safely(test: Test, wanted: str, given: str, context: Context) -> bool:
    """A value that is no number, date or address, or a variable without value, fits nothing."""
    try:
        return test(wanted, given, context)
    except (ValueError, UnknownVariable, binascii.Error):
        return False


def _equal(wanted: str, given: str, context: Context) -> bool:
    return filled_in(wanted, context) == given


def _equal_in_any_case(wanted: str, given: str, context: Context) -> bool:
    return filled_in(wanted, context).lower() == given.lower()


def _as_numbers(compare: Callable[[float, float], bool]) -> Test:
    return lambda wanted, given, _: compare(float(given), float(wanted))


def _as_times(compare: Callable[[datetime, datetime], bool]) -> Test:
    return lambda wanted, given, _: compare(_time(given), _time(wanted))


def _time(text: str) -> datetime:
    """A time in ISO 8601 or in seconds since the epoch."""
    try:
        return datetime.fromtimestamp(float(text), UTC)
    except ValueError:
        time = datetime.fromisoformat(text)
        return time if time.tzinfo is not None else time.replace(tzinfo=UTC)


def _within(wanted: str, given: str, _: Context) -> bool:
    return ipaddress.ip_address(given) in ipaddress.ip_network(wanted, strict=False)


_TESTS: dict[str, Test] = {
    "stringequals": _equal,
    "stringequalsignorecase": _equal_in_any_case,
    "stringlike": matches_value,
    "arnlike": matches_arn,
    "arnequals": matches_arn,
    "bool": _equal_in_any_case,
    "binaryequals": lambda wanted, given, _: base64.b64decode(wanted) == base64.b64decode(given),
    "numericequals": _as_numbers(lambda given, wanted: given == wanted),
    "numericlessthan": _as_numbers(lambda given, wanted: given < wanted),
    "numericlessthanequals": _as_numbers(lambda given, wanted: given <= wanted),
    "numericgreaterthan": _as_numbers(lambda given, wanted: given > wanted),
    "numericgreaterthanequals": _as_numbers(lambda given, wanted: given >= wanted),
    "dateequals": _as_times(lambda given, wanted: given == wanted),
    "datelessthan": _as_times(lambda given, wanted: given < wanted),
    "datelessthanequals": _as_times(lambda given, wanted: given <= wanted),
    "dategreaterthan": _as_times(lambda given, wanted: given > wanted),
    "dategreaterthanequals": _as_times(lambda given, wanted: given >= wanted),
    "ipaddress": _within,
}
NEGATIONS = {
    "stringnotequals": "stringequals",
    "stringnotequalsignorecase": "stringequalsignorecase",
    "stringnotlike": "stringlike",
    "arnnotlike": "arnlike",
    "arnnotequals": "arnequals",
    "numericnotequals": "numericequals",
    "datenotequals": "dateequals",
    "notipaddress": "ipaddress",
}
"""By operator, in lower case: whose opposite it is."""

OPERATORS = (
    *("StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase"),
    *("StringLike", "StringNotLike", "ArnEquals", "ArnNotEquals", "ArnLike", "ArnNotLike"),
    *("NumericEquals", "NumericNotEquals", "NumericLessThan", "NumericLessThanEquals"),
    *("NumericGreaterThan", "NumericGreaterThanEquals", "DateEquals", "DateNotEquals"),
    *("DateLessThan", "DateLessThanEquals", "DateGreaterThan", "DateGreaterThanEquals"),
    *("Bool", "BinaryEquals", "IpAddress", "NotIpAddress", "Null"),
)
"""Every operator, as AWS spells it."""

_KNOWN = frozenset(name.lower() for name in OPERATORS)
_QUANTIFIERS = ("", "forallvalues", "foranyvalue")

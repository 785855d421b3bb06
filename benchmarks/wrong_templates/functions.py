"""Values behind functions: what a template works out is as wrong as what it writes down."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.wrong_environments.bases import Change, Place
from benchmarks.wrong_templates.bases import Pair, pair

_NAME = "Drawn"
_MAP: Place = ("Mappings", _NAME)
_PARAMETER: Place = ("Parameters", _NAME)
_UNSETTLED = {"Fn::Equals": [{"Ref": "AWS::StackName"}, "drawn"]}


def behind(dice: random.Random, name: str, place: Place, wrong: Any, right: Any) -> Pair:
    """A base whose value at ``place`` is wrong, or right, half of them behind a function."""
    ways = [_plain] * 6
    if all(isinstance(each, str | int | float) for each in (wrong, right)) and wrong == wrong:
        ways += [_map, _select, _if, _parameter, _choice, _branch_of_map]
        if isinstance(wrong, str) and isinstance(right, str):
            ways += [_join, _split, _sub]
    way = dice.choice(ways)
    return pair(name, way(place, wrong, right), way(place, right, right))


def _plain(place: Place, value: Any, right: Any) -> Change:
    return {place: value}


def _map(place: Place, value: Any, right: Any) -> Change:
    found = {"Fn::FindInMap": [_NAME, "all", "value"]}
    return {_MAP: {"all": {"value": value}}, place: found}


def _select(place: Place, value: Any, right: Any) -> Change:
    return {place: {"Fn::Select": [1, ["first", value]]}}


def _if(place: Place, value: Any, right: Any) -> Change:
    return {("Conditions", _NAME): _UNSETTLED, place: {"Fn::If": [_NAME, right, value]}}


def _branch_of_map(place: Place, value: Any, right: Any) -> Change:
    found = {"Fn::FindInMap": [_NAME, {"Ref": "AWS::Region"}, "value"]}
    return {
        ("Conditions", _NAME): _UNSETTLED,
        _MAP: {"eu-west-1": {"value": value}, "us-east-1": {"value": right}},
        place: {"Fn::If": [_NAME, found, right]},
    }


def _typed(*values: Any) -> tuple[str, list[str]]:
    """The type of a parameter for these values, and they as a template writes them."""
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)
    texts = [str(each).lower() if isinstance(each, bool) else str(each) for each in values]
    return "Number" if numbers else "String", texts


def _parameter(place: Place, value: Any, right: Any) -> Change:
    kind, (default, _) = _typed(value, right)
    return {_PARAMETER: {"Type": kind, "Default": default}, place: {"Ref": _NAME}}


def _choice(place: Place, value: Any, right: Any) -> Change:
    kind, (chosen, default) = _typed(value, right)
    allowed = [*dict.fromkeys([default, chosen])]
    parameter = {"Type": kind, "Default": default, "AllowedValues": allowed}
    return {_PARAMETER: parameter, place: {"Ref": _NAME}}


def _join(place: Place, value: str, right: str) -> Change:
    middle = len(value) // 2
    return {place: {"Fn::Join": ["", [value[:middle], value[middle:]]]}}


def _split(place: Place, value: str, right: str) -> Change:
    return {place: {"Fn::Select": [1, {"Fn::Split": ["|", f"first|{value}"]}]}}


def _sub(place: Place, value: str, right: str) -> Change:
    middle = len(value) // 2
    variables = {_NAME: value[middle:]}
    return {place: {"Fn::Sub": [value[:middle].replace("${", "${!") + f"${{{_NAME}}}", variables]}}

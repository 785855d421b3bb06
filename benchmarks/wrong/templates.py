"""The right templates that wrong changes are made of, and values behind functions.

What a template works out is as wrong as what it writes down.
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.wrong.changes import Change, Document, Pair, Place, changed
from benchmarks.wrong.values import of_schedule, of_time_zone, of_variable
from sagemaker_serving.rules import read_template

REGION = "eu-west-1"


@cache
def _read() -> dict[str, Document]:
    files = sorted((Path(__file__).parent / "right").glob("*.yaml"))
    return {file.stem: dict(read_template(file).document or {}) for file in files}


def pair(name: str, wrong: Change, right: Change | None = None) -> Pair:
    """A base with a wrong change, and with a right one."""
    return changed(_read()[name], wrong), changed(_read()[name], right or {})


_TARGET: Place = ("Resources", "Target", "Properties")
_CONTAINER: Place = ("Resources", "Model", "Properties", "PrimaryContainer")


def schedule(dice: random.Random) -> Pair:
    """A schedule of EventBridge's or Application Auto Scaling's that its grammar does not have."""
    kind, wrong, right = of_schedule(dice)
    if kind == "at" or dice.random() < 0.5:
        place = (*_TARGET, "ScheduledActions", 0, "Schedule")
        return behind(dice, "endpoint", place, wrong, right)
    place = ("Resources", "Nightly", "Properties", "ScheduleExpression")
    return behind(dice, "pipeline", place, wrong, right)


def time_zone(dice: random.Random) -> Pair:
    place = (*_TARGET, "ScheduledActions", 0, "Timezone")
    return behind(dice, "endpoint", place, *of_time_zone(dice))


def container_variable(dice: random.Random) -> Pair:
    """A variable of TensorFlow's container with a value that it does not take."""
    reader = ""
    while reader != "instances":
        reader, name, wrong, right = of_variable(dice)
    at = (*_CONTAINER, "Environment")
    beside: Change = {}
    if name.startswith("SAGEMAKER_TFS_") and not name.endswith("ENABLE_BATCHING"):
        beside[(*at, "SAGEMAKER_TFS_ENABLE_BATCHING")] = "true"
        beside[(*at, "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES")] = "64"
    wrong_one, right_one = behind(dice, "endpoint", (*at, name), wrong, right)
    return changed(wrong_one, beside), changed(right_one, beside)


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

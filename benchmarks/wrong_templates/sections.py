"""Changes that CloudFormation's reference calls wrong in any template, whatever its resources.

Sources: AWS CloudFormation user guide, template sections, intrinsic functions and quotas; template
reference, resource attributes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from benchmarks.wrong_environments.bases import GONE, Change, Place
from benchmarks.wrong_templates.bases import Pair, base, names, pair
from benchmarks.wrong_templates.schemas import misspelt


def calls(document: Any, place: Place = ()) -> Iterator[tuple[Place, str, Any]]:
    """Each function that a template calls: where, its name, its argument."""
    if isinstance(document, dict):
        for key, value in document.items():
            if len(document) == 1 and (key == "Ref" or str(key).startswith("Fn::")):
                yield place, key, value
            yield from calls(value, (*place, key))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from calls(value, (*place, index))


def _called(dice: random.Random, *wanted: str) -> tuple[str, Place, str, Any]:
    found = [
        (name, *call)
        for name in names()
        for call in calls(base(name))
        if call[1] in wanted and call[0][0] in ("Resources", "Outputs")
    ]
    return dice.choice(found)


def reference(dice: random.Random) -> Pair:
    """A name that leads nowhere."""
    name, place, function, argument = _called(dice, "Ref", "Fn::GetAtt", "Fn::Sub")
    if function == "Ref":
        return pair(name, {place: {"Ref": misspelt(dice, argument)}})
    if function == "Fn::GetAtt":
        return pair(name, {place: {function: [misspelt(dice, argument[0]), argument[1]]}})
    wrong = argument.replace("${", "${" + dice.choice(["x", "The", "AWS::"]), 1)
    return pair(name, {place: {function: wrong}})


def attribute(dice: random.Random) -> Pair:
    name, place, function, argument = _called(dice, "Fn::GetAtt")
    wrong = misspelt(dice, argument[1])
    return pair(name, {place: {function: [argument[0], wrong]}})


def condition(dice: random.Random) -> Pair:
    name = dice.choice(names())
    document = base(name)
    right, wrong = dice.choice([*document["Conditions"]]), "Undeclared"
    owner = (dice.choice(["Resources", "Outputs"]),)
    free = [
        key for key, each in document[owner[0]].items() if owner == ("Outputs",) or "Type" in each
    ]
    at = (*owner, dice.choice(free), "Condition")
    if owner == ("Resources",) or dice.random() < 0.5:
        value = ("Conditions", "Further")
        other = {"Fn::Not": [{"Condition": right}]}
        return pair(name, {value: {"Fn::Not": [{"Condition": wrong}]}}, {value: other})
    return pair(name, {at: wrong}, {at: right})


def mapping(dice: random.Random) -> Pair:
    wrong = dice.choice([["Sises", "a", "b"], ["Drawn", "c", "b"], ["Drawn", "a", "c"]])
    place = ("Outputs", "Drawn", "Value")
    values: Change = {("Mappings", "Drawn"): {"a": {"b": "x"}}}
    return pair(
        dice.choice(names()),
        {**values, place: {"Fn::FindInMap": wrong}},
        {**values, place: {"Fn::FindInMap": ["Drawn", "a", "b"]}},
    )


def cycle(dice: random.Random) -> Pair:
    name = dice.choice(names())
    document = base(name)
    edges = []
    for place, function, argument in calls(document["Resources"]):
        target = argument[0] if function == "Fn::GetAtt" else argument
        if function in ("Ref", "Fn::GetAtt") and target in document["Resources"]:
            conditional = "Condition" in document["Resources"][place[0]] or "Fn::If" in place
            if not conditional:
                edges.append((place[0], target))
    needing, needed = dice.choice(edges)
    way = dice.choice(["DependsOn", "Metadata"])
    if way == "DependsOn":
        return pair(name, {("Resources", needed, "DependsOn"): [needing]})
    return pair(name, {("Resources", needing, "DependsOn"): [needing]})


def section(dice: random.Random) -> Pair:
    """A section, or an attribute of what it declares, of another name or another form."""
    place, wrong, right = dice.choice(_SECTIONS)
    return pair(dice.choice(names()), {place: wrong}, {} if right is GONE else {place: right})


_TOPIC = {"Type": "AWS::SNS::Topic"}
_DRAWN: Place = ("Resources", "Drawn")
_RESOURCES: list[Any] = [
    {"Type": "AWS::SNS::Topic", "Propertys": {"DisplayName": "a"}},
    {"Type": "AWS::SNS::Topic", "properties": {"DisplayName": "a"}},
    {"Type": "AWS::SNS::Topic", "DependOn": "Role"},
    {"Type": "AWS::SNS::Topic", "DisplayName": "a"},
    {"type": "AWS::SNS::Topic"},
    {"Properties": {"DisplayName": "a"}},
    {"Type": "AWS::SNS::Topic", "Properties": []},
    {"Type": "AWS::SNS::Topic", "Properties": "a"},
    {"Type": "AWS::SNS::Topic", "DeletionPolicy": "Keep"},
    {"Type": "AWS::SNS::Topic", "DeletionPolicy": "retain"},
    {"Type": "AWS::SNS::Topic", "DeletionPolicy": "Snapshot"},
    {"Type": "AWS::SNS::Topic", "UpdateReplacePolicy": "RetainExceptOnCreate"},
    {"Type": "AWS::SNS::Topic", "UpdateReplacePolicy": True},
    {"Type": "AWS::SNS::Topics"},
    {"Type": "AWS::SNS"},
    {"Type": "SNS::Topic"},
    {"Type": "AWS::Sns::Topic"},
    {"Type": 1},
    "AWS::SNS::Topic",
    [],
    None,
]
_OUTPUTS: list[Any] = [
    {"Description": "a"},
    {"value": "a"},
    {"Values": "a"},
    {"Value": "a", "Exports": {"Name": "x"}},
    {"Value": "a", "Export": "x"},
    {"Value": "a", "Export": {"name": "x"}},
    {"Value": "a", "Export": {"Name": ""}},
    {"Value": "a", "Description": {"Ref": "AWS::Region"}},
    {"Value": "a", "Description": "a" * 1025},
    {"Value": None},
    "a",
    [],
    {},
]
_SECTIONS: list[tuple[Place, Any, Any]] = [
    *(((name,), {"A": _TOPIC}, GONE) for name in ("Resource", "resources", "Ressources")),
    *(((name,), {"A": {"Type": "String"}}, GONE) for name in ("Parameter", "parameters")),
    *(((name,), {"A": {"Value": "a"}}, GONE) for name in ("Output", "outputs", "OutPuts")),
    *(((name,), {"A": {"b": {"c": "d"}}}, GONE) for name in ("Mapping", "mappings")),
    *(((name,), {"A": {"Fn::Equals": ["a", "b"]}}, GONE) for name in ("Condition", "condition")),
    *(
        (("AWSTemplateFormatVersion",), wrong, "2010-09-09")
        for wrong in ("2012-10-17", "2010-09-10", "2010", 2010, "")
    ),
    (("Outputs",), [], GONE),
    (("Parameters", "Drawn"), [], {"Type": "String"}),
    (("Mappings", "Drawn"), [], {"a": {"b": "c"}}),
    (("Mappings", "Drawn"), {"a": "b"}, {"a": {"b": "c"}}),
    (("Mappings", "Drawn"), {"a": {"b": {"c": "d"}}}, {"a": {"b": "c"}}),
    *((_DRAWN, wrong, _TOPIC) for wrong in _RESOURCES),
    *((("Outputs", "Drawn"), wrong, {"Value": "a", "Description": "b"}) for wrong in _OUTPUTS),
    *(
        (("Parameters", "Drawn"), wrong, {"Type": "String", "Default": "a"})
        for wrong in (
            {"Type": "string", "Default": "a"},
            {"Type": "Text", "Default": "a"},
            {"Type": "Integer", "Default": 1},
            {"Type": "Boolean", "Default": True},
            {"Type": "List", "Default": "a"},
            {"Type": "List<string>", "Default": "a"},
            {"Type": "AWS::EC2::Subnet", "Default": "a"},
            {"Type": "AWS::EC2::Vpc::Id"},
            {"Type": "AWS::SSM::Parameter::Value<Text>", "Default": "/a"},
            {"Default": "a"},
            {"Type": "String", "default": "a"},
            {"Type": "String", "AllowedValue": ["a"]},
            {"Type": "String", "Defaults": "a"},
            {"Type": "String", "Default": ["a"]},
            {"Type": "String", "Default": {"a": "b"}},
            {"Type": "String", "AllowedValues": "a"},
            {"Type": "String", "AllowedValues": []},
            {"Type": "String", "Default": "b", "AllowedValues": ["a", "c"]},
            {"Type": "String", "Default": "A", "AllowedValues": ["a"]},
            {"Type": "String", "Default": "b1", "AllowedPattern": "[a-z]+"},
            {"Type": "String", "Default": "abc", "MaxLength": 2},
            {"Type": "String", "Default": "a", "MinLength": 2},
            {"Type": "String", "Default": "a", "MaxLength": "two"},
            {"Type": "String", "Default": "a", "MinLength": 3, "MaxLength": 2},
            {"Type": "String", "Default": "a", "NoEcho": "maybe"},
            {"Type": "String", "Default": "a" * 4097},
            {"Type": "String", "Description": "a" * 4001},
            {"Type": "Number", "Default": "two"},
            {"Type": "Number", "Default": 9, "MaxValue": 8},
            {"Type": "Number", "Default": 0, "MinValue": 1},
            {"Type": "Number", "MinValue": 9, "MaxValue": 8},
            {"Type": "List<Number>", "Default": "1,two"},
            {"Type": "CommaDelimitedList", "Default": "a,b", "AllowedValues": ["a", "c"]},
        )
    ),
]


def limit(dice: random.Random) -> Pair:
    """One more than the most that there may be, beside the most."""
    wrong, right = dice.choice(_LIMITS)
    return pair(dice.choice(names()), wrong, right)


_OUT = {"Value": "a"}
_REGION = {"Ref": "AWS::Region"}


def _named() -> Iterator[tuple[Change, Change]]:
    declared: dict[str, Any] = {
        "Resources": _TOPIC,
        "Outputs": _OUT,
        "Parameters": {"Type": "String"},
        "Mappings": {"a": {"b": "c"}},
    }
    for section_name, what in declared.items():
        for wrong in ("a-b", "a_b", "a.b", "\u00e9", "a" * 256, "", "a b"):
            yield {(section_name, wrong): what}, {(section_name, "A" * 255): what}


_LIMITS: list[tuple[Change, Change]] = [
    ({("Description",): "a" * 1025}, {("Description",): "a" * 1024}),
    *_named(),
    ({("Resources",): {}}, {("Outputs",): {"A": _OUT}}),
    (
        {("Mappings", "Drawn"): {"a": {f"b{n}": "c" for n in range(201)}}},
        {("Mappings", "Drawn"): {"a": {f"b{n}": "c" for n in range(200)}}},
    ),
    (
        {("Mappings", "Drawn"): {f"a{n}": {"b": "c"} for n in range(201)}},
        {("Mappings", "Drawn"): {f"a{n}": {"b": "c"} for n in range(200)}},
    ),
    (
        {("Resources", f"T{n}"): _TOPIC for n in range(501)},
        {("Resources", f"T{n}"): _TOPIC for n in range(400)},
    ),
    (
        {("Outputs", f"T{n}"): _OUT for n in range(201)},
        {("Outputs", f"T{n}"): _OUT for n in range(190)},
    ),
    (
        {("Parameters", f"T{n}"): {"Type": "String"} for n in range(201)},
        {("Parameters", f"T{n}"): {"Type": "String"} for n in range(190)},
    ),
    (
        {
            ("Outputs", "A"): {**_OUT, "Export": {"Name": "x"}},
            ("Outputs", "B"): {**_OUT, "Export": {"Name": "x"}},
        },
        {
            ("Outputs", "A"): {**_OUT, "Export": {"Name": "x"}},
            ("Outputs", "B"): {**_OUT, "Export": {"Name": "y"}},
        },
    ),
    ({("Metadata",): {"a": "b" * 1_100_000}}, {("Metadata",): {"a": "b" * 900_000}}),
]

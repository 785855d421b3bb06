"""Functions that there are not, with other arguments than they take, or where none may stand.

Source: AWS CloudFormation template reference, intrinsic functions.
"""

from __future__ import annotations

import random
from typing import Any

from benchmarks.wrong_environments.bases import Place
from benchmarks.wrong_templates.bases import Pair, names, pair


def function(dice: random.Random) -> Pair:
    """A function that there is not, with other arguments than it takes, or where none may stand."""
    name = dice.choice(names())
    place, wrong, right = dice.choice(_FUNCTIONS)
    return pair(name, {place: wrong}, {place: right})


_VALUE: Place = ("Outputs", "Drawn", "Value")
_REGION = {"Ref": "AWS::Region"}
_FUNCTIONS: list[tuple[Place, Any, Any]] = [
    *(
        (_VALUE, wrong, {"Fn::Join": ["-", ["a", _REGION]]})
        for wrong in (
            {"Fn::Joins": ["-", ["a", _REGION]]},
            {"Fn::Join": ["-"]},
            {"Fn::Join": ["-", "a"]},
            {"Fn::Join": "-"},
            {"Fn::Join": [["-"], ["a", _REGION]]},
            {"Fn::Join": ["-", ["a"], ["b"]]},
            {"Fn::join": ["-", ["a", _REGION]]},
            {"Join": ["-", ["a", _REGION]]},
        )
    ),
    *(
        (_VALUE, wrong, {"Fn::Select": [0, ["a", "b"]]})
        for wrong in (
            {"Fn::Select": [2, ["a", "b"]]},
            {"Fn::Select": ["a", ["a", "b"]]},
            {"Fn::Select": [["a", "b"], 0]},
            {"Fn::Select": [0]},
            {"Fn::Select": [-1, ["a", "b"]]},
            {"Fn::Select": [0, "a,b"]},
        )
    ),
    *(
        (_VALUE, wrong, {"Fn::Sub": ["${a}", {"a": "1"}]})
        for wrong in (
            {"Fn::Sub": ["${a}", ["a"]]},
            {"Fn::Sub": ["${a}"]},
            {"Fn::Sub": [{"Ref": "AWS::Region"}, {"a": "1"}]},
            {"Fn::Sub": {"a": "1"}},
            {"Fn::Sub": ["${b}", {"a": "1"}]},
        )
    ),
    *(
        (_VALUE, wrong, {"Fn::Select": [0, {"Fn::Split": [",", "a,b"]}]})
        for wrong in (
            {"Fn::Select": [0, {"Fn::Split": ["a,b"]}]},
            {"Fn::Select": [0, {"Fn::Split": ["", "a,b"]}]},
            {"Fn::Select": [2, {"Fn::Split": [",", "a,b"]}]},
            {"Fn::Select": [0, {"Fn::Split": [",", ["a", "b"]]}]},
        )
    ),
    *(
        (_VALUE, wrong, {"Fn::Base64": "a"})
        for wrong in ({"Fn::Base64": ["a"]}, {"Fn::Base64": {"a": "b"}}, {"Fn::base64": "a"})
    ),
    *(
        (_VALUE, wrong, {"Fn::Select": [0, {"Fn::Cidr": ["10.0.0.0/16", 4, 8]}]})
        for wrong in (
            {"Fn::Select": [0, {"Fn::Cidr": ["10.0.0.0/16", 300, 8]}]},
            {"Fn::Select": [0, {"Fn::Cidr": ["10.0.0.0", 4, 8]}]},
            {"Fn::Select": [0, {"Fn::Cidr": ["10.0.0.0/16"]}]},
            {"Fn::Select": [5, {"Fn::Cidr": ["10.0.0.0/16", 4, 8]}]},
            {"Fn::Select": [0, {"Fn::Cidr": ["10.0.0.0/16", 4, 40]}]},
        )
    ),
    (_VALUE, {"Ref": ["a"]}, {"Ref": "AWS::Region"}),
    (_VALUE, {"Ref": "AWS::Regions"}, {"Ref": "AWS::Region"}),
    (_VALUE, {"Fn::ImportValue": ["a"]}, {"Fn::ImportValue": "a"}),
    (_VALUE, {"Fn::Length": ["a"]}, {"Fn::Select": [0, ["a"]]}),
    (_VALUE, {"Fn::GetAZs": ""}, {"Fn::Select": [0, {"Fn::GetAZs": ""}]}),
    (_VALUE, {"Fn::FindInMap": ["Drawn", "a"]}, {"Ref": "AWS::Region"}),
    (_VALUE, {"Fn::GetAtt": ["Role"]}, {"Fn::Sub": "${AWS::Region}"}),
    (_VALUE, {"Fn::If": ["Drawn", "a"]}, {"Fn::Sub": "${AWS::Region}"}),
    (_VALUE, ["a", "b"], "a"),
    (_VALUE, {"a": "b"}, "a"),
    *(
        (("Conditions", "Drawn"), wrong, {"Fn::Equals": [_REGION, "a"]})
        for wrong in (
            {"Fn::Equals": [_REGION]},
            {"Fn::Equals": [_REGION, "a", "b"]},
            {"Fn::Equal": [_REGION, "a"]},
            {"Fn::Not": {"Fn::Equals": [_REGION, "a"]}},
            {"Fn::Not": [{"Fn::Equals": [_REGION, "a"]}, {"Fn::Equals": [_REGION, "b"]}]},
            {"Fn::And": [{"Fn::Equals": [_REGION, "a"]}]},
            {"Fn::Or": [{"Fn::Equals": [_REGION, str(n)]} for n in range(11)]},
            {"Fn::And": ["a", "b"]},
            {"Fn::Equals": [{"Fn::GetAtt": ["Role", "Arn"]}, "a"]},
            {"Condition": "Drawn"},
            "a",
            ["a"],
            {"Ref": "AWS::Region"},
        )
    ),
    (("Parameters", "Drawn"), {"Type": "String", "Default": _REGION}, {"Type": "String"}),
    (("Mappings", "Drawn"), {"a": {"b": _REGION}}, {"a": {"b": "c"}}),
    (("Description",), {"Fn::Sub": "${AWS::Region}"}, "A description"),
    (("Resources", "Drawn"), {"Type": {"Fn::Sub": "AWS::SNS::Topic"}}, {"Type": "AWS::SNS::Topic"}),
    *(
        (
            ("Resources", "Drawn"),
            {"Type": "AWS::SNS::Topic", name: wrong},
            {"Type": "AWS::SNS::Topic"},
        )
        for name, wrong in (
            ("DependsOn", {"Ref": "Role"}),
            ("DependsOn", [{"Ref": "Role"}]),
            ("Condition", {"Fn::Equals": ["a", "b"]}),
            ("Condition", ["IsProd"]),
        )
    ),
]

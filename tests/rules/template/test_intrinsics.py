"""Intrinsic functions: settled where the template alone tells, tokens where it does not."""

from __future__ import annotations

from typing import Any

import pytest

from sagemaker_serving.rules.facts import Token
from sagemaker_serving.rules.template.intrinsics import resolve

URI = "763104351884.dkr.ecr.${AWS::Region}.${AWS::URLSuffix}/x:1"


@pytest.mark.parametrize(
    ("value", "known"),
    [
        ("text", "text"),
        ({"Ref": "AWS::Region"}, "cn-north-1"),
        ({"Fn::Sub": URI}, "763104351884.dkr.ecr.cn-north-1.amazonaws.com.cn/x:1"),
        ({"Fn::Sub": ["${A}-${AWS::Partition}", {"A": "b"}]}, "b-aws-cn"),
        ({"Fn::Sub": "kept ${!Literal}"}, "kept ${!Literal}"),
        ({"Fn::Join": ["-", ["a", 1, {"Ref": "AWS::Region"}]]}, "a-1-cn-north-1"),
        ({"a": {"Ref": "AWS::NoValue"}, "b": [{"Ref": "AWS::NoValue"}, 1]}, {"b": [1]}),
        ({"Ref": "Parameter"}, Token("Parameter")),
        ({"Fn::GetAtt": ["Model", "ModelName"]}, Token("Model")),
        ({"Fn::GetAtt": "Model.ModelName"}, Token("Model")),
        ({"Ref": "AWS::AccountId"}, Token()),
        ({"Fn::Sub": "${Bucket}/k"}, Token()),
        ({"Fn::If": ["C", "a", "b"]}, Token()),
        ({"Fn::Join": ["", {"Ref": "List"}]}, Token()),
        ({"Fn::Transform": {}, "Other": 1}, Token()),
        ({"Fn::Unheard": 1}, Token()),
    ],
)
def test_what_a_value_stands_for(value: Any, known: Any) -> None:
    assert resolve(value, "cn-north-1") == known


@pytest.mark.parametrize(
    "value", [{"Ref": "AWS::Region"}, {"Fn::Sub": URI}, {"Ref": "AWS::URLSuffix"}]
)
def test_without_a_region_its_names_are_tokens(value: Any) -> None:
    assert resolve(value, None) == Token()

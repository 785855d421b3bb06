"""Changes that CloudFormation's schema of a type, or botocore's model of a service, calls wrong."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import botocore.loaders
from regex import DOTALL, fullmatch, search
from regex import error as pattern_error

from benchmarks.wrong_environments.bases import GONE
from benchmarks.wrong_templates.bases import Node, Pair, nodes, pair
from benchmarks.wrong_templates.functions import behind


def missing_member(dice: random.Random) -> Pair:
    found = [
        (node, name)
        for node in nodes()
        for name in node.schema.get("required", ())
        if isinstance(node.value, dict) and name in node.value
    ]
    node, name = dice.choice(found)
    return pair(node.base, {(*node.place, name): GONE})


def unknown_member(dice: random.Random) -> Pair:
    closed = [node for node in nodes() if node.schema.get("additionalProperties") is False]
    node = dice.choice([each for each in closed if isinstance(each.value, dict)])
    known = [*node.schema["properties"]]
    name = misspelt(dice, dice.choice(known))
    if name in known:
        name = f"{name}Of"
    return pair(
        node.base, {(*node.place, name): dice.choice([1, "a", True, {"Ref": "AWS::Region"}])}
    )


def misspelt(dice: random.Random, name: str) -> str:
    """A name with a slip of the keys."""
    at = dice.randrange(1, len(name)) if len(name) > 1 else 0
    slips = [name[:at] + name[at + 1 :], name[:at] + name[at] + name[at:], name + "s"]
    slips += [name[:1].swapcase() + name[1:], "The" + name, name[:at] + "x" + name[at + 1 :]]
    return dice.choice([each for each in slips if each and each != name] or ["x"])


def wrong_type(dice: random.Random) -> Pair:
    node = dice.choice([each for each in nodes() if each.inner and _wrong_types(each)])
    return behind(dice, node.base, node.place, dice.choice(_wrong_types(node)), node.value)


def _wrong_types(node: Node) -> list[Any]:
    kinds = node.schema.get("type")
    kinds = {kinds} if isinstance(kinds, str) else set(kinds or ())
    if not kinds or {"string", "object"} <= kinds:
        return []
    wrong: list[Any] = []
    if not kinds & {"object"}:
        wrong += [{"Key": "a"}]
    if not kinds & {"array"}:
        wrong += [["a"]]
    if not kinds & {"string", "object", "array"}:
        wrong += ["seven", "1_0", ""]
    if kinds <= {"integer"}:
        wrong += [1.5, "two"]
    if kinds <= {"object", "array"}:
        wrong += ["text", 7, True]
    return wrong


def other_word(dice: random.Random) -> Pair:
    node = dice.choice([each for each in nodes() if _is_text(each) and "enum" in each.schema])
    words = [word for word in node.schema["enum"] if isinstance(word, str) and word]
    wrong = [words[0].swapcase(), f"{words[-1]}s", "none of them", f"{words[0]} ", "*"]
    said = dice.choice([each for each in wrong if each not in node.schema["enum"]])
    return behind(dice, node.base, node.place, said, node.value)


def number(dice: random.Random) -> Pair:
    node = dice.choice([each for each in nodes() if _is_number(each) and _far(each.schema)])
    return behind(dice, node.base, node.place, dice.choice(_far(node.schema)), node.value)


def _far(limits: dict[str, Any]) -> list[float]:
    low, high = (limits.get(name) for name in ("minimum", "maximum"))
    below = [low - 1, low - 1000, -(2**31)] if low is not None else []
    above = [high + 1, high * 10 + 1, 2**40] if high is not None else []
    return [*below, *above]


def text(dice: random.Random) -> Pair:
    node = dice.choice([each for each in nodes() if _is_text(each) and _misfits(each.schema)])
    return behind(dice, node.base, node.place, dice.choice(_misfits(node.schema)), node.value)


def _misfits(schema: dict[str, Any]) -> list[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength")
    wrong = ["a" * (least - 1)] if least else []
    if most is not None and most < 3000:
        wrong.append("a" * (most + 1))
    if "pattern" in schema:
        tried = ("", "a b", "-a-", "a_b", "\u00e9", "a/b:c", "a" * 70, "{}", "A,B")
        wrong += [each for each in tried if _matches(schema["pattern"], each) is False]
    return wrong


def _matches(pattern: str, said: str) -> bool | None:
    try:
        return search(pattern, said) is not None
    except pattern_error:
        return None


def count(dice: random.Random) -> Pair:
    drawn = []
    for node in nodes():
        if isinstance(node.value, list) and node.value and node.inner:
            if node.schema.get("minItems", 0) > 0:
                drawn.append((node, [*node.value][: node.schema["minItems"] - 1]))
            if node.schema.get("maxItems", 10**6) < 110:
                drawn.append((node, node.value[:1] * (node.schema["maxItems"] + 1)))
            if node.schema.get("uniqueItems") and isinstance(node.value[0], str | dict):
                drawn.append((node, [*node.value, node.value[0]]))
    node, wrong = dice.choice(drawn)
    return pair(node.base, {node.place: wrong})


def _is_text(node: Node) -> bool:
    return isinstance(node.value, str) and bool(node.inner)


def _is_number(node: Node) -> bool:
    return isinstance(node.value, int | float) and not isinstance(node.value, bool)


# what botocore's service models say


def action_limit(dice: random.Random) -> Pair:
    node, shape = dice.choice(_limited())
    wrong: list[Any]
    if shape["type"] == "string":
        wrong = [each for each in _tried(shape) if not _fits(shape, each)]
    else:
        wrong = _far({"minimum": shape.get("min"), "maximum": shape.get("max")})
    return behind(dice, node.base, node.place, dice.choice(wrong), node.value)


def _tried(shape: dict[str, Any]) -> list[str]:
    most = shape.get("max", 10**6)
    longer = ["a" * (most + 1)] if most < 3000 else []
    return ["", "a_b", "-a", "a b", "\u00e9", "a/b", "a,b", ".", "none of them", *longer]


def _fits(shape: dict[str, Any], said: str) -> bool:
    if "enum" in shape:
        return said in shape["enum"]
    sized: bool = shape.get("min", 0) <= len(said) <= shape.get("max", len(said))
    try:
        fits: bool = fullmatch(shape.get("pattern", ".*"), said, DOTALL) is not None
        return bool(sized) and fits
    except pattern_error:
        return bool(sized)


@cache
def _limited() -> list[tuple[Node, dict[str, Any]]]:
    """The bases' values whose member of the service's action has a limit, with its shape."""
    found = []
    for node in nodes():
        action = ACTIONS.get(node.type)
        shape = _shape(*action, node) if action is not None else None
        if shape is None:
            continue
        is_text = shape["type"] == "string" and isinstance(node.value, str)
        fits = is_text and _fits(shape, node.value)
        if (fits and any(not _fits(shape, each) for each in _tried(shape))) or (
            {"min", "max"} & shape.keys() and _is_number(node)
        ):
            found.append((node, shape))
    return found


def _shape(service: str, action: str, node: Node) -> dict[str, Any] | None:
    shapes, operations = _model(service)["shapes"], _model(service)["operations"]
    shape = shapes[operations[action]["input"]["shape"]]
    for key in node.inner:
        members = shape.get("members", {})
        member = shape.get("member") if isinstance(key, int) else members.get(key)
        if member is None:
            return None
        shape = shapes[member["shape"]]
    return dict(shape)


@cache
def _model(service: str) -> dict[str, Any]:
    model: dict[str, Any] = botocore.loaders.Loader().load_service_model(service, "service-2")
    return model


ACTIONS = {
    "AWS::SageMaker::Model": ("sagemaker", "CreateModel"),
    "AWS::SageMaker::EndpointConfig": ("sagemaker", "CreateEndpointConfig"),
    "AWS::SageMaker::Endpoint": ("sagemaker", "UpdateEndpoint"),
    "AWS::SageMaker::InferenceComponent": ("sagemaker", "CreateInferenceComponent"),
    "AWS::SageMaker::ModelPackageGroup": ("sagemaker", "CreateModelPackageGroup"),
    "AWS::SageMaker::NotebookInstance": ("sagemaker", "CreateNotebookInstance"),
    "AWS::ApplicationAutoScaling::ScalableTarget": (
        "application-autoscaling",
        "RegisterScalableTarget",
    ),
    "AWS::ApplicationAutoScaling::ScalingPolicy": ("application-autoscaling", "PutScalingPolicy"),
    "AWS::Lambda::Function": ("lambda", "CreateFunction"),
    "AWS::Lambda::EventSourceMapping": ("lambda", "CreateEventSourceMapping"),
    "AWS::Lambda::Permission": ("lambda", "AddPermission"),
    "AWS::CloudWatch::Alarm": ("cloudwatch", "PutMetricAlarm"),
    "AWS::Events::Rule": ("events", "PutRule"),
    "AWS::IAM::Role": ("iam", "CreateRole"),
    "AWS::KMS::Key": ("kms", "CreateKey"),
    "AWS::KMS::Alias": ("kms", "CreateAlias"),
    "AWS::SSM::Parameter": ("ssm", "PutParameter"),
    "AWS::DynamoDB::Table": ("dynamodb", "CreateTable"),
    "AWS::Logs::LogGroup": ("logs", "CreateLogGroup"),
    "AWS::ECR::Repository": ("ecr", "CreateRepository"),
}
"""The action of a service that makes a resource; members of the same name have its limits."""

"""What is said of a template's choices, beside each of them deployed: drawn templates.

A few here; ``make fuzz`` sets RULES_FUZZ_CASES to 20,000.
"""

from __future__ import annotations

import os
import random
import re
from itertools import product
from typing import Any

import pytest

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import check_template, template_of
from sagemaker_serving.rules.template import add_sections
from tests.today import TODAY

TYPES = ["ml.c5.large", "ml.m5.large", "ml.t3.large", "ml.t2.nano"]
COUNTS = ["0", "1", "2"]
CASES = int(os.environ.get("RULES_FUZZ_CASES", "220")) // 10
SEEDS = [*range(CASES), *{83, 97, 113}.difference(range(CASES))]
"""Those at the end found a fault that was made in `Conditions`, which none of the first 80 did."""
Document = dict[str, Any]


def drawn(random_: random.Random) -> Document:
    """A template of which parameters and conditions choose nearly everything."""
    values = {
        "Stage": ["dev", "test", "prod"],
        "Gpu": ["yes", "no"],
        "Kind": random_.sample(TYPES, 2),
        "Count": random_.sample(COUNTS, 2),
    }
    conditions: Document = {}
    for number in range(5):
        conditions[f"C{number}"] = expression(random_, values, list(conditions))

    def chosen(options: list[Any], depth: int = 0) -> Any:
        if depth < 2 and random_.random() < 0.6:
            sides = [chosen(options, depth + 1) for _ in range(2)]
            return {"Fn::If": [random_.choice(list(conditions)), *sides]}
        return random_.choice(options)

    nothing = {"Ref": "AWS::NoValue"}
    serverless = {"MemorySizeInMB": 2048, "MaxConcurrency": 5}
    variants = [
        {
            "VariantName": name,
            "ModelName": {"Ref": "Model"},
            "InitialVariantWeight": 1,
            "InstanceType": chosen([*TYPES[:3], {"Ref": "Kind"}, nothing]),
            "InitialInstanceCount": chosen([1, {"Ref": "Count"}, nothing]),
            "ServerlessConfig": chosen([nothing, nothing, serverless]),
        }
        for name in ("blue", "green")
    ]
    config: Document = {
        "Type": "AWS::SageMaker::EndpointConfig",
        "Properties": {"ProductionVariants": [variants[0], chosen([variants[1], nothing])]},
    }
    model: Document = {
        "Type": "AWS::SageMaker::Model",
        "Properties": {
            "ExecutionRoleArn": "arn:aws:iam::111122223333:role/r",
            "ModelName": chosen(["a", "a_b", {"Fn::Sub": "a-${Stage}"}, nothing]),
            "PrimaryContainer": {"Image": "111122223333.dkr.ecr.eu-west-1.amazonaws.com/a:1"},
        },
    }
    if random_.random() < 0.5:
        config["Condition"] = random_.choice(list(conditions))
    return {
        "Parameters": {
            name: {"Type": "String", "AllowedValues": allowed, "Default": random_.choice(allowed)}
            for name, allowed in values.items()
        },
        "Conditions": conditions,
        "Resources": {"Model": model, "Config": config},
    }


def expression(random_: random.Random, values: dict[str, list[str]], above: list[str]) -> Any:
    kind = random_.choice(["Equals", "Equals", "And", "Or", "Not"] if above else ["Equals"])
    if kind == "Equals":
        name = random_.choice(list(values))
        return {"Fn::Equals": [{"Ref": name}, random_.choice([*values[name], "none"])]}
    count = 1 if kind == "Not" else 2
    return {f"Fn::{kind}": [{"Condition": random_.choice(above)} for _ in range(count)]}


def problems(document: Document) -> list[Problem]:
    template = add_sections(template_of(document["Resources"]), document)
    return check_template(template, "eu-west-1", today=TODAY)


def each_deployed(document: Document) -> list[tuple[dict[str, str], list[Problem]]]:
    """Every choice of values, with what is wrong where there is no other."""
    declared = document["Parameters"]
    deployed = []
    for values in product(*(one["AllowedValues"] for one in declared.values())):
        fixed = {
            name: {"Type": "String", "AllowedValues": [value]}
            for name, value in zip(declared, values, strict=True)
        }
        found = problems({**document, "Parameters": fixed})
        deployed.append((dict(zip(declared, values, strict=True)), found))
    return deployed


def holds(document: Document, name: str, values: dict[str, str]) -> bool:
    def of(part: Any) -> bool:
        if "Condition" in part:
            return holds(document, part["Condition"], values)
        ((function, parts),) = part.items()
        if function == "Fn::Equals":
            return bool(values[parts[0]["Ref"]] == parts[1])
        truths = [of(each) for each in parts]
        if function == "Fn::Not":
            return not truths[0]
        return all(truths) if function == "Fn::And" else any(truths)

    return of(document["Conditions"][name])


def bare(problem: Problem) -> tuple[str, str]:
    return problem.rule, problem.where.trail


Deployed = list[tuple[dict[str, str], list[Problem]]]


@pytest.fixture(scope="module", params=SEEDS)
def template(request: pytest.FixtureRequest) -> tuple[Document, Deployed]:
    """A template, and each choice of its values deployed."""
    document = drawn(random.Random(request.param))
    return document, each_deployed(document)


def test_all_that_some_choice_gets_wrong_is_named_and_nothing_else(
    template: tuple[Document, Deployed],
) -> None:
    document, deployed = template
    named = {bare(problem) for problem in problems(document)}
    assert named == {bare(each) for _, found in deployed for each in found}


def test_a_problem_occurs_wherever_it_is_said_to(template: tuple[Document, Deployed]) -> None:
    document, deployed = template
    defaults = {name: one["Default"] for name, one in document["Parameters"].items()}
    for problem in problems(document):
        said = problem.message.partition(", InstanceType")[0]
        conditions = re.findall(r"condition (\w+) is (true|false)", said)
        values = dict(re.findall(r"parameter (\w+) is ([\w.]+)", said))
        by_default = re.search(r"by default of ([\w ]+)", said)
        names = re.split(" and ", by_default[1]) if by_default else []
        values |= {name: defaults[name] for name in names}
        where_said = [
            found
            for chosen, found in deployed
            if all(chosen[name] == value for name, value in values.items())
            and all(holds(document, name, chosen) is (is_ == "true") for name, is_ in conditions)
        ]
        made = [found for found in where_said if bare(problem) in map(bare, found)]
        assert made
        exists = document["Resources"]["Config"].get("Condition")
        if problem.where.path[0] != "Config" or exists is None:
            assert len(made) == len(where_said), problem.message

"""What a deploy may choose is judged, in each way that parameters and conditions can reach."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sagemaker_serving.errors import Problem, Severity
from sagemaker_serving.rules import RULES, Finding, Rule, check_template, read_template, rule
from sagemaker_serving.rules.facts import EndpointConfigFacts
from tests.rules.template.choice_cases import CASES, branch, fields, typed
from tests.today import TODAY


def found(
    tmp_path: Path, text: str, region: str | None = None, rules: tuple[Rule, ...] = RULES
) -> list[Problem]:
    path = tmp_path / "template.yaml"
    path.write_text(text)
    problems = check_template(read_template(path), region, rules, today=TODAY)
    told_always = ("region-unknown", "resource-name-fixed")
    return [problem for problem in problems if problem.rule not in told_always]


def times_judged(tmp_path: Path, text: str) -> int:
    """How often a rule is asked about the configuration of ``text``."""
    seen = []

    @rule("counts", source="this test")
    def counts(config: EndpointConfigFacts) -> Iterator[Finding]:
        """It is counted how often this is asked."""
        seen.append(config)
        yield from ()

    found(tmp_path, text, rules=(counts,))
    return len(seen)


@pytest.mark.parametrize(
    ("wrong", "said", "right"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_each_fault_is_told_once_with_when_it_occurs_and_the_nearest_right_passes(
    tmp_path: Path, wrong: str, said: list[str], right: str
) -> None:
    messages = [problem.message for problem in found(tmp_path, wrong)]
    assert len(messages) == len(said), messages
    for message, begins in zip(messages, said, strict=True):
        assert message.startswith(begins), messages
    assert found(tmp_path, right) == []


def test_what_a_value_does_that_may_be_chosen_warns_and_all_else_is_an_error(
    tmp_path: Path,
) -> None:
    (chosen,) = found(tmp_path, typed("!Ref Mixed"))
    assert chosen.severity is Severity.WARNING
    assert chosen.message.endswith("; so it is with ml.t2.nano")
    for text in (typed("!Ref Bad"), typed("!Ref NoneRight"), branch("IsProd"), branch("IsDev")):
        (problem,) = found(tmp_path, text)
        assert problem.severity is Severity.ERROR
    (problem,) = found(tmp_path, typed("!Ref NoneRight"))
    assert problem.message.endswith("; no value that parameter NoneRight allows is right")


@pytest.mark.parametrize(
    ("text", "times"),
    [
        (typed("ml.c5.large"), 1),
        (branch("IsProd"), 2),
        (branch("IsProd", "!If [HasGpu, ml.g4dn.xlarge, ml.c5.large]"), 3),
        (branch("HasGpu", "!If [InFrance, a, b]", "!If [InFrance, a, b]"), 4),
        (branch("InFrance"), 2),
        (typed("ml.c5.large", "InFrance"), 1),
        (typed("!Ref Kind"), 2),
        (fields("InstanceType: !Ref Kind, InitialInstanceCount: !If [IsProd, 2, 1]"), 4),
    ],
)
def test_a_resource_is_judged_once_for_each_way_that_makes_another_of_it(
    tmp_path: Path, text: str, times: int
) -> None:
    regions = ", ".join(f"!Equals [!Ref AWS::Region, eu-france-{n}]" for n in range(10))
    parts = ", ".join(f"!Or [{regions.replace('-france-', f'-{n}-')}]" for n in range(4))
    conditions = f"Conditions:\n  InFrance: !Or [{parts}]\n"
    assert times_judged(tmp_path, text.replace("Conditions:\n", conditions)) == times


def test_past_a_bound_each_choice_alone_is_judged_and_the_rest_is_noted(tmp_path: Path) -> None:
    names = [f"C{n}" for n in range(12)]
    conditions = "".join(f"  {name}: !Equals [!Ref P{name}, x]\n" for name in names)
    parameters = "".join(f"  P{name}: {{Type: String}}\n" for name in names)
    environment = ", ".join(f"{name}: !If [{name}, a, b]" for name in names)
    text = (
        f"Parameters:\n{parameters}Conditions:\n{conditions}"
        "Resources:\n  Model:\n    Type: AWS::SageMaker::Model\n    Properties:\n"
        "      ExecutionRoleArn: arn:aws:iam::111122223333:role/r\n"
        "      ModelName: !If [C11, a_b, a]\n"
        "      PrimaryContainer:\n"
        f"        Environment: {{{environment}}}\n"
        "        Image: 111122223333.dkr.ecr.eu-west-1.amazonaws.com/mine:1\n"
    )
    wrong, note = found(tmp_path, text)
    assert wrong.message.startswith("when condition C11 is true, ")
    assert (note.rule, note.severity) == ("combinations-unjudged", Severity.NOTE)


@pytest.mark.parametrize(
    "branches", ["!If [HasKey, 1]", "!If [[HasKey], 1, 2]", "!If [Nobody, 1, 2]"]
)
@pytest.mark.parametrize(
    "parameters",
    [
        "Key: 1",
        "Key: {Type: 3, Default: [a]}",
        "Key: {Type: String, AllowedValues: a, Default: {a: b}}",
        "Key: {Type: String, AllowedValues: [[a], {b: c}, null], MinLength: many}",
        "Key: {Type: String, AllowedPattern: '(', Default: a, AllowedValues: [a, b]}",
        "Key: {Type: Number, AllowedValues: [], Default: 1.5}",
    ],
)
def test_no_shape_of_parameters_and_conditions_ends_in_a_traceback(
    tmp_path: Path, parameters: str, branches: str
) -> None:
    text = (
        f"Parameters: {{{parameters}}}\n"
        "Conditions:\n  HasKey: !Equals [!Ref Key, '']\n  A: !Not [!Condition B]\n"
        "  B: !Not [!Condition A]\n  C: !And [1]\n  D: !Equals [[a], {b: !Ref Key}]\n"
        "  E: [!Ref Key]\n  F: !Sub [1]\n  G: !Equals [1, 1]\n"
        "Rules: {X: 1, Y: {Assertions: [1, {Assert: !Condition A}]}, Z: {RuleCondition: [a]}}\n"
        "Resources:\n  Config:\n    Type: AWS::SageMaker::EndpointConfig\n    Condition: A\n"
        "    Properties:\n      ProductionVariants:\n"
        f"        - {{InstanceType: !If [A, !Ref Key, {branches}], VariantName: !If [C, a, b],\n"
        "           ModelName: !If [D, a, !If [E, b, !If [F, c, !If [G, d, e]]]]}\n"
    )
    found(tmp_path, text)

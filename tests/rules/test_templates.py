"""Rules over CloudFormation templates: a case that each names, and the nearest that passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sagemaker_serving.errors import Severity
from sagemaker_serving.rules import RULES, Finding, check_template, rule, template_of
from sagemaker_serving.rules.facts.resources import TagsFacts
from tests.rules.artifact.artifact_cases import CASES as ARTIFACT_CASES
from tests.rules.endpoint.combinations import COMBINATIONS
from tests.rules.endpoint.kind_cases import TEMPLATES as KINDS
from tests.rules.endpoint.member_cases import TEMPLATES as MEMBERS
from tests.rules.endpoint.monitoring_cases import CASES as MONITORING_CASES
from tests.rules.endpoint.scaling_cases import TEMPLATES as SCALING
from tests.rules.environment_cases import CASES as ENVIRONMENT_CASES
from tests.rules.hub_template_cases import HUB
from tests.rules.job_template_cases import JOBS
from tests.rules.model_template_cases import MODELS
from tests.rules.roles.permission_cases import CASES as PERMISSIONS
from tests.rules.roles.trust_cases import CASES as TRUST
from tests.rules.state_machines.machine_cases import CASES as MACHINES
from tests.rules.template.declaration_cases import CASES as DECLARED
from tests.rules.template.schema_cases import CASES as SCHEMAS
from tests.rules.template_cases import SERVING, Case, variant
from tests.rules.templates import REGION, problems, template
from tests.rules.update_template_cases import UPDATES
from tests.rules.whole_template_cases import CASES as WHOLE
from tests.today import TODAY
from tools.docs.troubles import troubles

CASES: list[Case] = [*SERVING, *MODELS, *HUB, *UPDATES, *JOBS, *SCALING, *KINDS, *MEMBERS]


def test_the_sound_template_has_no_problem() -> None:
    assert problems(template({})) == []


@pytest.mark.parametrize(
    ("rule", "wrong", "said", "right"),
    CASES,
    ids=[f"{case[0]}-{n}" for n, case in enumerate(CASES)],
)
def test_the_rule_names_the_wrong_and_lets_the_nearest_pass(
    rule: str, wrong: dict[str, Any], said: str, right: dict[str, Any]
) -> None:
    found = [problem for problem in problems(template(wrong)) if problem.rule == rule]
    assert any(said in problem.message for problem in found), problems(template(wrong))
    assert [problem for problem in problems(template(right)) if problem.rule == rule] == []


def test_every_rule_has_a_case() -> None:
    tables = (*CASES, *ENVIRONMENT_CASES, *ARTIFACT_CASES, *MONITORING_CASES)
    of_several_files = {"environment-name-unique"}  # test_neighbours.py
    of_schemas = {case[0] for case in SCHEMAS} | {"resource-region"}  # test_schemas.py
    of_whole_templates = {case[0] for case in (*WHOLE, *DECLARED, *TRUST, *PERMISSIONS, *MACHINES)}
    of_parts = {combination.rule for combination in COMBINATIONS}  # test_combinations.py
    of_parts |= {"component-model"}  # test_component_templates.py
    of_parts |= {"resource-name-fixed", "scaling-metric-once"}  # below
    of_troubles = {trouble.rule for trouble in troubles()}  # test_troubles.py
    named = of_troubles | (
        {case[0] for case in tables} | of_parts | of_several_files | of_whole_templates | of_schemas
    )
    assert {rule.id for rule in RULES} == named


@pytest.mark.parametrize("name", ["Model.ModelName", "Config.EndpointConfigName"])
def test_a_name_that_no_second_one_may_have_is_noted(name: str) -> None:
    def noted(value: Any) -> list[str]:
        written = replace(template_of(template({name: value})), parameters=PARAMETERS)
        found = check_template(written, REGION, today=TODAY)
        return [each.where.trail for each in found if each.rule == "resource-name-fixed"]

    assert noted("digits") == [name]
    assert noted({"Fn::Sub": "${AWS::StackName}-digits"}) == []
    assert noted({"Fn::Sub": "${Stage}-digits"}) == [name]
    assert noted({"Fn::Sub": "digits-${ModelVersion}"}) == []


PARAMETERS = {
    "Stage": {"Type": "String", "Default": "prod"},
    "ModelVersion": {"Type": "String", "Default": "7"},
}


def test_a_metric_that_two_policies_track_is_named_once() -> None:
    resources = template({"Policy.TargetTrackingScalingPolicyConfiguration": TRACKED})
    named = {"PolicyName": "second", "PolicyType": "TargetTrackingScaling"}
    other = {
        **named,
        "ScalingTargetId": {"Ref": "Target"},
        TRACKING: {**TRACKED, "TargetValue": 20},
    }
    twice = resources | {"Second": {"Type": resources["Policy"]["Type"], "Properties": other}}
    (found,) = problems(twice)
    assert (found.rule, found.where.path[0]) == ("scaling-metric-once", "Second")
    another = {"PredefinedMetricSpecification": {"PredefinedMetricType": CONCURRENT}}
    assert problems(_with(twice, {**other, TRACKING: {**TRACKED, **another}})) == []
    assert problems(_with(twice, {**other, "ScalingTargetId": {"Fn::ImportValue": "T"}})) == []


TRACKING = "TargetTrackingScalingPolicyConfiguration"
CONCURRENT = "SageMakerVariantConcurrentRequestsPerModelHighResolution"
TRACKED = {
    "TargetValue": 70,
    "PredefinedMetricSpecification": {
        "PredefinedMetricType": "SageMakerVariantInvocationsPerInstance"
    },
}


def _with(resources: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    return {**resources, "Second": {**resources["Second"], "Properties": properties}}


def test_a_rule_of_ones_own_judges_beside_the_others() -> None:
    @rule("cost-center", source="our handbook")
    def cost_center(tags: TagsFacts) -> Iterator[Finding]:
        """Everything is paid for by somebody."""
        if all(key.text != "CostCenter" for key, _ in tags.tags):
            yield tags.where, "there is no tag CostCenter; add one"

    resources = template({"Model.Tags": [], "Model.ModelName": "a_b"})
    found = check_template(template_of(resources), "eu-west-1", (*RULES, cost_center))
    assert {"cost-center", "resource-name"} <= {problem.rule for problem in found}


@pytest.mark.parametrize(
    "change",
    [
        # Beside another variant a weight of 0 is a variant that waits for requests by its name.
        {
            "Config.ProductionVariants": [
                variant("blue", InitialVariantWeight=0),
                variant("green"),
            ]
        },
        # CloudFormation writes numbers and truth values of an environment as text.
        {"Model.PrimaryContainer.Environment": {"WORKERS": 2}},
        # CreateModel does not require ExecutionRoleArn: public images and no data need no role.
        {"Model.ExecutionRoleArn": None},
    ],
    ids=["weight", "environment", "role"],
)
def test_what_looks_wrong_and_aws_takes_passes(change: dict[str, Any]) -> None:
    assert problems(template(change)) == []


def test_without_a_region_a_note_says_what_did_not_run() -> None:
    resources = template(
        {
            "Config.ProductionVariants.0.InstanceType": "ml.trn1.2xlarge",
            "Model.PrimaryContainer.Image": {"Ref": "Image"},
        }
    )
    assert problems(resources, None) == []
    *_, note = check_template(template_of(resources))
    assert (note.rule, note.severity) == ("region-unknown", Severity.NOTE)

"""What the shipped environments become."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from aws_cdk.assertions import Match

from sagemaker_serving.rules import check_template, template_of
from tests.today import TODAY

STACKS = [
    (environment, stack)
    for environment in ("local", "dev", "staging", "prod")
    for stack in ("Storage", "digits", "half-plus-three")
    if (environment, stack) not in {("staging", "half-plus-three"), ("prod", "half-plus-three")}
]

SNAPSHOTS = Path(__file__).parent / "logical_ids"


def logical_ids(synthesized: Any, environment: str, stack: str) -> dict[str, str]:
    """The type of each resource, by its logical id without the hash of its content."""
    resources = synthesized.template(environment, stack).to_json()["Resources"]
    return {
        _without_content(logical_id, resource["Type"]): resource["Type"]
        for logical_id, resource in resources.items()
        if resource["Type"] != "AWS::CDK::Metadata"
    }


def _without_content(logical_id: str, kind: str) -> str:
    named_by_content = kind in ("AWS::SageMaker::Model", "AWS::SageMaker::EndpointConfig")
    named_by_content |= logical_id.startswith("ExecutionRoleDefaultPolicy")
    return logical_id[:-10] if named_by_content else logical_id


@pytest.mark.parametrize(("environment", "stack"), STACKS)
def test_logical_ids_are_a_contract(synthesized: Any, environment: str, stack: str) -> None:
    """A changed id makes CloudFormation delete one resource and make another."""
    known = json.loads((SNAPSHOTS / f"{environment}-{stack}.json").read_text(encoding="utf-8"))
    assert logical_ids(synthesized, environment, stack) == known


def test_tags_reach_every_resource_that_takes_them(synthesized: Any) -> None:
    for kind in ("AWS::SageMaker::Model", "AWS::SageMaker::Endpoint", "AWS::IAM::Role"):
        synthesized.template("prod", "digits").has_resource_properties(
            kind, {"Tags": Match.array_with([{"Key": "stage", "Value": "prod"}])}
        )


@pytest.mark.parametrize(
    ("environment", "of_bucket", "of_key"),
    [("prod", "Retain", "Retain"), ("staging", "Delete", "RetainExceptOnCreate")],
)
def test_production_data_outlives_its_stack_and_a_key_every_stack(
    synthesized: Any, environment: str, of_bucket: str, of_key: str
) -> None:
    template = synthesized.template(environment, "Storage")
    for kind, policy in (("AWS::S3::Bucket", of_bucket), ("AWS::KMS::Key", of_key)):
        for resource in template.find_resources(kind).values():
            assert resource["DeletionPolicy"] == policy


def test_the_key_lets_its_models_roles_alone_decrypt_for_s3_by_its_own_policy(
    synthesized: Any,
) -> None:
    """So they go on when it is left, and with it what their own policies say of it. What another
    team has named prod-reader stays out."""
    (key,) = synthesized.template("prod", "Storage").find_resources("AWS::KMS::Key").values()
    (statement,) = [
        each
        for each in key["Properties"]["KeyPolicy"]["Statement"]
        if each["Principal"] == {"AWS": "*"}
    ]
    assert statement["Action"] == "kms:Decrypt"
    conditions = {**statement["Condition"]}
    assert conditions.pop("StringEquals") == {"kms:CallerAccount": {"Ref": "AWS::AccountId"}}
    assert conditions.pop("StringLike") == {
        "kms:ViaService": {"Fn::Join": ["", ["s3.", {"Ref": "AWS::Region"}, ".amazonaws.com*"]]}
    }
    (roles,) = conditions.pop("ArnLike").values()
    assert conditions == {}
    assert re.findall(':role/[^"]*', json.dumps(roles)) == [":role/prod-digits-*"]


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ("prod", "its bucket outlives it"),
        ("staging", "it cannot be deleted while anything is in its bucket"),
    ],
)
def test_each_deploy_tells_what_a_destroy_will_do(
    synthesized: Any, environment: str, told: str
) -> None:
    template = synthesized.template(environment, "Storage").to_json()
    assert template["Outputs"]["AtDestroy"]["Value"] == told
    assert template["Description"] == f"Data of {environment}'s models; {told}"


def test_stacks_are_not_locked_together_by_exports(synthesized: Any) -> None:
    for environment, stack in STACKS:
        text = json.dumps(synthesized.template(environment, stack).to_json())
        assert "Fn::ImportValue" not in text
        assert '"Export"' not in text


@pytest.mark.parametrize(("environment", "stack"), STACKS)
def test_the_rules_find_nothing_in_the_template_itself(
    synthesized: Any, environment: str, stack: str
) -> None:
    resources = synthesized.template(environment, stack).to_json()["Resources"]
    found = check_template(template_of(resources), "eu-west-1", today=TODAY)
    assert [str(problem) for problem in found] == []


@pytest.mark.parametrize(("environment", "stack"), STACKS)
def test_state_machines_log_where_no_policy_grows(
    synthesized: Any, environment: str, stack: str
) -> None:
    template = synthesized.template(environment, stack)
    groups = template.find_resources("AWS::Logs::LogGroup")
    for machine in template.find_resources("AWS::StepFunctions::StateMachine").values():
        for said in machine["Properties"]["LoggingConfiguration"]["Destinations"]:
            (group, _) = said["CloudWatchLogsLogGroup"]["LogGroupArn"]["Fn::GetAtt"]
            name = groups[group]["Properties"]["LogGroupName"]
            assert name["Fn::Join"][1][0].startswith("/aws/vendedlogs/states/")

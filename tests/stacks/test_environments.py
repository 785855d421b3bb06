"""What the shipped environments become."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from aws_cdk.assertions import Match
from cdk_nag import AwsSolutionsChecks

from sagemaker_serving.rules import check_template, template_of

STACKS = [
    (environment, stack)
    for environment in ("local", "dev", "staging", "prod")
    for stack in ("Storage", "digits", "half-plus-three")
    if (environment, stack) not in {("staging", "half-plus-three"), ("prod", "half-plus-three")}
]


def kinds(synthesized: Any, environment: str, stack: str) -> dict[str, int]:
    resources = synthesized.template(environment, stack).to_json()["Resources"].values()
    return dict(Counter(resource["Type"].removeprefix("AWS::") for resource in resources))


def test_the_storage_stack_is_as_known(synthesized: Any) -> None:
    assert kinds(synthesized, "prod", "Storage") == {
        "KMS::Key": 1,
        "S3::Bucket": 2,
        "S3::BucketPolicy": 2,
        "SSM::Parameter": 2,
    }


def test_the_serving_stack_is_as_known(synthesized: Any) -> None:
    assert kinds(synthesized, "prod", "digits") == {
        "IAM::Policy": 2,
        "IAM::Role": 2,
        "Logs::LogGroup": 1,
        "SSM::Parameter": 4,
        "SageMaker::Endpoint": 1,
        "SageMaker::EndpointConfig": 1,
        "SageMaker::Model": 3,
        "StepFunctions::StateMachine": 1,
    }


def test_every_typed_field_arrives_in_the_container(synthesized: Any) -> None:
    synthesized.template("prod", "digits").has_resource_properties(
        "AWS::SageMaker::Model",
        {
            "PrimaryContainer": {
                "Image": Match.string_like_regexp("tensorflow-inference:2.19-gpu$"),
                "Environment": {
                    "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
                    "SAGEMAKER_TFS_MAX_BATCH_SIZE": "32",
                    "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "2000",
                    "SAGEMAKER_TFS_NUM_BATCH_THREADS": "4",
                    "SAGEMAKER_TFS_MAX_ENQUEUED_BATCHES": "64",
                    "SAGEMAKER_GUNICORN_TIMEOUT_SECONDS": "60",
                },
            }
        },
    )


def test_variants_are_as_the_file_says(synthesized: Any) -> None:
    synthesized.template("prod", "digits").has_resource_properties(
        "AWS::SageMaker::EndpointConfig",
        {
            "ProductionVariants": [
                {
                    "VariantName": "gpu",
                    "InstanceType": "ml.g4dn.xlarge",
                    "InitialInstanceCount": 2,
                    "InitialVariantWeight": 9,
                },
                {
                    "VariantName": "cpu",
                    "InstanceType": "ml.c5.xlarge",
                    "InitialInstanceCount": 2,
                    "InitialVariantWeight": 1,
                },
            ]
        },
    )


def test_tags_reach_every_resource_that_takes_them(synthesized: Any) -> None:
    for kind in ("AWS::SageMaker::Model", "AWS::SageMaker::Endpoint", "AWS::IAM::Role"):
        synthesized.template("prod", "digits").has_resource_properties(
            kind, {"Tags": Match.array_with([{"Key": "stage", "Value": "prod"}])}
        )


@pytest.mark.parametrize(("environment", "policy"), [("prod", "Retain"), ("staging", "Delete")])
def test_production_data_outlives_its_stack(
    synthesized: Any, environment: str, policy: str
) -> None:
    template = synthesized.template(environment, "Storage")
    for kind in ("AWS::S3::Bucket", "AWS::KMS::Key"):
        for resource in template.find_resources(kind).values():
            assert resource["DeletionPolicy"] == policy


def test_stacks_are_not_locked_together_by_exports(synthesized: Any) -> None:
    for environment, stack in STACKS:
        text = json.dumps(synthesized.template(environment, stack).to_json())
        assert "Fn::ImportValue" not in text
        assert '"Export"' not in text


@pytest.mark.parametrize(("environment", "stack"), STACKS)
def test_cdk_nag_has_nothing_unacknowledged(synthesized: Any, environment: str, stack: str) -> None:
    scope = synthesized.stages[environment].node.find_child(stack)
    violations = AwsSolutionsChecks(synthesized.app).validate_scope(scope).violations
    assert [violation.rule_name for violation in violations] == []


@pytest.mark.parametrize(("environment", "stack"), STACKS)
def test_the_rules_find_nothing_in_the_template_itself(
    synthesized: Any, environment: str, stack: str
) -> None:
    resources = synthesized.template(environment, stack).to_json()["Resources"]
    found = check_template(template_of(resources), "eu-west-1")
    assert [str(problem) for problem in found] == []

"""A private VPC of an environment's own: its stack, and the models in it."""

from __future__ import annotations

import json

import aws_cdk as cdk
import pytest
from aws_cdk.assertions import Match, Template
from cdk_nag import AwsSolutionsChecks, NIST80053R5Checks

from sagemaker_serving.spec import Environment
from stacks import EnvironmentStage
from tests.models import saved_model


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> cdk.Stage:
    folder = tmp_path_factory.mktemp("private")
    version = folder / "model" / "digits" / "1"
    version.mkdir(parents=True)
    (version / "saved_model.pb").write_bytes(saved_model())
    environment = Environment.model_validate(
        {
            "name": "prod",
            "region": "eu-west-1",
            "network": {"cidr": "10.1.0.0/16"},
            "models": {
                "digits": {
                    "artifact": "model",
                    "framework": "tensorflow",
                    "framework_version": "2.20",
                    "variants": [
                        {"name": "cpu", "instance_type": "ml.c5.large", "enable_ssm_access": True}
                    ],
                }
            },
        }
    )
    app = cdk.App(outdir=str(folder / "cdk.out"))
    return EnvironmentStage(app, environment, folder=folder)


def template(stage: cdk.Stage, name: str) -> Template:
    stack = stage.node.find_child(name)
    assert isinstance(stack, cdk.Stack)
    return Template.from_stack(stack)


def test_the_vpc_has_no_way_to_the_internet(stage: cdk.Stage) -> None:
    found = template(stage, "Network")
    found.has_resource_properties("AWS::EC2::VPC", {"CidrBlock": "10.1.0.0/16"})
    for kind in ("InternetGateway", "NatGateway"):
        found.resource_count_is(f"AWS::EC2::{kind}", 0)


def test_a_shell_into_a_container_has_its_channels_and_a_way_out(stage: cdk.Stage) -> None:
    services = [
        json.dumps(endpoint["Properties"]["ServiceName"])
        for endpoint in template(stage, "Network").find_resources("AWS::EC2::VPCEndpoint").values()
    ]
    assert any("ssmmessages" in service for service in services)
    template(stage, "digits").has_resource_properties(
        "AWS::IAM::Policy",
        {
            "PolicyDocument": {
                "Statement": Match.array_with(
                    [
                        {
                            "Action": [
                                f"ssmmessages:{verb}{kind}Channel"
                                for verb in ("Create", "Open")
                                for kind in ("Control", "Data")
                            ],
                            "Effect": "Allow",
                            "Resource": "*",
                        }
                    ]
                )
            }
        },
    )


def test_models_stand_in_its_subnets_and_are_told_by_parameters(stage: cdk.Stage) -> None:
    published = {
        resource["Properties"]["Name"]
        for resource in template(stage, "Network").find_resources("AWS::SSM::Parameter").values()
    }
    assert published == {
        f"/sagemaker-serving/prod/network/{name}"
        for name in ("subnet-1", "subnet-2", "security-group")
    }
    serving = template(stage, "digits").to_json()
    asked = {
        parameter["Default"]
        for parameter in serving["Parameters"].values()
        if parameter["Type"].startswith("AWS::SSM::Parameter::Value")
    }
    assert published <= asked
    (model,) = (
        resource["Properties"]
        for resource in serving["Resources"].values()
        if resource["Type"] == "AWS::SageMaker::Model"
    )
    assert (len(model["VpcConfig"]["Subnets"]), len(model["VpcConfig"]["SecurityGroupIds"])) == (
        2,
        1,
    )


def test_its_stack_comes_first(stage: cdk.Stage) -> None:
    serving = stage.node.find_child("digits")
    assert isinstance(serving, cdk.Stack)
    assert "Network" in {stack.node.id for stack in serving.dependencies}


@pytest.mark.parametrize("pack", [AwsSolutionsChecks, NIST80053R5Checks])
def test_scanners_find_nothing_unacknowledged(stage: cdk.Stage, pack: type) -> None:
    found = pack(stage.node.root).validate_scope(stage.node.find_child("Network")).violations
    assert [violation.rule_name for violation in found] == []

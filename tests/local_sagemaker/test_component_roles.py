"""An endpoint of components acts in the name of its config's role, which must have its policy.

So the config waits for that policy: ``tests/infra/endpoint/test_kinds.py``. What AWS asks for is
said in `network_access` and `image_access`.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from local_aws.faults import Fault, Kind
from tests.local_aws.aws import IMAGE, Aws, eventually

VPC = {"Subnets": ["subnet-1"], "SecurityGroupIds": ["sg-1"]}
TRUST = {
    "Version": "2012-10-17",
    "Statement": {
        "Effect": "Allow",
        "Principal": {"Service": "sagemaker.amazonaws.com"},
        "Action": "sts:AssumeRole",
    },
}
ALL = {
    "Version": "2012-10-17",
    "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"},
}


def template(kind: str, config: list[str], policy: list[str]) -> str:
    """An endpoint of one component in a VPC; what the config and the policy wait for."""
    container = {"Image": IMAGE, "ArtifactUrl": "s3://models/model.tar.gz"}
    variant = {"VariantName": "v", "InstanceType": "ml.m5.large", "InitialInstanceCount": 1}
    return json.dumps(
        {
            "Resources": {
                "Role": {
                    "Type": "AWS::IAM::Role",
                    "Properties": {"AssumeRolePolicyDocument": TRUST},
                },
                "Policy": {
                    "Type": "AWS::IAM::Policy",
                    "DependsOn": policy,
                    "Properties": {
                        "PolicyName": "own",
                        "PolicyDocument": ALL,
                        "Roles": [{"Ref": "Role"}],
                    },
                },
                "Config": {
                    "Type": "AWS::SageMaker::EndpointConfig",
                    "DependsOn": config,
                    "Properties": {
                        "ExecutionRoleArn": {"Fn::GetAtt": ["Role", "Arn"]},
                        "ProductionVariants": [variant],
                        **({"VpcConfig": VPC} if kind == "vpc" else {}),
                    },
                },
                "Endpoint": {
                    "Type": "AWS::SageMaker::Endpoint",
                    "Properties": {
                        "EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]}
                    },
                },
                "Component": {
                    "Type": "AWS::SageMaker::InferenceComponent",
                    "Properties": {
                        "EndpointName": {"Fn::GetAtt": ["Endpoint", "EndpointName"]},
                        "VariantName": "v",
                        "Specification": {
                            "Container": container,
                            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
                        },
                        "RuntimeConfig": {"CopyCount": 1},
                    },
                },
            }
        }
    )


def deployed(aws: Aws, name: str, text: str) -> tuple[str, str]:
    """The status that a new stack comes to, and why something of it failed."""
    client = aws.client("cloudformation")
    client.create_stack(StackName=name, TemplateBody=text, Capabilities=["CAPABILITY_IAM"])

    def look() -> Any:
        (stack,) = client.describe_stacks(StackName=name)["Stacks"]
        return None if stack["StackStatus"].endswith("_IN_PROGRESS") else stack["StackStatus"]

    status = str(eventually(look))
    events = client.describe_stack_events(StackName=name)["StackEvents"]
    failed = [each for each in events if each["ResourceStatus"] == "CREATE_FAILED"]
    reasons = [str(each.get("ResourceStatusReason")) for each in failed]
    client.delete_stack(StackName=name)
    return status, "\n".join(reasons)


@pytest.mark.parametrize(
    ("kind", "last", "lacking"),
    [
        ("vpc", "Endpoint", "does not have ec2:CreateNetworkInterface permission"),
        ("image", "Component", "does not have BatchGetImage permission"),
    ],
)
def test_what_does_not_wait_for_the_roles_policy_fails(
    aws: Aws, kind: str, last: str, lacking: str
) -> None:
    status, why = deployed(aws, f"{kind}-early", template(kind, [], [last]))
    assert status == "ROLLBACK_COMPLETE"
    assert lacking in why


def test_what_waits_for_it_stands(aws: Aws) -> None:
    assert deployed(aws, "waits", template("vpc", ["Policy"], [])) == ("CREATE_COMPLETE", "")


def test_a_race_with_the_policy_shows_where_iam_is_slow(aws: Aws) -> None:
    faults = aws.gateway.context.faults
    faults.put(Fault(id="slow", kind=Kind.SLOW, service="iam", latency_ms=120_000))
    try:
        status, why = deployed(aws, "race", template("vpc", [], []))
    finally:
        faults.clear()
    assert status == "ROLLBACK_COMPLETE"
    assert "does not have ec2:CreateNetworkInterface permission" in why

"""An endpoint of components acts in the name of its config's role, which must have its policy.

So the config waits for that policy: ``tests/infra/endpoint/test_kinds.py``. What AWS asks for is
said in `network_access` and `image_access`.
"""

from __future__ import annotations

from typing import Any

import pytest

from local_aws.faults import Fault, Kind
from tests.local_aws.aws import IMAGE, Aws
from tests.local_aws.services.cloudformation.templates import get_att, ref, resource
from tests.local_aws.stacks import Deployments

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


def template(kind: str, config: list[str], policy: list[str]) -> dict[str, Any]:
    """An endpoint of one component in a VPC; what the config and the policy wait for."""
    variant = {"VariantName": "v", "InstanceType": "ml.m5.large", "InitialInstanceCount": 1}
    specification = {
        "Container": {"Image": IMAGE, "ArtifactUrl": "s3://models/model.tar.gz"},
        "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
    }
    made = {
        "Role": resource("IAM::Role", AssumeRolePolicyDocument=TRUST),
        "Policy": resource(
            "IAM::Policy",
            *policy,
            PolicyName="own",
            PolicyDocument=ALL,
            Roles=[ref("Role")],
        ),
        "Config": resource(
            "SageMaker::EndpointConfig",
            *config,
            ExecutionRoleArn=get_att("Role", "Arn"),
            ProductionVariants=[variant],
            **({"VpcConfig": VPC} if kind == "vpc" else {}),
        ),
        "Endpoint": resource(
            "SageMaker::Endpoint", EndpointConfigName=get_att("Config", "EndpointConfigName")
        ),
        "Component": resource(
            "SageMaker::InferenceComponent",
            EndpointName=get_att("Endpoint", "EndpointName"),
            VariantName="v",
            Specification=specification,
            RuntimeConfig={"CopyCount": 1},
        ),
    }
    return {"Resources": made}


def deployed(aws: Aws, name: str, body: dict[str, Any]) -> tuple[str, str]:
    """The status that a new stack comes to, and why something of it failed."""
    stacks = Deployments(aws.client("cloudformation"))
    status = stacks.create(name, body)["StackStatus"]
    failed = [each for each in stacks.events(name) if each["ResourceStatus"] == "CREATE_FAILED"]
    stacks.delete(name)
    return status, "\n".join(str(each.get("ResourceStatusReason")) for each in failed)


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

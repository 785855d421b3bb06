"""Constructs that run as roles of somebody else's, which hold what they are said to need alone.

The nearest neighbour of each permission is denied: what was denied at all fails the test.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn

from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.deploy.assemblies import ACCOUNT, Cdk
from tests.infra.theirs import Names, Theirs, add_everything, documents_warned_of, imported_into
from tests.local_aws.aws import REGION, Aws, archive, eventually, policy, running, service_in
from tests.local_aws.stand_in import StandIn

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

SERVICES = {"models": "sagemaker", "functions": "lambda", "machines": "states", "rules": "events"}
NOTHING = {"Effect": "Allow", "Action": "sts:GetCallerIdentity", "Resource": "*"}


class Account:
    """A local AWS where somebody has a bucket, a key, a topic, a log, a VPC and three roles."""

    def __init__(self, aws: Aws, cli: Cdk, folder: Path) -> None:
        self.aws = aws
        self._cli = cli
        self._folder = folder
        aws.s3.create_bucket(
            Bucket="theirs", CreateBucketConfiguration={"LocationConstraint": REGION}
        )
        key = aws.client("kms").create_key()["KeyMetadata"]
        default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key["Arn"]}
        aws.s3.put_bucket_encryption(
            Bucket="theirs",
            ServerSideEncryptionConfiguration={
                "Rules": [{"ApplyServerSideEncryptionByDefault": default}]
            },
        )
        packed = archive({"file": b"x"})
        aws.s3.put_object(Bucket="theirs", Key="models/half.tar.gz", Body=packed)
        aws.client("sns").create_topic(Name="theirs", Attributes={"KmsMasterKeyId": key["KeyId"]})
        aws.client("logs").create_log_group(logGroupName="/theirs")
        ec2 = aws.client("ec2")
        vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/20")["Subnet"]["SubnetId"]
        group = ec2.create_security_group(VpcId=vpc, GroupName="theirs", Description="theirs")
        self.names = Names(
            account=ACCOUNT, key=key["KeyId"], vpc=vpc, subnet=subnet, group=group["GroupId"]
        )

    def deploy(self, name: str, *, mutable: bool) -> None:
        """The stack ``name`` of every construct that takes what is there."""
        names = replace(self.names, stack=name, roles=f"{name}-")
        for role, service in SERVICES.items():
            self.aws.role(f"{name}-{role}", service, NOTHING)
        said = {} if mutable else self._said(names)
        assembly = self._folder / name
        have = self._have(assembly, names, mutable=mutable)
        for role, statements in said.items():
            self._add(have, role, statements)
        have.stack.node.root.synth()  # type: ignore[attr-defined]
        ended = self._cli.of_app("deploy", assembly, "--require-approval=never")
        assert ended.status == 0, ended.printed

    def _said(self, names: Names) -> dict[str, list[dict[str, Any]]]:
        return documents_warned_of(self._have(self._folder / "first", names, mutable=False))

    def _have(self, assembly: Path, names: Names, *, mutable: bool) -> Theirs:
        have = imported_into(cdk.App(outdir=str(assembly)), names, mutable=mutable)
        have.topic_key = have.key
        batch = add_everything(have, compiles=False)
        transform = batch.as_task(
            have.stack,
            "Transform",
            input=sfn.JsonPath.string_at("$.input"),
            output=sfn.JsonPath.string_at("$.output"),
        )
        machine = sfn.StateMachine(
            have.stack, "Own", definition_body=sfn.DefinitionBody.from_chainable(transform)
        )
        cdk.CfnOutput(have.stack, "Machine", value=machine.state_machine_arn)
        return have

    def _add(self, have: Theirs, role: str, statements: list[dict[str, Any]]) -> None:
        """What names nothing of the stack is there before it, the rest as it is made."""
        before = [each for each in statements if "${" not in json.dumps(each)]
        self.aws.client("iam").put_role_policy(
            RoleName=f"{have.stack.stack_name}-{role}",
            PolicyName="said",
            PolicyDocument=policy(*before),
        )
        later = [each for each in statements if each not in before]
        if later:
            added = iam.CfnRolePolicy(
                have.stack,
                f"Said{role}",
                role_name=f"{have.stack.stack_name}-{role}",
                policy_name="later",
                policy_document={"Version": "2012-10-17", "Statement": _substituted(later)},
            )
            # Lambda looks whether a function may call what is told of its failures.
            for name in ("Archives", "Compiler", "Router", "Let"):
                given_up = have.stack.node.find_child(name).node.find_child("GivenUp")
                given_up.node.add_dependency(added)

    def transformed(self, name: str) -> bytes:
        """The answer to one object of a batch, which is a task of another state machine."""
        self.aws.s3.put_object(Bucket="theirs", Key=f"in/{name}/one", Body=b"abc")
        (stack,) = self.aws.client("cloudformation").describe_stacks(StackName=name)["Stacks"]
        (machine,) = (
            each["OutputValue"] for each in stack["Outputs"] if each["OutputKey"] == "Machine"
        )
        states = self.aws.client("stepfunctions")
        where = {"input": f"s3://theirs/in/{name}/", "output": f"s3://theirs/out/{name}/"}
        started = states.start_execution(stateMachineArn=machine, input=json.dumps(where))

        def ended() -> Any:
            found = states.describe_execution(executionArn=started["executionArn"])
            return found if found["status"] != "RUNNING" else None

        found = eventually(ended)
        assert found["status"] == "SUCCEEDED", found
        assert json.loads(found["output"])["Output"]["counts"]["answered"] == 1
        answer: bytes = self.aws.s3.get_object(Bucket="theirs", Key=f"out/{name}/one.out")[
            "Body"
        ].read()
        return answer


@pytest.fixture(scope="module")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    folder = tmp_path_factory.mktemp("aws")
    with running(folder, launch=StandIn.start, settings=Settings(time_scale=60)) as gateway:
        aws = Aws(gateway)
        cli = Cdk(gateway, tmp_path_factory.mktemp("cdk"))
        assert cli.bootstrap().status == 0
        yield Account(aws, cli, tmp_path_factory.mktemp("apps"))


@pytest.mark.parametrize("name", ["Granted", "Said"])
def test_it_serves_captures_copies_and_transforms_as_roles_of_others(
    account: Account, name: str
) -> None:
    """Granted to imported roles by the deploy; or said in a warning, and added by somebody."""
    account.deploy(name, mutable=name == "Granted")

    assert account.aws.ask(name.lower(), b"abc") == b"cba"
    service_in(account.aws.gateway, SageMaker).flush(instances=False)
    assert account.aws.s3.list_objects_v2(Bucket="theirs", Prefix=f"captured/{name.lower()}/a/")[
        "Contents"
    ]
    assert account.aws.s3.list_objects_v2(Bucket="theirs", Prefix="many/")["Contents"]
    assert account.transformed(name) == b"cba"


def _substituted(value: Any) -> Any:
    """Names of the stack's resources as CloudFormation puts what they stand for in their place."""
    if isinstance(value, str):
        return {"Fn::Sub": value} if "${" in value else value
    if isinstance(value, list):
        return [_substituted(each) for each in value]
    return {key: _substituted(each) for key, each in value.items()}

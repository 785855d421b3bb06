"""What a deploy does when SageMaker goes back silently, when somebody has, and when all goes.

Stacks of environment files, deployed through CloudFormation's API; model servers are stand-ins.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from constructs import Construct

from local_aws.faults import Fault, Kind
from sagemaker_serving.answers.bodies import Answer
from sagemaker_serving.answers.golden_file import Exchange, Request, write_golden
from sagemaker_serving.infra import (
    CompiledModelGate,
    CompiledModelJudge,
    ContainerImage,
    DeployGuard,
    Endpoint,
    EndpointConfig,
    ExecutionRole,
    InstanceVariant,
    Model,
    ModelData,
    Network,
)
from sagemaker_serving.operations import find_rollback
from sagemaker_serving.spec import read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT, ROOT
from tests.deploy.direct import DirectDeploy
from tests.local_aws.aws import REGION, Aws, client_of

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(900)]

FILE = """\
name: guarded
region: eu-west-1
tags: {{team: {team}}}
models:
  half:
    artifact: {artifact}
    framework: tensorflow
    framework_version: "2.20"
    environment: {{VERSION: "{version}"}}
    {update}
    variants: [{{name: cpu, instance_type: ml.c5.large, initial_instance_count: 1}}]
"""
STACK, ENDPOINT = "guarded-half", "guarded-half"


class Deploys:
    def __init__(self, aws: Aws, folder: Path) -> None:
        self.aws = aws
        self._folder = folder
        self._made = 0

    def deploy(
        self,
        version: str,
        update: str = "update: {all_at_once: true}",
        artifact: str = f"{ROOT}/model_assets/half_plus_three/model",
        *,
        team: str = "one",
        then_fails: bool = False,
        rolls_back: bool = True,
    ) -> str:
        """What the deploy fails with; "" when it succeeds.

        With ``then_fails`` a resource is never made, after the endpoint has moved.
        """
        self._made += 1
        path = self._folder / "guarded.yaml"
        text = FILE.format(artifact=artifact, version=version, update=update, team=team)
        path.write_text(text)
        app = cdk.App(outdir=str(self._folder / f"cdk.out-{self._made}"))
        environment = read_environment(path).sound
        add_environment(
            Construct(app, "guarded"), environment, folder=self._folder, account=ACCOUNT
        )
        if then_fails:
            stack: Any = app.node.find_child("guarded").node.find_child("half")
            wrong = {"QueueName": "no name of a queue"}
            last = cdk.CfnResource(stack, "Last", type="AWS::SQS::Queue", properties=wrong)
            last.add_dependency(stack.node.find_child("DeployGuard").node.find_child("After"))
        self.direct = DirectDeploy(self.aws, Path(app.synth().directory), ACCOUNT, REGION)
        return "\n".join(self.direct.deploy(rolls_back=rolls_back))

    @property
    def serving(self) -> tuple[str, str]:
        """The config that the endpoint has, and the version that answers."""
        config = self.aws.settled(ENDPOINT)["EndpointConfigName"]
        return config, self.aws.ask(ENDPOINT, b"which").decode()

    def configs(self) -> set[str]:
        found = self.aws.sagemaker.list_endpoint_configs()["EndpointConfigs"]
        return {each["EndpointConfigName"] for each in found}

    def events(self) -> list[tuple[str, str]]:
        """What became of the stack's resources: type and status, the first first."""
        events = events_of(self.aws, STACK)
        return [(each["ResourceType"], each["ResourceStatus"]) for each in events]


def events_of(aws: Aws, stack: str) -> list[Any]:
    stacks = aws.client("cloudformation")
    (found,) = [
        each for each in stacks.list_stacks()["StackSummaries"] if each["StackName"] == stack
    ]
    events = stacks.describe_stack_events(StackName=found["StackId"])["StackEvents"]
    return list(reversed(events))


@pytest.fixture(scope="module")
def deploys(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deploys]:
    made = Deploys(aws, tmp_path_factory.mktemp("guarded"))
    assert made.deploy("first", update="") == ""
    yield made
    aws.gateway.context.faults.clear()


def test_a_silent_rollback_fails_the_deploy_and_deletes_nothing_that_serves(
    deploys: Deploys,
) -> None:
    """Also where the file says neither production nor ``update``."""
    before, _ = deploys.serving
    faults = deploys.aws.gateway.context.faults
    faults.put(Fault(id="back", kind=Kind.SILENT_ROLLBACK, first=1))
    failed = deploys.deploy("second", update="")
    faults.clear()
    assert f"{ENDPOINT} serves {before} after the update to " in failed
    assert deploys.serving == (before, "first")
    assert before in deploys.configs()
    assert deploys.deploy("second", update="") == ""
    assert deploys.serving[1] == "second"
    assert before not in deploys.configs()


def test_the_serving_version_keeps_its_grants_until_it_is_left(deploys: Deploys) -> None:
    assert deploys.deploy("third", artifact='{s3: "s3://models/model.tar.gz"}') == ""
    events = deploys.events()
    policy, endpoint = "AWS::IAM::Policy", "AWS::SageMaker::Endpoint"
    moved = len(events) - 1 - events[::-1].index((endpoint, "UPDATE_COMPLETE"))
    began = len(events) - 1 - events[::-1].index((endpoint, "UPDATE_IN_PROGRESS"))
    made = len(events) - 1 - events[::-1].index((policy, "CREATE_COMPLETE"))
    gone = len(events) - 1 - events[::-1].index((policy, "DELETE_COMPLETE"))
    assert made < began < moved < gone


def test_after_a_rollback_only_the_former_commit_is_deployed_and_then_all_others(
    deploys: Deploys,
) -> None:
    assert deploys.deploy("good") == ""
    good, _ = deploys.serving
    assert deploys.deploy("bad") == ""
    bad, _ = deploys.serving
    find_rollback(ENDPOINT, client_of(deploys.aws.gateway)).begin()
    assert deploys.serving == (good, "good")

    refused = deploys.deploy("next")
    assert f"{ENDPOINT} serves {good}, and its stack says {bad}: " in refused
    assert deploys.serving == (good, "good")

    # Nor a change of tags, for which CloudFormation may move the endpoint, too.
    refused = deploys.deploy("bad", team="two")
    assert f"{ENDPOINT} serves {good}, and its stack says {bad}: " in refused
    assert deploys.serving == (good, "good")

    # If one that is let through fails, CloudFormation moves it to what the stack says.
    assert "Last" in deploys.deploy("good", then_fails=True)
    assert deploys.serving == (bad, "bad")
    find_rollback(ENDPOINT, client_of(deploys.aws.gateway)).begin()
    assert "Last" in deploys.deploy("good", then_fails=True, rolls_back=False)
    assert deploys.serving[1] == "good"

    assert deploys.deploy("good") == ""
    again, version = deploys.serving
    assert (again != good, version) == (True, "good")
    assert deploys.deploy("next") == ""
    assert deploys.serving[1] == "next"


def test_both_looks_are_of_a_change_of_tags_alone_too(deploys: Deploys) -> None:
    assert deploys.deploy("next") == ""
    before, _ = deploys.serving
    assert deploys.deploy("next", team="two") == ""
    events = deploys.events()
    began = len(events) - events[::-1].index(("AWS::CloudFormation::Stack", "UPDATE_IN_PROGRESS"))
    looked = [kind for kind, status in events[began:] if status == "UPDATE_COMPLETE"]
    order = ("Custom::EndpointBefore", "AWS::SageMaker::Endpoint", "Custom::EndpointAfter")
    assert tuple(kind for kind in looked if kind in order) == order
    assert deploys.serving == (before, "next")


def test_the_role_goes_after_the_endpoint_and_what_waits_for_its_end(deploys: Deploys) -> None:
    failed: list[Any] = []
    for name in reversed(deploys.direct.deployed):
        failed += deploys.direct.destroy(name)
    assert failed == []
    ended = [kind for kind, status in deploys.events() if status == "DELETE_COMPLETE"]
    waits = ended.index("Custom::EndpointBefore")
    assert ended.index("AWS::SageMaker::Endpoint") < waits < ended.index("AWS::IAM::Role")


def test_the_role_outlasts_what_a_gate_has_started_where_a_first_deploy_fails_in_it(
    aws: Aws, tmp_path: Path
) -> None:
    ec2 = aws.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.8.1.0/24")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(VpcId=vpc, GroupName="gated", Description="models")
    app = cdk.App(outdir=str(tmp_path / "cdk.out"))
    stack = cdk.Stack(app, "gated", env=cdk.Environment(account=ACCOUNT, region=REGION))
    role = ExecutionRole(stack, "Role")
    model = Model(
        stack,
        "Model",
        role=role,
        image=ContainerImage.from_catalog("tensorflow", "2.20"),
        model_data=ModelData.from_s3("s3://models/model.tar.gz", sha256="0" * 64),
        instance_type="ml.c5.large",
        network=Network(subnet_ids=[subnet], security_group_ids=[group["GroupId"]]),
    )
    variant = InstanceVariant(name="cpu", model=model, instance_type="ml.c5.large")
    asked = Request(body=b"52.0,5.0", content_type="text/csv")
    golden = tmp_path / "golden.jsonl"
    write_golden(golden, [Exchange(request=asked, expected=Answer(status=200, body=b"1,1"))])
    judge = CompiledModelJudge(stack, "Judge", retain_logs=False)
    gate = CompiledModelGate(
        stack, "Gate", judge=judge, variant=variant, golden=golden, max_error=0.001
    )
    config = EndpointConfig(stack, "Config", variants=[variant])
    gate.guard(config)
    endpoint = Endpoint(stack, "Endpoint", endpoint_name="gated", endpoint_config=config)
    guard = DeployGuard(stack, "Guard", endpoint=endpoint, endpoint_config=config)
    guard.outlast(config, [gate])
    direct = DirectDeploy(aws, Path(app.synth().directory), ACCOUNT, REGION)
    failed = "\n".join(direct.deploy())

    assert "the compiled model of cpu on ml.c5.large is not accepted" in failed
    assert direct.destroy("gated") == []
    ended = [
        each["LogicalResourceId"]
        for each in events_of(aws, "gated")
        if each["ResourceStatus"] == "DELETE_COMPLETE"
    ]
    gates, waits, *roles = (
        ended.index(stack.resolve(each.logical_id))
        for made in (gate, guard.node.find_child("First"), role)
        for each in made.node.find_all()
        if isinstance(each, cdk.CfnResource)
    )
    assert gates < waits < min(roles)

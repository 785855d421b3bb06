"""Environments in a network, and apps that look a network up, by the real CDK CLI.

The model servers are stand-ins; the stacks, the CLI and everything between are not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from constructs import Construct

from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.spec import Environment, read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT, ROOT, Cdk
from tests.local_aws.aws import REGION, Aws, running
from tests.local_aws.stand_in import StandIn

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

SHIPPED = sorted((ROOT / "environments").glob("*.yaml"))
TELLS = f"""\
import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2

app = cdk.App()
where = cdk.Environment(account="{ACCOUNT}", region="{REGION}")


def tell(stack, vpc, group):
    for kind in ("public", "private"):
        subnets = getattr(vpc, kind + "_subnets")
        cdk.CfnOutput(stack, kind, value=",".join(each.subnet_id for each in subnets))
    cdk.CfnOutput(stack, "group", value=group.security_group_id)


"""
MAKES = f"""\
{TELLS}
stack = cdk.Stack(app, "theirs", env=where)
vpc = ec2.Vpc(stack, "Vpc", max_azs=2, restrict_default_security_group=False)
cdk.Tags.of(vpc).add("stage", "theirs")
tell(stack, vpc, ec2.SecurityGroup(stack, "Group", vpc=vpc, security_group_name="theirs"))
app.synth()
"""
LOOKS_UP = f"""\
{TELLS}
stack = cdk.Stack(app, "looking", env=where)
vpc = ec2.Vpc.from_lookup(stack, "Vpc", tags={{"stage": "theirs"}})
tell(stack, vpc, ec2.SecurityGroup.from_lookup_by_name(stack, "Group", "theirs", vpc))
app.synth()
"""


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    folder = tmp_path_factory.mktemp("aws")
    with running(folder, launch=StandIn.start, settings=Settings(time_scale=60)) as gateway:
        yield Aws(gateway)


@pytest.fixture(scope="module")
def cli(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Cdk:
    cli = Cdk(aws.gateway, tmp_path_factory.mktemp("cdk"))
    assert cli.bootstrap().status == 0
    return cli


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_ships_stands_in_a_network_of_its_own(
    aws: Aws, cli: Cdk, tmp_path: Path, path: Path
) -> None:
    assembly = deploy(cli, tmp_path, path, {"cidr": "10.1.0.0/16"})

    name = read(path).name
    made = network_of(aws, f"{name}-Network")
    found = list(vpc_configs(aws, name))
    assert found
    for config in found:
        assert sorted(config["Subnets"]) == made["subnets"]
        assert set(config["SecurityGroupIds"]) < set(made["groups"])
    assert made["endpoints"] >= 3
    assert cli.of_app("destroy", assembly, "--force").status == 0 or name == "prod"


def test_an_app_finds_the_network_that_another_made(aws: Aws, cli: Cdk, tmp_path: Path) -> None:
    commands = {}
    for name, text in {"makes": MAKES, "looks_up": LOOKS_UP}.items():
        (tmp_path / f"{name}.py").write_text(text)
        commands[name] = f"{sys.executable} {tmp_path / f'{name}.py'}"
    deployed = cli.of_app("deploy", commands["makes"], "--require-approval=never")
    assert deployed.status == 0, deployed.printed

    ended = cli.of_app("synth", commands["looks_up"], "--json", f"--output={tmp_path / 'out'}")

    assert ended.status == 0, ended.printed
    template = json.loads((tmp_path / "out" / "looking.template.json").read_text())
    found = {key: output["Value"] for key, output in template["Outputs"].items()}
    assert found == outputs_of(aws, "theirs")
    assert cli.of_app("destroy", commands["makes"], "--force").status == 0


def read(path: Path) -> Environment:
    environment = read_environment(path).environment
    assert environment is not None
    return environment


def deploy(cli: Cdk, folder: Path, path: Path, network: dict[str, Any]) -> Path:
    """Deploys an environment that ships with a network beside; the assembly."""
    given = read(path).model_dump(exclude_unset=True) | {"network": network}
    zones = {f"availability-zones:account={ACCOUNT}:region={REGION}": ["eu-west-1a", "eu-west-1b"]}
    app = cdk.App(outdir=str(folder / "assembly"), context=zones)
    add_environment(
        Construct(app, "shipped"),
        Environment.model_validate(given),
        folder=path.parent,
        account=ACCOUNT,
    )
    app.synth()
    ended = cli.of_app("deploy", folder / "assembly", "--require-approval=never", "--concurrency=4")
    assert ended.status == 0, ended.printed
    return folder / "assembly"


def vpc_configs(aws: Aws, environment: str) -> Iterator[dict[str, Any]]:
    """Where the models of an environment's endpoints stand."""
    for endpoint in aws.sagemaker.list_endpoints(NameContains=f"{environment}-")["Endpoints"]:
        described = aws.sagemaker.describe_endpoint(EndpointName=endpoint["EndpointName"])
        config = aws.sagemaker.describe_endpoint_config(
            EndpointConfigName=described["EndpointConfigName"]
        )
        for variant in config["ProductionVariants"]:
            model = aws.sagemaker.describe_model(ModelName=variant["ModelName"])
            yield model["VpcConfig"]


def network_of(aws: Aws, stack: str) -> dict[str, Any]:
    """What a stack has of a network."""
    resources = aws.client("cloudformation").describe_stack_resources(StackName=stack)
    ids: dict[str, list[str]] = {}
    for each in resources["StackResources"]:
        ids.setdefault(each["ResourceType"], []).append(each["PhysicalResourceId"])
    return {
        "subnets": sorted(ids["AWS::EC2::Subnet"]),
        "groups": ids["AWS::EC2::SecurityGroup"],
        "endpoints": len(ids["AWS::EC2::VPCEndpoint"]),
    }


def outputs_of(aws: Aws, stack: str) -> dict[str, str]:
    (found,) = aws.client("cloudformation").describe_stacks(StackName=stack)["Stacks"]
    return {each["OutputKey"]: each["OutputValue"] for each in found["Outputs"]}

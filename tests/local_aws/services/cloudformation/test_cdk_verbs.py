"""The real CDK CLI's other verbs, on an app with a nested stack and on stacks by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.local_aws.cdk_cli import Cli
from tests.local_aws.services.cloudformation.conftest import REGION, Aws

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def cli(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    cli = Cli(aws.gateway, tmp_path_factory.mktemp("cli"))
    status, printed = cli("bootstrap", f"aws://123456789012/{REGION}")
    assert status == 0, printed
    return cli


def synthesized(folder: Path, value: str, *, broken: bool = False) -> Path:
    """An app whose stack nests one, which nests another; ``broken``: the innermost fails."""
    import aws_cdk as cdk
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_ssm as ssm

    app = cdk.App(
        outdir=str(folder / f"{value}-{broken}"),
        context={"aws:cdk:enable-asset-metadata": True},  # the CLI's own: by it, diff looks inside
    )
    stack = cdk.Stack(app, "Outer")
    middle = cdk.NestedStack(stack, "Middle")
    inner = cdk.NestedStack(middle, "Inner")
    first = ssm.StringParameter(stack, "First", string_value=value)
    second = ssm.StringParameter(middle, "Second", string_value=first.string_value)
    third = ssm.StringParameter(
        inner, "Third", string_value=second.string_value, description=f"of {value}"
    )
    if broken:
        policy = iam.ManagedPolicy.from_managed_policy_arn(
            inner, "None", f"arn:aws:iam::123456789012:policy/{value}"
        )
        role = iam.Role(
            inner,
            "Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            managed_policies=[policy],
        )
        role.node.add_dependency(third)
    cdk.CfnOutput(stack, "Name", value=third.parameter_name)
    return Path(app.synth().directory)


@pytest.mark.parametrize("method", ["change-set", "direct"])
def test_nested_stacks_are_deployed_updated_rolled_back_and_destroyed(
    aws: Aws, cli: Cli, tmp_path: Path, method: str
) -> None:
    option = f"--method={method}"
    cli.deploy(synthesized(tmp_path, "one"), option)
    name = aws.outputs("Outer")["Name"]
    stacks = _stacks(aws)

    status, printed = cli("diff", "--app", str(synthesized(tmp_path, "two")))

    assert status == 0, printed
    assert "Third" in printed

    cli.deploy(synthesized(tmp_path, "two"), option)

    assert _value(aws, name) == "two"
    assert _stacks(aws) == stacks

    status, printed = cli(
        *("deploy", "--app", str(synthesized(tmp_path, "three", broken=True))),
        *("--require-approval=never", option),
    )

    assert status == 1
    assert "policy/three does not exist" in printed
    assert aws.stack("Outer")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert _value(aws, name) == "two"
    assert _stacks(aws) == stacks

    assert cli.destroy(synthesized(tmp_path, "two"))[0] == 0
    assert _stacks(aws) == ["CDKToolkit"]
    names = aws.client("ssm").describe_parameters()["Parameters"]
    assert [each["Name"] for each in names] == ["/cdk-bootstrap/hnb659fds/version"]


def _value(aws: Aws, name: str) -> str:
    found: str = aws.client("ssm").get_parameter(Name=name)["Parameter"]["Value"]
    return found


def _stacks(aws: Aws) -> list[str]:
    return sorted(each["StackName"] for each in aws.cloudformation.describe_stacks()["Stacks"])

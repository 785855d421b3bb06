"""The real CDK CLI deploys, updates and destroys a small app, by change sets and directly."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.local_aws.cdk_cli import Cli
from tests.local_aws.services.cloudformation.conftest import REGION, Aws

pytestmark = pytest.mark.slow

Synth = Callable[..., Path]


@pytest.fixture(scope="module")
def cli(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    cli = Cli(aws.gateway, tmp_path_factory.mktemp("cli"))
    status, printed = cli("bootstrap", f"aws://123456789012/{REGION}")
    assert status == 0, printed
    yield cli
    aws.endpoints.seconds = 0.2


@pytest.fixture
def synth(tmp_path: Path) -> Synth:
    """Synthesizes the small app; ``model`` replaces the Model, ``config`` names the config."""

    def synthesize(
        stack_name: str,
        *,
        model: str = "one",
        config: str | None = None,
        missing_policy: bool = False,
    ) -> Path:
        import aws_cdk as cdk
        from aws_cdk import aws_iam as iam
        from aws_cdk import aws_s3 as s3
        from aws_cdk import aws_sagemaker as sagemaker
        from aws_cdk import aws_stepfunctions as stepfunctions

        app = cdk.App(outdir=str(tmp_path / f"{stack_name}-{model}-{config}"))
        stack = cdk.Stack(app, stack_name)
        bucket = s3.Bucket(
            stack,
            "Bucket",
            bucket_name=f"{stack_name.lower()}-bucket",
            versioned=False,
            enforce_ssl=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        role = iam.Role(
            stack,
            "Role",
            assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"),
        )
        bucket.grant_read(role)
        container = sagemaker.CfnModel.ContainerDefinitionProperty(
            image=f"763104351884.dkr.ecr.{REGION}.amazonaws.com/tensorflow-inference:2.19-cpu",
            model_data_url=f"s3://{bucket.bucket_name}/{model}.tar.gz",
        )
        resource = sagemaker.CfnModel(
            stack, "Model", execution_role_arn=role.role_arn, primary_container=container
        )
        resource.node.add_dependency(role)
        variant = sagemaker.CfnEndpointConfig.ProductionVariantProperty(
            variant_name="blue",
            model_name=resource.attr_model_name,
            initial_instance_count=1,
            instance_type="ml.m5.large",
            initial_variant_weight=1,
        )
        endpoint_config = sagemaker.CfnEndpointConfig(
            stack, "Config", production_variants=[variant], endpoint_config_name=config
        )
        endpoint = sagemaker.CfnEndpoint(
            stack,
            "Endpoint",
            endpoint_name=stack_name.lower(),
            endpoint_config_name=endpoint_config.attr_endpoint_config_name,
        )
        stepfunctions.StateMachine(
            stack,
            "Machine",
            definition_body=stepfunctions.DefinitionBody.from_chainable(
                stepfunctions.Pass(stack, "Pass")
            ),
        )
        if missing_policy:
            late = iam.CfnRole(
                stack,
                "Late",
                assume_role_policy_document={
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Action": "sts:AssumeRole",
                            "Principal": {"Service": "sagemaker.amazonaws.com"},
                        }
                    ],
                },
                managed_policy_arns=["arn:aws:iam::123456789012:policy/none"],
            )
            late.add_dependency(endpoint)
        cdk.CfnOutput(stack, "EndpointName", value=endpoint.attr_endpoint_name)
        cdk.CfnOutput(stack, "ModelName", value=resource.attr_model_name)
        return Path(app.synth().directory)

    return synthesize


@pytest.mark.parametrize("method", ["change-set", pytest.param("direct", marks=pytest.mark.long)])
def test_deploy_update_and_destroy(aws: Aws, cli: Cli, synth: Synth, method: str) -> None:
    name = method.title().replace("-", "")
    option = f"--method={method}"

    printed = cli.deploy(synth(name), option)

    assert f"{name}.EndpointName = {name.lower()}" in printed
    assert "CREATE_COMPLETE" in printed
    before = aws.outputs(name)

    printed = cli.deploy(synth(name, model="two"), option)

    assert "UPDATE_COMPLETE_CLEANUP" in printed
    after = aws.outputs(name)
    assert after["ModelName"] != before["ModelName"]
    assert f"{name}.ModelName = {after['ModelName']}" in printed
    assert _models_in_use(aws, name.lower()) == [after["ModelName"]]

    assert "(no changes)" in cli.deploy(synth(name, model="two"), option, "--force")

    status, printed = cli.destroy(synth(name, model="two"))

    assert status == 0, printed
    assert "destroyed" in printed
    assert [stack["StackName"] for stack in _living(aws)] == ["CDKToolkit"]


@pytest.mark.long
def test_a_failed_create_is_explained_and_leaves_nothing(aws: Aws, cli: Cli, synth: Synth) -> None:
    assembly = synth("Failing", missing_policy=True)

    status, printed = cli("deploy", "--app", str(assembly), "--require-approval=never")

    assert status == 1
    assert "policy/none does not exist or is not attachable" in printed
    assert aws.stack("Failing")["StackStatus"] == "ROLLBACK_COMPLETE"
    assert aws.physical_ids("Failing") == {}
    assert "failing-bucket" not in _buckets(aws)

    mended = cli.deploy(synth("Failing"))

    assert "CREATE_COMPLETE" in mended, "the CLI deletes the failed stack and makes it anew"
    assert cli.destroy(assembly)[0] == 0


@pytest.mark.long
def test_a_failed_update_returns_to_the_old_state(aws: Aws, cli: Cli, synth: Synth) -> None:
    cli.deploy(synth("Back"))
    before = aws.outputs("Back")

    status, printed = cli(
        "deploy",
        "--app",
        str(synth("Back", model="two", config="BrokenConfig")),
        "--require-approval=never",
    )

    assert status == 1
    assert "did not pass the ping health" in printed
    assert aws.stack("Back")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.outputs("Back") == before
    assert _models_in_use(aws, "back") == [before["ModelName"]]
    cli.deploy(synth("Back", model="three"))
    assert cli.destroy(synth("Back"))[0] == 0


@pytest.mark.long
def test_a_bucket_with_objects_stops_the_destroy(aws: Aws, cli: Cli, synth: Synth) -> None:
    assembly = synth("Full")
    cli.deploy(assembly)
    s3 = aws.client("s3")
    s3.put_object(Bucket="full-bucket", Key="k", Body=b"v")

    status, printed = cli.destroy(assembly)

    assert status == 1
    assert "The bucket you tried to delete is not empty" in printed
    assert aws.stack("Full")["StackStatus"] == "DELETE_FAILED"
    s3.delete_object(Bucket="full-bucket", Key="k")
    assert cli.destroy(assembly)[0] == 0


@pytest.mark.long
def test_diff_and_list(aws: Aws, cli: Cli, synth: Synth) -> None:
    cli.deploy(synth("Diff"))

    status, printed = cli("diff", "--app", str(synth("Diff", model="two")))

    assert status == 0, printed
    assert "Model replace" in printed
    assert "may be replaced" in printed
    assert aws.cloudformation.list_change_sets(StackName="Diff")["Summaries"] == []
    assert cli("list", "--app", str(synth("Diff")))[1].strip() == "Diff"
    assert cli.destroy(synth("Diff"))[0] == 0


def test_a_refusal_names_the_resource(aws: Aws, cli: Cli, tmp_path: Path) -> None:
    import aws_cdk as cdk

    app = cdk.App(outdir=str(tmp_path / "out"))
    stack = cdk.Stack(app, "Refused")
    properties = {"ResourceArn": "*", "PolicyDocument": {}}
    cdk.CfnResource(stack, "Open", type="AWS::Lambda::ResourcePolicy", properties=properties)
    assembly = app.synth().directory

    status, printed = cli("deploy", "--app", assembly, "--require-approval=never")

    assert status == 1
    assert "Resource Open: the local AWS cannot deploy AWS::Lambda::ResourcePolicy" in printed
    assert "Refused" not in [stack["StackName"] for stack in _living(aws)]


def _models_in_use(aws: Aws, endpoint: str) -> list[str]:
    sagemaker = aws.client("sagemaker")
    config = sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointConfigName"]
    variants = sagemaker.describe_endpoint_config(EndpointConfigName=config)["ProductionVariants"]
    return [variant["ModelName"] for variant in variants]


def _living(aws: Aws) -> list[dict[str, Any]]:
    stacks: list[dict[str, Any]] = aws.cloudformation.describe_stacks()["Stacks"]
    return stacks


def _buckets(aws: Aws) -> list[str]:
    return [bucket["Name"] for bucket in aws.client("s3").list_buckets()["Buckets"]]

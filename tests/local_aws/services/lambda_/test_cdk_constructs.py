"""What CDK's own constructs do by functions is done: deployed by the real CLI, seen, destroyed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from local_aws.gateway import Gateway
from tests.local_aws.cdk_cli import Cli

pytestmark = pytest.mark.long

IS_COMPLETE = """
calls = {"events": 0}

def handler(event, context):
    calls["events"] += 1
    return {"IsComplete": calls["events"] > 1 or event["RequestType"] == "Delete",
            **({"Data": {"Answer": "complete"}} if calls["events"] > 1 else {})}
"""


@pytest.fixture(scope="module")
def cli(gateway: Gateway, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    cli = Cli(gateway, tmp_path_factory.mktemp("cli"))
    status, printed = cli("bootstrap", "aws://123456789012/eu-west-1")
    assert status == 0, printed
    return cli


Build = Callable[[Any], None]


def synthesized(folder: Path, name: str, build: Build) -> Path:
    """The assembly of one stack."""
    import aws_cdk as cdk

    app = cdk.App(
        outdir=str(folder / "cdk.out"),
    )
    build(cdk.Stack(app, name))
    return Path(app.synth().directory)


def outputs(gateway: Gateway, name: str) -> dict[str, str]:
    client = gateway.context.client("cloudformation", "eu-west-1")
    (stack,) = client.describe_stacks(StackName=name)["Stacks"]
    return {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", ())}


def test_a_bucket_is_filled_by_a_deployment_and_emptied_when_it_goes(
    gateway: Gateway, cli: Cli, tmp_path: Path
) -> None:
    import aws_cdk as cdk
    from aws_cdk import aws_s3 as s3
    from aws_cdk import aws_s3_deployment as deployment

    def build(stack: Any) -> None:
        bucket = s3.Bucket(
            stack,
            "Bucket",
            bucket_name="of-a-deployment",
            auto_delete_objects=True,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        deployment.BucketDeployment(
            stack,
            "Files",
            sources=[deployment.Source.data("folder/said.txt", "said")],
            destination_bucket=bucket,
        )

    assembly = synthesized(tmp_path, "Filled", build)
    cli.deploy(assembly)
    s3_client = gateway.context.client("s3", "eu-west-1")
    found = s3_client.get_object(Bucket="of-a-deployment", Key="folder/said.txt")
    assert found["Body"].read() == b"said"
    s3_client.put_object(Bucket="of-a-deployment", Key="another", Body=b"")
    status, printed = cli.destroy(assembly)
    assert status == 0, printed
    with pytest.raises(s3_client.exceptions.ClientError, match="404"):
        s3_client.head_bucket(Bucket="of-a-deployment")


def test_a_call_of_aws_is_made_for_a_resource(gateway: Gateway, cli: Cli, tmp_path: Path) -> None:
    import aws_cdk as cdk
    from aws_cdk import aws_logs as logs
    from aws_cdk import custom_resources as custom

    def call(action: str, **parameters: str) -> custom.AwsSdkCall:
        return custom.AwsSdkCall(
            service="SSM",
            action=action,
            parameters={"Name": "/made/by/a/call", **parameters},
            physical_resource_id=custom.PhysicalResourceId.of("call"),
        )

    def build(stack: Any) -> None:
        made = custom.AwsCustomResource(
            stack,
            "Call",
            on_create=call("putParameter", Value="made", Type="String"),
            on_delete=call("deleteParameter"),
            policy=custom.AwsCustomResourcePolicy.from_sdk_calls(resources=["*"]),
        )
        cdk.CfnOutput(stack, "Version", value=made.get_response_field("Version"))
        logs.LogRetention(
            stack,
            "Retention",
            log_group_name="/kept/for/a/week",
            retention=logs.RetentionDays.ONE_WEEK,
        )

    assembly = synthesized(tmp_path, "Called", build)
    cli.deploy(assembly)
    ssm = gateway.context.client("ssm", "eu-west-1")
    assert ssm.get_parameter(Name="/made/by/a/call")["Parameter"]["Value"] == "made"
    assert outputs(gateway, "Called") == {"Version": "1"}
    (group,) = gateway.context.client("logs", "eu-west-1").describe_log_groups(
        logGroupNamePrefix="/kept/for/a/week"
    )["logGroups"]
    assert group["retentionInDays"] == 7
    status, printed = cli.destroy(assembly)
    assert status == 0, printed
    with pytest.raises(ssm.exceptions.ParameterNotFound):
        ssm.get_parameter(Name="/made/by/a/call")


@pytest.mark.parametrize("language", ["python", "nodejs"])
def test_a_provider_asks_until_what_it_makes_is_complete(
    gateway: Gateway, cli: Cli, tmp_path: Path, language: str
) -> None:
    import aws_cdk as cdk
    from aws_cdk import aws_lambda as lambda_
    from aws_cdk import custom_resources as custom

    sources = {
        "python": (
            lambda_.Runtime.PYTHON_3_13,
            "def handler(event, context):\n"
            "    given = event['ResourceProperties']['Given']\n"
            "    return {'PhysicalResourceId': 'made', 'Data': {'Given': given}}",
        ),
        "nodejs": (
            lambda_.Runtime.NODEJS_24_X,
            "exports.handler = async (event) => ({PhysicalResourceId: 'made', Data: {Given: "
            "event.ResourceProperties.Given}})",
        ),
    }
    runtime, source = sources[language]

    def build(stack: Any) -> None:
        on_event = lambda_.Function(
            stack,
            "OnEvent",
            runtime=runtime,
            handler="index.handler",
            code=lambda_.Code.from_inline(source),
        )
        is_complete = lambda_.Function(
            stack,
            "IsComplete",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline(IS_COMPLETE),
        )
        provider = custom.Provider(
            stack,
            "Provider",
            on_event_handler=on_event,
            is_complete_handler=is_complete,
            query_interval=cdk.Duration.seconds(1),
        )
        made = cdk.CustomResource(
            stack, "Made", service_token=provider.service_token, properties={"Given": "a gift"}
        )
        cdk.CfnOutput(stack, "Ref", value=made.ref)
        cdk.CfnOutput(stack, "Given", value=made.get_att_string("Given"))
        cdk.CfnOutput(stack, "Answer", value=made.get_att_string("Answer"))

    name = f"Provided-{language}"
    assembly = synthesized(tmp_path, name, build)
    cli.deploy(assembly)
    said = {"Ref": "made", "Given": "a gift", "Answer": "complete"}
    assert outputs(gateway, name) == said
    status, printed = cli.destroy(assembly)
    assert status == 0, printed

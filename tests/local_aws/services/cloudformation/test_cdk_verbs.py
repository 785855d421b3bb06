"""The real CDK CLI's other verbs, on an app with a nested stack and on stacks by hand."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.local_aws.aws import eventually
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

    assert aws.value(name) == "two"
    assert _stacks(aws) == stacks

    status, printed = cli(
        *("deploy", "--app", str(synthesized(tmp_path, "three", broken=True))),
        *("--require-approval=never", option),
    )

    assert status == 1
    assert "policy/three does not exist" in printed
    assert aws.stack("Outer")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.value(name) == "two"
    assert _stacks(aws) == stacks

    assert cli.destroy(synthesized(tmp_path, "two"))[0] == 0
    assert _stacks(aws) == ["CDKToolkit"]
    names = aws.client("ssm").describe_parameters()["Parameters"]
    assert [each["Name"] for each in names] == ["/cdk-bootstrap/hnb659fds/version"]


def test_hotswap_changes_functions_and_state_machines_and_is_drift(
    aws: Aws, cli: Cli, tmp_path: Path
) -> None:
    cli.deploy(swappable(tmp_path, 1))
    names = aws.outputs("Hot")
    deployed = aws.stack("Hot").get("LastUpdatedTime")

    cli.deploy(swappable(tmp_path, 2), "--hotswap")

    for function in ("Inline", "Asset"):
        answer = aws.client("lambda").invoke(FunctionName=names[function])
        assert answer["Payload"].read() == b"2"
    states = aws.client("stepfunctions")
    machine = states.describe_state_machine(stateMachineArn=names["Machine"])
    assert json.loads(machine["definition"])["States"]["Pass"]["Result"] == 2
    assert aws.stack("Hot").get("LastUpdatedTime") == deployed

    status, printed = cli("drift", "--app", str(swappable(tmp_path, 2)))

    assert status == 0, printed
    assert "DefinitionString" in printed
    assert "Number of resources with drift: 1" in printed
    diagnosed = cli("diagnose", "--unstable=diagnose", "--app", str(swappable(tmp_path, 2)))
    assert "no issues found" in diagnosed[1]
    assert cli.destroy(swappable(tmp_path, 2))[0] == 0


WATCHED = """\
import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_

app = cdk.App()
lambda_.Function(
    cdk.Stack(app, "Watched"),
    "Function",
    function_name="watched",
    runtime=lambda_.Runtime.PYTHON_3_11,
    handler="index.handler",
    code=lambda_.Code.from_asset("source"),
)
app.synth()
"""


def test_watch_deploys_what_changes_in_the_source(aws: Aws, cli: Cli, tmp_path: Path) -> None:
    def answers(value: int) -> bool:
        client = aws.client("lambda")
        with suppress(client.exceptions.ClientError):
            return bool(client.invoke(FunctionName="watched")["Payload"].read() == b"%d" % value)
        return False

    def write(value: int) -> None:
        source.write_text(f"def handler(event, context): return {value}")

    source = tmp_path / "source" / "index.py"
    source.parent.mkdir()
    write(1)
    (tmp_path / "app.py").write_text(WATCHED)
    settings = {"app": "python3 app.py", "output": "cdk.out", "watch": {"include": ["source/**"]}}
    (tmp_path / "cdk.json").write_text(json.dumps(settings))
    with cli.running(tmp_path, "watch", "--hotswap-fallback"):
        eventually(lambda: answers(1), 120)
        write(2)
        eventually(lambda: answers(2), 120)
    assert aws.stack("Watched")["StackStatus"] == "CREATE_COMPLETE", "changed in place"
    assert cli.destroy(tmp_path / "cdk.out")[0] == 0


def test_import_takes_a_bucket_and_a_table_into_a_stack(aws: Aws, cli: Cli, tmp_path: Path) -> None:
    where = {"LocationConstraint": REGION}
    aws.client("s3").create_bucket(Bucket="older-bucket", CreateBucketConfiguration=where)
    aws.client("dynamodb").create_table(
        TableName="older-table",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    cli.deploy(owning(tmp_path))
    mapping = tmp_path / "mapping.json"
    names = {"Bucket": {"BucketName": "older-bucket"}, "Table": {"TableName": "older-table"}}
    mapping.write_text(json.dumps(names))
    assembly = str(owning(tmp_path, "Bucket", "Table"))

    status, printed = cli("import", "--app", assembly, f"--resource-mapping={mapping}", "--force")

    assert status == 0, printed
    assert aws.stack("Owns")["StackStatus"] == "IMPORT_COMPLETE"
    made = aws.physical_ids("Owns")
    assert (made["Bucket"], made["Table"]) == ("older-bucket", "older-table")
    cli.deploy(owning(tmp_path, "Bucket", "Table"))
    assert aws.physical_ids("Owns") == made | aws.physical_ids("Owns")
    assert cli.destroy(owning(tmp_path, "Bucket", "Table"))[0] == 0
    aws.client("s3").head_bucket(Bucket="older-bucket")


def test_rollback_brings_back_what_was_deployed_without_rollback(
    aws: Aws, cli: Cli, tmp_path: Path
) -> None:
    cli.deploy(sourced(tmp_path, "{{resolve:ssm:/source}}", aws))
    failing = str(sourced(tmp_path, "new", aws, broken=True))

    assert cli("deploy", "--app", failing, "--no-rollback", "--require-approval=never")[0] == 1
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_FAILED"
    status, printed = cli("rollback", "--app", failing)

    assert status == 0, printed
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.value("/sourced") == "old"
    assert cli.destroy(Path(failing))[0] == 0


@pytest.mark.parametrize("option", ["--orphan={}.Value", "--force"])
def test_rollback_goes_on_without_a_resource_of_a_nested_stack(
    aws: Aws, cli: Cli, tmp_path: Path, option: str
) -> None:
    cli.deploy(sourced(tmp_path, "{{resolve:ssm:/source}}", aws))
    aws.client("ssm").delete_parameter(Name="/source")
    failing = str(sourced(tmp_path, "new", aws, broken=True))
    (nested,) = (name for name in _stacks(aws) if name.startswith("Sourced-"))

    assert cli("deploy", "--app", failing, "--require-approval=never")[0] == 1
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    assert cli("rollback", "--app", failing)[1].count("/source not found")
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_ROLLBACK_FAILED"
    status, printed = cli("rollback", "--app", failing, option.format(nested))

    assert status == 0, printed
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.stack(nested)["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert aws.value("/sourced") == "new"
    assert cli.destroy(Path(failing))[0] == 0


def test_express_deploys_and_destroys_and_rolls_back_only_when_asked(
    aws: Aws, cli: Cli, tmp_path: Path
) -> None:
    app = sourced(tmp_path, "{{resolve:ssm:/source}}", aws)
    cli.deploy(app, "--express")
    assert aws.stack("Sourced")["DeploymentConfig"] == {"Mode": "EXPRESS"}
    failing = str(sourced(tmp_path, "new", aws, broken=True))
    failing_deploy = ("deploy", "--app", failing, "--require-approval=never", "--express")

    assert cli(*failing_deploy)[0] == 1
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_FAILED"
    cli.deploy(app, "--express", "--no-rollback")
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_COMPLETE"
    assert cli(*failing_deploy, "--rollback")[0] == 1
    assert aws.stack("Sourced")["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    status, printed = cli("destroy", "--app", str(app), "--force", "--express")
    assert status == 0, printed
    assert _stacks(aws) == ["CDKToolkit"]


def test_validate_and_deploy_tell_of_properties_that_their_type_does_not_take(
    aws: Aws, cli: Cli, tmp_path: Path
) -> None:
    import aws_cdk as cdk

    app = cdk.App(outdir=str(tmp_path / "invalid"))
    stack = cdk.Stack(app, "Invalid")
    cdk.CfnResource(stack, "Bad", type="AWS::SSM::Parameter", properties={"Value": "x"})
    assembly = str(Path(app.synth().directory))

    status, printed = cli("validate", "--unstable=validate", "--app", assembly)

    assert status == 1, printed
    assert "Required property [Type] not found" in printed
    status, printed = cli("deploy", "--app", assembly, "--require-approval=never")
    assert status == 1
    assert "Required property [Type] not found (at /Resources/Bad/Properties)" in " ".join(
        printed.split()
    )
    status, printed = cli("validate", "--unstable=validate", "--app", str(owning(tmp_path)))
    assert status == 0, printed
    aws.cloudformation.delete_stack(StackName="Invalid")


def test_revert_drift_brings_back_what_was_changed_and_makes_again_what_is_gone(
    aws: Aws, cli: Cli, tmp_path: Path
) -> None:
    cli.deploy(referring(tmp_path))
    names = aws.physical_ids("Refers")
    ssm = aws.client("ssm")
    kept, about = (next(n for k, n in names.items() if k.startswith(w)) for w in ("Kept", "About"))
    ssm.put_parameter(Name=kept, Value="drifted", Overwrite=True)
    ssm.delete_parameter(Name=about)

    cli.deploy(referring(tmp_path), "--revert-drift")

    assert aws.value(kept) == "kept"
    made = aws.physical_ids("Refers")
    again = next(name for logical_id, name in made.items() if logical_id.startswith("About"))
    assert again != about
    assert aws.value(again).endswith(kept)
    assert "no changes" in cli.deploy(referring(tmp_path), "--revert-drift")
    assert cli.destroy(referring(tmp_path))[0] == 0


def test_orphan_lets_go_of_a_resource_and_leaves_what_refers_to_it(
    aws: Aws, cli: Cli, tmp_path: Path
) -> None:
    cli.deploy(referring(tmp_path))
    kept = aws.outputs("Refers")["Name"]

    status, printed = cli(
        "orphan", "--unstable=orphan", "--yes", "--app", str(referring(tmp_path)), "Refers/Kept"
    )

    assert status == 0, printed
    assert f'"Name":"{kept}"' in printed
    assert kept not in aws.physical_ids("Refers").values()
    assert aws.outputs("Refers")["Name"] == kept
    assert aws.value(kept) == "kept"
    assert cli.destroy(referring(tmp_path))[0] == 0
    assert aws.value(kept) == "kept"
    aws.client("ssm").delete_parameter(Name=kept)


def referring(folder: Path) -> Path:
    """An app whose stack has a parameter, another that is about it, and its name as output."""
    import aws_cdk as cdk
    from aws_cdk import aws_ssm as ssm

    app = cdk.App(outdir=str(folder / "refers"))
    stack = cdk.Stack(app, "Refers")
    kept = ssm.StringParameter(stack, "Kept", string_value="kept")
    ssm.StringParameter(stack, "About", string_value=kept.parameter_arn)
    cdk.CfnOutput(stack, "Name", value=kept.parameter_name)
    return Path(app.synth().directory)


def sourced(folder: Path, value: str, aws: Aws, *, broken: bool = False) -> Path:
    """An app with a parameter in a nested stack; ``broken``: what comes after it fails."""
    import aws_cdk as cdk
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_ssm as ssm

    if not broken:
        aws.client("ssm").put_parameter(Name="/source", Value="old", Type="String", Overwrite=True)
    app = cdk.App(outdir=str(folder / f"sourced-{broken}"))
    stack = cdk.Stack(app, "Sourced")
    nested = cdk.NestedStack(stack, "Nested")
    ssm.CfnParameter(nested, "Value", name="/sourced", type="String", value=value)
    if broken:
        missing = "arn:aws:iam::123456789012:policy/none"
        policy = iam.ManagedPolicy.from_managed_policy_arn(stack, "None", missing)
        role = iam.Role(
            stack,
            "Role",
            assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
            managed_policies=[policy],
        )
        role.node.add_dependency(nested)
    return Path(app.synth().directory)


def owning(folder: Path, *names: str) -> Path:
    """An app whose stack has a parameter and, by name, what else it is to own."""
    import aws_cdk as cdk
    from aws_cdk import aws_dynamodb as dynamodb
    from aws_cdk import aws_s3 as s3
    from aws_cdk import aws_sagemaker as sagemaker
    from aws_cdk import aws_ssm as ssm

    app = cdk.App(outdir=str(folder / "-".join(("owns", *names))))
    stack = cdk.Stack(app, "Owns")
    ssm.StringParameter(stack, "First", string_value="first")
    if "Bucket" in names:
        bucket = s3.Bucket(stack, "A", bucket_name="older-bucket")
        _name(bucket, "Bucket")
    if "Table" in names:
        key = dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING)
        on_demand = dynamodb.BillingMode.PAY_PER_REQUEST
        table = dynamodb.Table(
            stack, "B", table_name="older-table", partition_key=key, billing_mode=on_demand
        )
        _name(table, "Table")
    if "Endpoint" in names:
        sagemaker.CfnEndpoint(stack, "Endpoint", endpoint_config_name="config")
    return Path(app.synth().directory)


def _name(construct: Any, logical_id: str) -> None:
    construct.node.default_child.override_logical_id(logical_id)


def swappable(folder: Path, value: int) -> Path:
    """An app with two functions and a state machine that give ``value``."""
    import aws_cdk as cdk
    from aws_cdk import aws_lambda as lambda_
    from aws_cdk import aws_stepfunctions as stepfunctions

    code = f"def handler(event, context): return {value}"
    source = folder / f"source-{value}"
    source.mkdir(exist_ok=True)
    (source / "index.py").write_text(code)
    app = cdk.App(
        outdir=str(folder / f"hot-{value}"), context={"aws:cdk:enable-asset-metadata": True}
    )
    stack = cdk.Stack(app, "Hot")
    made = {
        name: lambda_.Function(
            stack,
            name,
            runtime=lambda_.Runtime.PYTHON_3_11,
            handler="index.handler",
            code=given,
        ).function_name
        for name, given in {
            "Inline": lambda_.Code.from_inline(code),
            "Asset": lambda_.Code.from_asset(str(source)),
        }.items()
    }
    passing = stepfunctions.Pass(stack, "Pass", result=stepfunctions.Result.from_number(value))
    definition = stepfunctions.DefinitionBody.from_chainable(passing)
    machine = stepfunctions.StateMachine(stack, "Steps", definition_body=definition)
    for name, text in {**made, "Machine": machine.state_machine_arn}.items():
        cdk.CfnOutput(stack, f"{name}Out", value=text).override_logical_id(name)
    return Path(app.synth().directory)


def _stacks(aws: Aws) -> list[str]:
    return sorted(each["StackName"] for each in aws.cloudformation.describe_stacks()["Stacks"])

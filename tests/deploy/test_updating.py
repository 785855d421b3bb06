"""Stacks that are there, updated as the real CDK CLI updates them, and what is left to it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_s3_assets as s3_assets
from aws_cdk import aws_ssm as ssm

from local_aws.errors import DeployFailed
from local_aws.process.cdk import CdkCli
from local_aws.process.updating import LeftToTheCli, update_stacks
from tests.local_aws.aws import REGION, Aws, address_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
Change = Callable[[cdk.App], None]


class Shop:
    """Two stacks and a third that needs both, with an asset and a parameter."""

    def __init__(self, aws: Aws, folder: Path) -> None:
        self.aws = aws
        self.cli = CdkCli(ROOT, address_of(aws.gateway), REGION)
        self._folder = folder
        self._made = 0

    def assembly(self, version: str, change: Change = lambda _: None) -> Path:
        self._made += 1
        app = cdk.App(outdir=str(self._folder / f"cdk.out-{self._made}"))
        model = self._folder / "model.txt"
        model.write_text(version)
        stacks = [cdk.Stack(app, name, tags={"team": name}) for name in ("Left", "Right", "Top")]
        for stack in stacks:
            cdk.CfnParameter(stack, "Kept", default="default")
            asset = s3_assets.Asset(stack, "Model", path=str(model))
            value = ssm.StringParameter(
                stack,
                "Value",
                parameter_name=f"/{stack.node.id}/value",
                string_value=asset.s3_object_url if stack.node.id == "Top" else version,
            )
            cdk.CfnOutput(stack, "Version", value=value.string_value)
        for below in stacks[:2]:
            stacks[2].add_dependency(below)
        change(app)
        app.synth()
        return Path(app.outdir)

    def deploy(self, assembly: Path) -> None:
        self.cli.deploy(assembly)

    def update(self, assembly: Path) -> str:
        log = io.StringIO()
        update_stacks(assembly, self.cli.address_in, REGION, log)
        return log.getvalue()

    def facts(self) -> Any:
        """All that an update leaves but times and ids, and the last operation of each stack."""
        client = self.aws.client("cloudformation")
        found = []
        for name in ("Left", "Right", "Top"):
            (stack,) = client.describe_stacks(StackName=name)["Stacks"]
            for of_the_update in ("LastUpdatedTime", "ChangeSetId", "LastOperations"):
                stack.pop(of_the_update, None)
            events = client.describe_stack_events(StackName=name)["StackEvents"]
            told = [
                (each["LogicalResourceId"], each["ResourceStatus"])
                for each in events[: [each["LogicalResourceId"] for each in events].index(name, 1)]
            ]
            template = client.get_template(StackName=name)["TemplateBody"]
            changes = client.list_change_sets(StackName=name)["Summaries"]
            found.append((stack, template, told, changes))
        return found


@pytest.fixture(scope="module")
def shop(aws: Aws, tmp_path_factory: pytest.TempPathFactory) -> Shop:
    shop = Shop(aws, tmp_path_factory.mktemp("shop"))
    assembly = shop.assembly("1")
    shop.cli.bootstrap(assembly)
    shop.deploy(assembly)
    return shop


def test_an_update_leaves_what_the_clis_leaves(shop: Shop) -> None:
    log = shop.update(shop.assembly("2"))
    own = shop.facts()
    assert "AWS::SSM::Parameter" in log
    assert log.index("(Left)") < log.index("(Top)") > log.index("(Right)"), "those below first"
    shop.deploy(shop.assembly("1"))
    assert shop.facts() != own
    shop.deploy(shop.assembly("2"))
    assert shop.facts() == own
    url = own[2][0]["Outputs"][0]["OutputValue"]
    bucket, _, key = url.removeprefix("s3://").partition("/")
    assert shop.aws.s3.get_object(Bucket=bucket, Key=key)["Body"].read() == b"2"


def test_what_has_not_changed_is_told_and_left_alone(shop: Shop) -> None:
    assembly = shop.assembly("2")
    shop.deploy(assembly)
    before = shop.facts()
    log = shop.update(assembly)
    assert log.count("(no changes)") == 3
    assert shop.facts() == before


def _fails(app: cdk.App) -> None:
    stack = cdk.Stack.of(app.node.find_child("Right"))
    ssm.StringParameter(stack, "Wrong", parameter_name="/Left/value", string_value="taken")


def test_an_update_that_fails_is_rolled_back_and_says_what_the_cli_says(shop: Shop) -> None:
    shop.deploy(shop.assembly("2"))
    assembly, before = shop.assembly("3", _fails), shop.facts()
    with pytest.raises(DeployFailed) as own:
        shop.update(assembly)
    left, right, top = shop.facts()
    assert right[0]["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert left[0]["StackStatus"] == "UPDATE_COMPLETE"
    assert top[0]["Tags"] == [{"Key": "team", "Value": "Top"}]
    assert top[2] == before[2][2], "what needs it was not begun"
    assert "The parameter already exists" in str(own.value)
    with pytest.raises(DeployFailed) as of_the_cli:
        shop.deploy(assembly)
    ours, theirs = (_UUID.sub("", str(each.value)) for each in (own, of_the_cli))
    assert ours == theirs
    shop.update(shop.assembly("4"))
    assert shop.facts()[1][0]["StackStatus"] == "UPDATE_COMPLETE", "the next one mends it"


def _one_more_stack(app: cdk.App) -> None:
    ssm.StringParameter(cdk.Stack(app, "More"), "Value", string_value="v")


def _a_stage(app: cdk.App) -> None:
    _one_more_stack(cdk.Stage(app, "Test"))  # type: ignore[arg-type]


def _protection(app: cdk.App) -> None:
    app.node.find_child("Left").termination_protection = True  # type: ignore[attr-defined]


def _a_folder(app: cdk.App) -> None:
    s3_assets.Asset(app.node.find_child("Left"), "Code", path=str(ROOT / "tests" / "example_app"))


def _nothing_that_cloudformation_takes(app: cdk.App) -> None:
    stack = cdk.Stack.of(app.node.find_child("Left"))
    cdk.CfnResource(stack, "Odd", type="AWS::SSM::Parameter", properties={"Nonsense": 1})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_one_more_stack, "Stack with id More does not exist"),
        (_a_stage, "assembly-Test is a Stage"),
        (_protection, "the termination protection of Left changes"),
        (_a_folder, "Code has changed, which is to be zipped"),
        (_nothing_that_cloudformation_takes, "Left: .*"),
    ],
)
def test_what_takes_more_is_left_to_the_cli_before_anything_is_begun(
    shop: Shop, change: Change, why: str
) -> None:
    shop.update(shop.assembly("4"))
    before = shop.facts()
    with pytest.raises(LeftToTheCli, match=f"^{why}$"):
        shop.update(shop.assembly("5", change))
    assert shop.facts() == before


def test_lookups_and_images_are_left_to_the_cli(shop: Shop) -> None:
    assembly = shop.assembly("6")
    for name in ("manifest.json", "Left.assets.json"):
        path = assembly / name
        text = path.read_text()
        added = {"missing": [{}], "dockerImages": {"mine": {}}}
        path.write_text(json.dumps(json.loads(text) | added))
        with pytest.raises(LeftToTheCli, match=r"something looked up|Left has images"):
            shop.update(assembly)
        path.write_text(text)

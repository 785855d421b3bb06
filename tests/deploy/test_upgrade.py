"""An environment that version 0.2.0 deployed becomes today's, under load: nothing is lost."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from constructs import Construct

from sagemaker_serving.archive import unpack
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.spec import read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT, Cdk
from tests.deploy.upgrade.make import ASSEMBLY, ENVIRONMENT
from tests.local_aws.aws import Aws, running
from tests.local_aws.load import Load
from tests.local_aws.stand_in import StandIn

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
STACKS = ("trial-Storage", "trial-half")
ENDPOINT = "trial-half"
KEPT = {"AWS::SageMaker::Endpoint", "AWS::S3::Bucket", "AWS::KMS::Key"}


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    with running(
        tmp_path_factory.mktemp("aws"), launch=StandIn.start, settings=Settings(time_scale=60)
    ) as gateway:
        yield Aws(gateway)


def test_an_environment_of_the_last_release_is_updated_and_nothing_of_it_is_lost(
    aws: Aws, tmp_path: Path
) -> None:
    cli = Cdk(aws.gateway, tmp_path)
    assert cli.bootstrap().status == 0
    with tarfile.open(ASSEMBLY) as tar:
        tar.extractall(tmp_path / "before", filter="data")
    deploy(cli, tmp_path / "before")
    before = deployed(aws)
    assert {kind for kind, _ in before.values()} >= KEPT
    created = endpoint(aws)["CreationTime"]
    assembly = todays(tmp_path)
    with Load(aws, ENDPOINT, per_second=20) as load:
        deploy(cli, assembly)
    assert load.failures == []
    assert len(load.answers) > 100
    after = deployed(aws)
    kinds = {kind for name, (kind, _) in before.items() if after.get(name) != before[name]}
    assert not kinds & KEPT
    assert kinds == listed()
    now = endpoint(aws)
    assert (now["CreationTime"], now["EndpointStatus"]) == (created, "InService")


def test_the_updated_endpoint_moves_to_another_image(aws: Aws, tmp_path: Path) -> None:
    """As ever: by a canary, under load, without a failed request; nothing old is in the stacks."""
    before = deployed(aws)
    assembly = todays(tmp_path, framework_version="2.20")
    with Load(aws, ENDPOINT, per_second=20) as load:
        deploy(Cdk(aws.gateway, tmp_path), assembly)
    assert load.failures == []
    after = deployed(aws)
    kinds = {kind for name, (kind, _) in before.items() if after.get(name) != before[name]}
    ours = {f"AWS::SageMaker::{kind}" for kind in ("Model", "EndpointConfig")}
    assert kinds == {*ours, "AWS::CloudWatch::Alarm"}, "an update's alarms are of one config"
    templates = [json.loads(each.read_text()) for each in assembly.glob("*.template.json")]
    assert after.keys() == {name for template in templates for name in template["Resources"]}
    now = endpoint(aws)
    names = {name.rpartition("/")[2] for _, name in after.values()}
    assert now["EndpointConfigName"].lower() in names


def deploy(cli: Cdk, assembly: Path) -> str:
    ended = cli.of_app("deploy", assembly, "--require-approval=never")
    assert ended.status == 0, ended.printed
    return ended.printed


def deployed(aws: Aws) -> dict[str, tuple[str, str]]:
    """The resources of both stacks by their logical ids: the type and the physical id of each."""
    cloudformation = aws.client("cloudformation")
    return {
        each["LogicalResourceId"]: (each["ResourceType"], each["PhysicalResourceId"])
        for stack in STACKS
        for each in cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
    }


def endpoint(aws: Aws) -> Any:
    return aws.sagemaker.describe_endpoint(EndpointName=ENDPOINT)


def listed() -> set[str]:
    """The types of resources that CHANGELOG.md says are replaced, of every version since."""
    since, _, _ = (ROOT / "CHANGELOG.md").read_text().partition("\n## 0.2.0 ")
    sections = re.findall(
        r"### What the first deploy replaces\n(.*?)\n##", f"{since}\n##", re.DOTALL
    )
    return set(re.findall(r"`(AWS::\w+::\w+)`", "".join(sections)))


def todays(folder: Path, *, framework_version: str = "2.19") -> Path:
    """What the app of this repository makes of the same model, and of the same file or nearly."""
    model = folder / "model_assets" / "half_plus_three" / "model"
    with tarfile.open(ASSEMBLY) as before:
        (archive,) = [each for each in before if each.name.endswith(".tar.gz")]
        content = before.extractfile(archive)
        assert content is not None
        unpack(content, model, "the model")
    (folder / "environments").mkdir()
    file = folder / "environments" / ENVIRONMENT.name
    file.write_text(ENVIRONMENT.read_text().replace("2.19", framework_version))
    context = json.loads((ROOT / "cdk.json").read_text())["context"]
    app = cdk.App(outdir=str(folder / "cdk.out"), context=context)
    environment = read_environment(file).sound
    add_environment(Construct(app, "trial"), environment, folder=file.parent, account=ACCOUNT)
    return Path(app.synth().directory)

"""An environment's routers: made, called, changed, taken back, deleted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from botocore.exceptions import ClientError
from constructs import Construct

from sagemaker_serving.infra import InferenceRouter, RoutingTarget
from sagemaker_serving.local_sagemaker.common.settings import Settings
from sagemaker_serving.spec import read_environment
from stacks import add_environment
from tests.deploy.assemblies import ACCOUNT
from tests.deploy.direct import DirectDeploy
from tests.local_aws.aws import REGION, Aws, eventually, running
from tests.local_aws.stand_in import StandIn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

MODEL = """\
    artifact: model
    framework: tensorflow
    framework_version: "2.20"
    variants: [{name: all, instance_type: ml.c5.large}]
"""
OTHERS = f"arn:aws:sagemaker:{REGION}:111122223333:inference-router/theirs"
ENVIRONMENT = f"""\
name: routed
region: {REGION}
storage: {{at_destroy: empty}}
models:
  red:
{MODEL}    environment: {{VERSION: red}}
    allowed_routers: ["{OTHERS}"]
  blue:
{MODEL}    environment: {{VERSION: blue}}
  later:
{MODEL}    asynchronous: {{}}
routers:
  colours:
    routing_targets:
      colour: {{destinations: [red, blue]}}
      answer: {{destinations: [later], asynchronous: true, max_time_in_backlog_seconds: 60}}
      again: {{destinations: [later], asynchronous: true}}
"""


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aws]:
    folder = tmp_path_factory.mktemp("aws")
    with running(folder, launch=StandIn.start, settings=Settings(time_scale=60)) as gateway:
        yield Aws(gateway)


def deploy(aws: Aws, folder: Path, text: str, number: int) -> DirectDeploy:
    (folder / "environment.yaml").write_text(text)
    app = cdk.App(outdir=str(folder / f"assembly-{number}"))
    stage = Construct(app, "routed")
    environment = read_environment(folder / "environment.yaml").sound
    add_environment(stage, environment, folder=folder, account=ACCOUNT)
    app.synth()
    return DirectDeploy(aws, folder / f"assembly-{number}", ACCOUNT, REGION)


def asked(aws: Aws) -> set[bytes]:
    runtime = aws.client("sagemaker-inference-router-runtime")
    call = {"InferenceRouterName": "routed-colours", "RoutingTargetName": "colour", "Body": b"x"}
    return {runtime.invoke_inference_router(**call)["Body"].read() for _ in range(4)}


def put(aws: Aws, uri: str) -> str:
    bucket, _, key = uri.removeprefix("s3://").partition("/")
    aws.s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    return uri


def destinations(aws: Aws) -> list[str]:
    found = aws.sagemaker.describe_inference_router(InferenceRouterName="routed-colours")
    target: Any = found["RoutingTargets"][0]
    return [each["ResourceArn"].rpartition("/")[2] for each in target["Destinations"]]


def test_a_router_of_the_file_lives_as_its_stack_says(aws: Aws, tmp_path: Path) -> None:
    (tmp_path / "model" / "1").mkdir(parents=True)
    (tmp_path / "model" / "1" / "saved_model.pb").write_bytes(b"")
    first = deploy(aws, tmp_path, ENVIRONMENT, 1)
    assert first.deploy() == []

    assert asked(aws) == {b"red", b"blue"}
    assert OTHERS in aws.sagemaker.get_endpoint_policy(EndpointName="routed-red")["ResourcePolicy"]
    found = aws.sagemaker.describe_inference_router(InferenceRouterName="routed-colours")
    given = found["RoutingTargets"][1]["AsyncInferenceConfig"]
    assert given["OutputConfig"]["S3OutputPath"].endswith("/routers/colours/answer/output")
    assert given["ClientConfig"] == {"MaxTimeInBacklogSeconds": 60}

    answered = aws.client("sagemaker-inference-router-runtime").invoke_inference_router_async(
        InferenceRouterName="routed-colours",
        RoutingTargetName="answer",
        InputLocation=put(aws, given["OutputConfig"]["S3OutputPath"].replace("output", "input/1")),
    )["OutputLocation"]
    bucket, _, key = answered.removeprefix("s3://").partition("/")
    assert eventually(lambda: aws.s3.list_objects(Bucket=bucket, Prefix=key).get("Contents"))

    fewer = ENVIRONMENT.replace("[red, blue]", "[blue]")
    assert deploy(aws, tmp_path, fewer, 2).deploy() == []
    assert asked(aws) == {b"blue"}

    queue = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint/routed-later"
    (reason, *_) = deploy(aws, tmp_path, fewer.replace("[blue]", f'["{queue}"]'), 3).deploy()
    assert "an asynchronous destination" in reason
    assert destinations(aws) == ["routed-blue"]

    for name in reversed(first.deployed):
        assert first.destroy(name) == []
    with pytest.raises(ClientError, match="ResourceNotFound"):
        destinations(aws)


def test_a_router_that_is_anothers_is_left_alone(aws: Aws, tmp_path: Path) -> None:
    arn = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint/elsewhere"
    targets = [{"Name": "colour", "Destinations": [{"ResourceArn": arn}]}]
    name = "routed-colours"
    aws.sagemaker.create_inference_router(InferenceRouterName=name, RoutingTargets=targets)
    assembly = alone(aws, tmp_path / "assembly", name)

    (reason, *_) = assembly.deploy()

    assert "already, which this stack did not make" in reason
    assert assembly.destroy("Own") == []
    assert destinations(aws) == ["elsewhere"]


def test_a_router_keeps_its_name(aws: Aws, tmp_path: Path) -> None:
    first = alone(aws, tmp_path / "first", "mine")
    assert first.deploy() == []

    (reason, *_) = alone(aws, tmp_path / "second", "other").deploy()

    assert "give the construct another id" in reason
    routers = aws.sagemaker.list_inference_routers()["InferenceRouters"]
    assert {"mine"} == {each["InferenceRouterName"] for each in routers} & {"mine", "other"}
    assert first.destroy("Own") == []
    routers = aws.sagemaker.list_inference_routers()["InferenceRouters"]
    assert "mine" not in [each["InferenceRouterName"] for each in routers]


def alone(aws: Aws, folder: Path, name: str) -> DirectDeploy:
    """A stack of one router of this name."""
    app = cdk.App(outdir=str(folder))
    stack = cdk.Stack(app, "Own", env=cdk.Environment(account=ACCOUNT, region=REGION))
    arn = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:endpoint/mine"
    targets = {"colour": RoutingTarget(destinations=[arn])}
    InferenceRouter(stack, "Router", router_name=name, routing_targets=targets)
    app.synth()
    return DirectDeploy(aws, folder, ACCOUNT, REGION)

"""Whatever is done to a local AWS, and whenever it ends: what was deployed serves again.

`LIFETIMES_CASES` says how many sequences are drawn; ``make fuzz`` makes them many. A failure names
its case and the steps that led to it.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import (
    IMAGE,
    REGION,
    Aws,
    archive,
    do,
    eventually,
    lasting_port,
    service_in,
)
from tests.local_aws.stand_in import StandIn
from tests.local_aws.state.killed import Killable, settled

CASES = int(os.environ.get("LIFETIMES_CASES", "1"))
STEPS = ("down", "down", "kill", "deploy", "settle", "predict")
TEMPLATE = {
    "Parameters": {"Version": {"Type": "String"}},
    "Resources": {
        "Model": {
            "Type": "AWS::SageMaker::Model",
            "Properties": {
                "PrimaryContainer": {
                    "Image": IMAGE,
                    "ModelDataUrl": "s3://models/model.tar.gz",
                    "Environment": {"VERSION": {"Ref": "Version"}},
                }
            },
        },
        "Config": {
            "Type": "AWS::SageMaker::EndpointConfig",
            "Properties": {
                "ProductionVariants": [
                    {
                        "VariantName": "v",
                        "ModelName": {"Fn::GetAtt": ["Model", "ModelName"]},
                        "InstanceType": "ml.m5.large",
                        "InitialInstanceCount": 1,
                        "InitialVariantWeight": 1,
                    }
                ]
            },
        },
        "Endpoint": {
            "Type": "AWS::SageMaker::Endpoint",
            "Properties": {
                "EndpointName": "kept",
                "EndpointConfigName": {"Fn::GetAtt": ["Config", "EndpointConfigName"]},
            },
        },
    },
}


class Life:
    """A local AWS that is ended and started, and which versions may serve there."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, lasting_port()
        self.local = Killable(folder, port=self._port)
        s3 = self.local.client("s3")
        s3.create_bucket(Bucket="models", CreateBucketConfiguration={"LocationConstraint": REGION})
        s3.put_object(Bucket="models", Key="model.tar.gz", Body=archive({"file": b"x"}))
        self._deployed = 1
        self._possible = {"1"}
        self.local.client("cloudformation").create_stack(**_stack("1"))
        self.settle()

    def down(self) -> None:
        self.local.end()
        self.local = Killable(self._folder, port=self._port)

    def kill(self) -> None:
        self.local.kill()
        self.local = Killable(self._folder, port=self._port)

    def deploy(self) -> None:
        """Begin an update; one that is refused, as another is under way, changes nothing."""
        try:
            self.local.client("cloudformation").update_stack(**_stack(str(self._deployed + 1)))
        except ClientError as refused:
            if "IN_PROGRESS" not in str(refused):
                raise
            return
        self._deployed += 1
        self._possible.add(str(self._deployed))

    def settle(self) -> None:
        """What the stack says, the endpoint is: nothing is lost, and nothing claimed."""
        stack = settled(self.local.client("cloudformation"), "kept")
        assert stack["StackStatus"] in (
            "CREATE_COMPLETE",
            "UPDATE_COMPLETE",
            "UPDATE_ROLLBACK_COMPLETE",
        ), stack
        (described,) = self.local.client("cloudformation").describe_stacks(StackName="kept")[
            "Stacks"
        ]
        version = described["Parameters"][0]["ParameterValue"]
        assert version in self._possible
        self._possible = {version}
        self.predict()
        endpoint = self.local.client("sagemaker").describe_endpoint(EndpointName="kept")
        assert endpoint["EndpointStatus"] == "InService", endpoint
        eventually(lambda: not self.local.status()["state"]["unsaved"])

    def predict(self) -> None:
        """A request is answered at any time, also in the second after a start."""
        runtime = self.local.client("sagemaker-runtime")
        answer = runtime.invoke_endpoint(EndpointName="kept", Body=b"which")["Body"].read()
        assert answer.decode() in self._possible


def _stack(version: str) -> dict[str, Any]:
    return {
        "StackName": "kept",
        "TemplateBody": json.dumps(TEMPLATE),
        "Parameters": [{"ParameterKey": "Version", "ParameterValue": version}],
    }


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("case", range(CASES))
def test_no_sequence_of_ends_starts_and_deploys_loses_what_served(
    case: int, tmp_path: Path
) -> None:
    draw = random.Random(case)
    # Without a pause: the servers of the first start are not healthy when it ends again.
    steps = ["down", "down", *draw.choices(STEPS, k=3), "settle"]
    life = Life(tmp_path)
    try:
        for number, step in enumerate(steps):
            try:
                getattr(life, step)()
            except (AssertionError, ClientError) as wrong:
                raise AssertionError(
                    f"case {case}, after {steps[: number + 1]}: {wrong}"
                ) from wrong
    finally:
        life.local.kill()


@contextmanager
def started_again(aws: Aws, state: Any) -> Iterator[SageMaker]:
    """A control plane that found ``state``, beside the gateway's own."""
    plane = SageMaker(aws.gateway.context, launch=StandIn.start)
    try:
        plane.restore_state(json.loads(json.dumps(state)))
        yield plane
    finally:
        plane.close()


def test_what_has_not_come_again_is_kept_for_the_next_start(aws: Aws, tmp_path: Path) -> None:
    """Also what failed to: the reason may be gone by then."""
    sick = tmp_path / "sick"
    aws.config("patient", {"v": aws.model("patient", {"UNHEALTHY_WHILE": str(sick)})})
    aws.endpoint("patient", "patient")
    state = service_in(aws.gateway, SageMaker).export_state()
    aws.delete("patient")
    body = aws.s3.get_object(Bucket="models", Key="model.tar.gz")["Body"].read()
    sick.touch()
    with started_again(aws, state) as plane:
        state = plane.export_state()
    aws.s3.delete_object(Bucket="models", Key="model.tar.gz")
    with started_again(aws, state) as plane:
        eventually(lambda: status_in(plane) == "Failed")
        state = plane.export_state()
    sick.unlink()
    aws.s3.put_object(Bucket="models", Key="model.tar.gz", Body=body)
    with started_again(aws, state) as plane:
        eventually(lambda: status_in(plane) == "InService")


def status_in(plane: SageMaker) -> str:
    return str(do(plane, "DescribeEndpoint", EndpointName="patient")["EndpointStatus"])

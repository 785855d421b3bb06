"""What was there when the local AWS was stopped is there when it starts again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from local_aws.state.saver import StateSaver
from local_aws.write_lock import WriteLock
from tests.local_aws.aws import REGION, Aws, eventually, gateway_of, lasting_port
from tests.local_aws.services.cloudformation.templates import (
    get_att,
    parameter,
    ref,
    resource,
    template,
)
from tests.local_aws.stand_in import StandIn
from tests.local_aws.state.kept_resources import DESCRIBED, make
from tests.local_aws.state.killed import settled

TEMPLATE = template(
    {"Topic": ref("Topic"), "Queue": get_att("Queue", "Arn")},
    Topic=resource("SNS::Topic"),
    Parameter=parameter(get_att("Topic", "TopicName"), Name="/stack/topic"),
    Queue=resource("SQS::Queue", QueueName="by-a-stack"),
)
TEMPLATE["Outputs"]["Topic"]["Export"] = {"Name": "topic"}


class Twice:
    """A gateway, what it said of everything, and the one that started in its folder after."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        port = lasting_port()
        self.gateway = self._start(port)
        self.made = make(self.client)
        self.deploy("stack")
        self.deploy("unfinished", execute=False)
        aws = Aws(self.gateway)
        aws.endpoint("kept", aws.config("kept", {"v": aws.model("kept", {"VERSION": "1"})}))
        execution = {"executionArn": self.made["done"]}
        eventually(
            lambda: (
                self.client("stepfunctions").describe_execution(**execution)["status"]
                == "SUCCEEDED"
            )
        )
        self.before = {name: describe(self.client, self.made) for name, describe in _EVERY.items()}
        self.gateway.stop()
        self.gateway = self._start(port)

    def client(self, service: str) -> Any:
        return self.gateway.context.client(service, REGION)

    def deploy(self, name: str, *, execute: bool = True) -> None:
        cloudformation = self.client("cloudformation")
        body = json.dumps(TEMPLATE if execute else template(P=parameter("1")))
        cloudformation.create_change_set(
            StackName=name, ChangeSetName="plan", ChangeSetType="CREATE", TemplateBody=body
        )
        if execute:
            cloudformation.execute_change_set(StackName=name, ChangeSetName="plan")
            assert settled(cloudformation, name)["StackStatus"] == "CREATE_COMPLETE"

    def _start(self, port: int) -> Gateway:
        gateway = gateway_of(self.state_dir, port, launch=StandIn.start)
        gateway.start()
        return gateway


_EVERY = DESCRIBED | {
    "stacks": lambda of, _: of("cloudformation").describe_stacks(StackName="stack")["Stacks"],
    "events": lambda of, _: of("cloudformation").describe_stack_events(StackName="stack")[
        "StackEvents"
    ],
    "resources": lambda of, _: of("cloudformation").describe_stack_resources(StackName="stack")[
        "StackResources"
    ],
    "exports": lambda of, _: of("cloudformation").list_exports()["Exports"],
    "change set": lambda of, _: of("cloudformation").describe_change_set(
        StackName="unfinished", ChangeSetName="plan"
    )["Changes"],
    "model": lambda of, _: of("sagemaker").describe_model(ModelName="kept")["PrimaryContainer"],
    "config": lambda of, _: of("sagemaker").describe_endpoint_config(EndpointConfigName="kept")[
        "ProductionVariants"
    ],
}


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twice]:
    found = Twice(tmp_path_factory.mktemp("state"))
    try:
        yield found
    finally:
        found.gateway.stop()


pytestmark = pytest.mark.slow


@pytest.mark.parametrize("thing", _EVERY)
def test_a_thing_is_described_as_before(twice: Twice, thing: str) -> None:
    assert _EVERY[thing](twice.client, twice.made) == twice.before[thing]


def test_an_execution_that_ran_says_why_it_does_not(twice: Twice) -> None:
    described = twice.client("stepfunctions").describe_execution(executionArn=twice.made["running"])
    assert described["status"] == "ABORTED"


def test_an_endpoint_serves_again(twice: Twice) -> None:
    sagemaker, runtime = twice.client("sagemaker"), twice.client("sagemaker-runtime")
    eventually(
        lambda: sagemaker.describe_endpoint(EndpointName="kept")["EndpointStatus"] == "InService"
    )
    assert runtime.invoke_endpoint(EndpointName="kept", Body=b"x")["Body"].read() == b"1"


def test_a_function_runs_again(twice: Twice) -> None:
    answer = twice.client("lambda").invoke(FunctionName="kept", Payload=b'{"a": 1}')
    assert json.load(answer["Payload"]) == {"a": 1}


def test_every_service_is_kept(twice: Twice) -> None:
    assert twice.gateway.status()["state"]["not_kept"] == {}


def test_what_was_kept_can_be_changed(twice: Twice) -> None:
    s3, iam = twice.client("s3"), twice.client("iam")
    s3.complete_multipart_upload(
        Bucket="kept-bucket",
        Key="parts",
        UploadId=twice.made["upload"],
        MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": _first_part(twice)}]},
    )
    assert s3.get_object(Bucket="kept-bucket", Key="parts")["Body"].read() == b"part"
    iam.detach_role_policy(RoleName="kept", PolicyArn="arn:aws:iam::aws:policy/ReadOnlyAccess")
    messages = twice.client("sqs").receive_message(QueueUrl=twice.made["queue"])["Messages"]
    assert messages[0]["Body"] == "waiting"


def test_a_stack_can_be_updated_and_deleted(twice: Twice) -> None:
    cloudformation = twice.client("cloudformation")
    changed = {**TEMPLATE, "Resources": {**TEMPLATE["Resources"], "More": parameter("2")}}
    cloudformation.update_stack(StackName="stack", TemplateBody=json.dumps(changed))
    assert settled(cloudformation, "stack")["StackStatus"] == "UPDATE_COMPLETE"
    cloudformation.delete_stack(StackName="stack")
    assert settled(cloudformation, "stack") is None
    with pytest.raises(ClientError, match="does not exist"):
        twice.client("sqs").get_queue_url(QueueName="by-a-stack")


def test_an_object_that_was_deleted_is_deleted_on_the_disk(twice: Twice) -> None:
    s3 = twice.client("s3")
    answer = s3.put_object(Bucket="models", Key="gone", Body=b"soon to be gone" * 1000)
    kept = twice.state_dir / "state" / "objects" / f"{answer['ETag'].strip(chr(34))}-15000"
    eventually(kept.exists)
    s3.delete_object(Bucket="models", Key="gone")
    eventually(lambda: not kept.exists())


def test_who_changes_something_all_the_time_has_most_of_the_processor(tmp_path: Path) -> None:
    saver = StateSaver(tmp_path, WriteLock())
    saved: list[float] = []

    class Restless:
        def export_state(self) -> int:
            saver.changed("restless", at_once=True)
            saved.append(saver.summary()["save_seconds"])
            return len(saved)

        def restore_state(self, state: Any, /) -> None: ...

    saver.add({"restless": Restless()})
    began = time.perf_counter()
    saver.start()
    saver.changed("restless", at_once=True)
    eventually(lambda: len(saved) > 5)
    took = time.perf_counter() - began
    saver.close()
    assert sum(saved[:6]) < took / 2


def _first_part(twice: Twice) -> str:
    parts = twice.client("s3").list_parts(
        Bucket="kept-bucket", Key="parts", UploadId=twice.made["upload"]
    )["Parts"]
    tag: str = parts[0]["ETag"]
    return tag

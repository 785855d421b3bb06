"""Two recordings of one AWS are equal, and every lie that is planted in one is found."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from tests.acceptance.mutator import lies

from sagemaker_serving.local_sagemaker.common.settings import Settings
from tests.acceptance.comparison import DIFFERS_BY_NATURE, compare
from tests.acceptance.masking import Resource, masked
from tests.acceptance.project import HERE, ROOT
from tests.acceptance.recorder import RecordedAws, Recorder
from tests.acceptance.recording import Recording
from tests.local_aws.aws import REGION, Aws, client_of, eventually, running
from tests.local_aws.stand_in import StandIn

pytestmark = pytest.mark.slow

LIES = 600
THINGS = {"Queue": {"Type": "AWS::SQS::Queue"}, "Key": {"Type": "AWS::KMS::Key"}}
NO_SUCH_MODEL = {
    "Type": "AWS::SageMaker::EndpointConfig",
    "Properties": {
        "ProductionVariants": [
            {
                "VariantName": "v",
                "ModelName": "nowhere",
                "InstanceType": "ml.m5.large",
                "InitialInstanceCount": 1,
                "InitialVariantWeight": 1.0,
            }
        ]
    },
}


def record(folder: Path) -> Recording:
    """A stack that comes up, an update of it that goes back, an endpoint, what it refuses."""
    with running(folder, launch=StandIn.start, settings=Settings(time_scale=60)) as gateway:
        return _recorded(Aws(gateway))


def _recorded(aws: Aws) -> Recording:
    recorder = Recorder("the local AWS")
    listened = RecordedAws.of(client_of(aws.gateway), recorder)
    stacks, sagemaker = listened.client("cloudformation"), listened.client("sagemaker")
    plain = aws.client("cloudformation")
    events: list[Any] = []
    for name, resources in (("create", {}), ("update", {"Config": NO_SUCH_MODEL})):
        recorder.begin(name)
        do = stacks.create_stack if name == "create" else stacks.update_stack
        template = {"Resources": {**THINGS, **resources}}
        do(StackName="things", TemplateBody=json.dumps(template))
        eventually(lambda: _settled(plain))
        stacks.describe_stacks(StackName="things")
        stacks.describe_stack_resources(StackName="things")
        events += recorder.take_events(plain, "things")
    recorder.begin("endpoint")
    aws.config("config", {"only": aws.model("model")})
    sagemaker.create_endpoint(EndpointName="endpoint", EndpointConfigName="config")
    eventually(
        lambda: sagemaker.describe_endpoint(EndpointName="endpoint")["EndpointStatus"] != "Creating"
    )
    runtime = listened.client("sagemaker-runtime")
    for body in (b"hello", b"refuse", b"fail"):
        with suppress(ClientError):
            assert runtime.invoke_endpoint(EndpointName="endpoint", Body=body)["Body"].read()
    s3 = listened.client("s3")
    s3.put_object(Bucket="models", Key="key", Body=b'{"one": [1, 2.5, true]}')
    assert s3.get_object(Bucket="models", Key="key")["Body"].read() == b'{"one": [1, 2.5, true]}'
    with suppress(ClientError):
        sagemaker.describe_endpoint(EndpointName="nowhere")
    return masked(
        recorder.recording,
        secrets={"123456789012": "account", REGION: "region"},
        resources=[
            Resource(
                stack=event["StackName"],
                logical_id=event["LogicalResourceId"],
                physical_id=event.get("PhysicalResourceId", ""),
            )
            for event in events
        ],
    )


def _settled(stacks: Any) -> bool:
    (stack,) = stacks.describe_stacks(StackName="things")["Stacks"]
    return not str(stack["StackStatus"]).endswith("_IN_PROGRESS")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Recording]:
    one, other = (record(tmp_path_factory.mktemp("aws")) for _ in range(2))
    return one, other


def test_two_recordings_of_one_aws_are_equal(recordings: tuple[Recording, Recording]) -> None:
    one, other = recordings
    assert [str(each) for each in compare(one, other)] == []


def test_every_planted_lie_is_found_where_it_is_told(
    recordings: tuple[Recording, Recording],
) -> None:
    one, other = recordings
    told: Counter[str] = Counter()
    for lie in lies(other, seed=19, count=LIES):
        found = compare(one, lie.recording)
        places = {(each.kind, *each.where[:2]) for each in found}
        assert (lie.kind, *lie.where) in places or (lie.relation and found), lie
        told[lie.kind] += 1
    assert min(told[kind] for kind in ("status", "code", "field", "order", "reason")) >= LIES // 6


def test_a_step_a_call_or_a_resource_that_is_missing_is_told(
    recordings: tuple[Recording, Recording],
) -> None:
    one, other = (deepcopy(each) for each in recordings)
    del other.steps[0].events["things.Queue"]
    del other.steps[1].calls[-1]
    del other.steps[2]
    assert [(each.kind, each.where) for each in compare(one, other)] == [
        ("missing", ("create", "things.Queue")),
        ("missing", ("update",)),
        ("missing", ("endpoint",)),
    ]


def test_a_recording_is_what_was_answered(recordings: tuple[Recording, Recording]) -> None:
    create, update, endpoint = recordings[0].steps
    assert create.events["things.Queue"][-1] == ["CREATE_COMPLETE", ""]
    assert "UPDATE_ROLLBACK_COMPLETE" in [status for status, _ in update.events["things.things"]]
    asked = {call.operation: call for call in endpoint.calls}
    assert [call.code for call in endpoint.calls if call.operation.endswith("InvokeEndpoint")] == [
        "",
        "ModelError",
        "ModelError",
    ]
    assert asked["s3:GetObject"].members["Body"] == {"one": [1, 2.5, True]}
    polled = [call.states for call in endpoint.calls if call.states == ["Creating", "InService"]]
    assert len(polled) == 1, "however often it was looked"


def test_a_recording_tells_nothing_of_ones_own(recordings: tuple[Recording, Recording]) -> None:
    text = json.dumps([vars(step) for step in recordings[0].steps], default=vars)
    assert "<things.Queue>" in text
    for own in ("123456789012", REGION, "127.0.0.1", "2026-"):
        assert own not in text


def test_a_recording_that_was_saved_is_the_same(
    recordings: tuple[Recording, Recording], tmp_path: Path
) -> None:
    path = tmp_path / "recordings" / "aws.json"
    recordings[0].save(path)
    assert Recording.load(path) == recordings[0]


def test_the_page_says_whether_a_recording_of_aws_exists() -> None:
    page = (ROOT / "docs" / "acceptance.md").read_text(encoding="utf-8")
    exists = any((HERE / "recordings").glob("*.json"))
    assert ("**No recording of the real AWS exists yet**" in page) is not exists


def test_what_differs_by_nature_says_why() -> None:
    assert all(len(reason.split()) >= 4 for reason in DIFFERS_BY_NATURE.values())

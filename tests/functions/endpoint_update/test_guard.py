"""What looks at an endpoint before and after CloudFormation moves it, and at its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from sagemaker_serving.functions.custom_resource.clients import client
from sagemaker_serving.functions.endpoint_update import guard
from tests.functions.endpoint_update.driving import TAKEN_BACK, event
from tests.functions.neo_compilation.driving import Listener
from tests.local_aws.aws import Aws, eventually


@pytest.fixture
def digits(aws: Aws) -> Iterator[str]:
    aws.endpoint("guarded", "old")
    yield "guarded"
    aws.settled("guarded")
    aws.delete("guarded")


def asked(
    aws: Aws,
    listener: Listener,
    moment: str,
    config: str,
    *,
    left: str | None = None,
    seconds: float = 900,
    name: str = "guarded",
    properties: Any = None,
    **more: Any,
) -> str:
    """The reason that CloudFormation is answered; "" where it is told of a success."""
    more.setdefault("kind", "Create" if left is None else "Update")
    request = event(aws, listener, name, config, **more)
    request["ResourceType"] = f"Custom::Endpoint{moment}"
    request["ResourceProperties"].update(properties or {})
    if left is not None:
        former = {**request["ResourceProperties"], "EndpointConfigName": left}
        request["OldResourceProperties"] = former
    context = SimpleNamespace(get_remaining_time_in_millis=lambda: seconds * 1000)
    guard.handler(request, context)
    answer = listener.answer(request["RequestId"])
    assert answer["PhysicalResourceId"] == name
    assert (answer["Status"] == "SUCCESS") is (not answer.get("Reason"))
    return str(answer.get("Reason", ""))


def test_a_move_that_ended_elsewhere_fails(aws: Aws, listener: Listener, digits: str) -> None:
    assert asked(aws, listener, "After", "old") == ""
    assert asked(aws, listener, "After", "new", left="old").startswith(
        "guarded serves old after the update to new"
    )


def test_a_stack_on_its_way_back_stops_before_it_deletes_what_serves(
    aws: Aws, listener: Listener, digits: str
) -> None:
    """What another has moved the endpoint to is none of its business."""
    back: dict[str, Any] = {"stack": TAKEN_BACK}
    assert asked(aws, listener, "After", "new", left="old", **back).startswith("guarded serves old")
    assert asked(aws, listener, "After", "new", left="broken", **back) == ""


@pytest.fixture
def shared(aws: Aws) -> Iterator[str]:
    """A component of two Specifications on an endpoint of its own."""
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="shared",
        ExecutionRoleArn="arn:aws:iam::123456789012:role/model",
        ProductionVariants=[
            {"VariantName": "all", "InstanceType": "ml.m5.large", "InitialInstanceCount": 1}
        ],
    )
    aws.endpoint("shared", "shared")
    named: dict[str, Any] = {"InferenceComponentName": "several"}
    size = {"ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128}}
    aws.sagemaker.create_inference_component(
        **named,
        EndpointName="shared",
        VariantName="all",
        Specifications=[{"InstanceType": "ml.m5.large", "ModelName": "old", **size}],
    )
    yield "shared"
    find = aws.sagemaker.describe_inference_component
    eventually(lambda: find(**named)["InferenceComponentStatus"] == "InService")
    aws.sagemaker.delete_inference_component(**named)
    eventually(lambda: not aws.sagemaker.list_inference_components()["InferenceComponents"])
    aws.delete("shared")


def test_a_component_of_several_specifications_is_not_judged_and_what_breaks_is_answered(
    aws: Aws, listener: Listener, shared: str
) -> None:
    """CloudFormation waits an hour for an answer."""
    several = {"Components": {"several": "new"}}
    assert asked(aws, listener, "After", shared, name=shared, properties=several) == ""
    broken = {"Components": "several"}
    reason = asked(aws, listener, "After", shared, name=shared, properties=broken)
    assert reason.startswith("AttributeError(")


def test_an_endpoint_under_way_is_waited_for_and_no_longer_than_the_function_lives(
    aws: Aws, listener: Listener, digits: str
) -> None:
    aws.sagemaker.update_endpoint(EndpointName="guarded", EndpointConfigName="new")
    reason = asked(aws, listener, "After", "new", left="old", seconds=guard._SPARE_SECONDS - 1)
    assert reason.startswith("guarded was still Updating after ")
    aws.settled("guarded")


def test_what_the_stack_does_not_know_is_not_moved(
    aws: Aws, listener: Listener, digits: str
) -> None:
    assert asked(aws, listener, "Before", "broken", left="old") == ""
    reason = asked(aws, listener, "Before", "broken", left="new")
    assert reason.startswith("guarded serves old, and its stack says new: ")
    assert "sagemaker-serving rollback guarded --to new" in reason
    assert asked(aws, listener, "Before", "broken", left="new", stack=TAKEN_BACK) == ""
    assert asked(aws, listener, "Before", "old", left="new") == ""
    assert asked(aws, listener, "Before", "broken") == "", "the first deploy by this version"


def recommend(parsed: dict[str, Any], **_: Any) -> None:
    """Adds to DescribeModel's answer what SageMaker does after a few seconds."""
    one = {"RecommendationId": f"{parsed.get('ModelName')}/x", "InstanceType": "ml.c5.xlarge"}
    parsed["DeploymentRecommendation"] = {
        "RecommendationStatus": "COMPLETED",
        "RealTimeInferenceRecommendations": [one],
    }


@pytest.fixture
def recommends(aws: Aws) -> Iterator[None]:
    events = client("sagemaker").meta.events
    events.register("after-call.sagemaker.DescribeModel", recommend)
    yield
    events.unregister("after-call.sagemaker.DescribeModel", recommend)


@pytest.mark.usefixtures("recommends")
def test_the_same_content_under_another_name_may_follow(
    aws: Aws, listener: Listener, digits: str
) -> None:
    again = aws.config("old-again", {"all": aws.model("old-again", {"VERSION": "old"})})
    assert asked(aws, listener, "Before", again, left="new") == ""
    unlike = aws.config("unlike", {"all": "old-again"}, all=0.5)
    assert asked(aws, listener, "Before", unlike, left="new") != ""


def test_the_hash_of_the_content_in_a_configs_name_counts_whatever_sagemaker_says(
    aws: Aws, listener: Listener
) -> None:
    """Nothing but the name is alike here; one that is cut tells nothing."""
    for name in ("Config7f-A1", "Config7-A1"):
        aws.endpoint(name.lower(), aws.config(name, {"all": "old"}))
        named: Any = {"name": name.lower(), "properties": {"Content": "Config7f"}}
        reason = asked(aws, listener, "Before", "new", left="broken", **named)
        assert (reason == "") is (name == "Config7f-A1")
        aws.delete(name.lower())


def test_a_change_of_tags_alone_is_looked_at_and_goes_on_with_the_same_content(
    aws: Aws, listener: Listener, digits: str
) -> None:
    alike = aws.config("alike", {"all": aws.model("alike", {"VERSION": "old"})})
    for moment, said in (
        ("Before", ", and its stack says new"),
        ("After", " after the update to new"),
    ):
        assert f"guarded serves old{said}" in asked(aws, listener, moment, "new", left="new")
        assert asked(aws, listener, moment, "new", left="new", stack=TAKEN_BACK) == ""
        for same in ("old", alike):
            assert asked(aws, listener, moment, same, left=same) == ""


def test_a_delete_waits_until_the_endpoint_is_gone(
    aws: Aws, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    aws.endpoint("leaving", "old")
    gone: dict[str, Any] = {"kind": "Delete", "name": "leaving"}
    reason = asked(aws, listener, "Before", "old", seconds=1, **gone)
    assert reason.startswith("leaving is still there, and SageMaker needs its role")
    assert asked(aws, listener, "After", "old", **gone) == ""
    looked = threading.Event()
    monkeypatch.setattr(time, "sleep", lambda seconds: looked.set())
    answers: list[str] = []
    waiting = threading.Thread(
        target=lambda: answers.append(asked(aws, listener, "Before", "old", **gone))
    )
    waiting.start()
    assert looked.wait(60)
    aws.delete("leaving")
    waiting.join(60)
    assert answers == [""]


def test_a_delete_waits_for_detached_interfaces_and_leaves_those_of_others(
    aws: Aws, listener: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    ec2 = aws.client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.7.1.0/24")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(VpcId=vpc, GroupName="models", Description="models")
    made = ec2.create_network_interface(SubnetId=subnet, Groups=[group["GroupId"]])
    gone: dict[str, Any] = {"kind": "Delete", "name": "never"}
    gone["properties"] = {"SecurityGroupIds": [group["GroupId"]]}
    reason = asked(aws, listener, "Before", "old", seconds=1, **gone)
    assert reason.startswith(f"never is gone, network interfaces of {group['GroupId']} are still")

    def leaves(seconds: float) -> None:
        interface = made["NetworkInterface"]["NetworkInterfaceId"]
        ec2.delete_network_interface(NetworkInterfaceId=interface)

    monkeypatch.setattr(time, "sleep", leaves)
    assert asked(aws, listener, "Before", "old", **gone) == ""

    monkeypatch.setattr(guard, "_interfaces", lambda groups: (1, 0))
    monkeypatch.setattr(guard, "OTHERS_SECONDS", -1)
    assert asked(aws, listener, "Before", "old", **gone) == ""

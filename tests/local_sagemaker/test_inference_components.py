"""Inference components: models in copies of their own behind one variant."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from tests.local_aws.aws import IMAGE, Aws, archive, children, do, eventually, service_in
from tests.local_aws.stacks import Deployments
from tests.local_aws.stand_in import StandIn
from tests.local_sagemaker.numbers import figures

ROLE = "arn:aws:iam::123456789012:role/model"


@pytest.fixture(scope="module", autouse=True)
def endpoint(aws: Aws) -> Iterator[None]:
    """Endpoint "i" of a variant without a model; component "one" on it."""
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="i",
        ExecutionRoleArn=ROLE,
        ProductionVariants=[
            {
                "VariantName": "v",
                "InstanceType": "ml.m5.large",
                "InitialInstanceCount": 1,
                "ManagedInstanceScaling": {"Status": "ENABLED", "MinInstanceCount": 1},
            }
        ],
    )
    before = children()
    assert aws.endpoint("i", "i")["EndpointStatus"] == "InService"
    eventually(lambda: children() <= before)
    aws.model("one", {"VERSION": "1"})
    create(aws, "one", {"ModelName": "one"})
    yield
    with pytest.raises(ClientError, match="it has the inference components one; delete them first"):
        aws.sagemaker.delete_endpoint(EndpointName="i")
    delete(aws, "one")
    aws.delete("i")
    eventually(lambda: children() <= before)


def create(aws: Aws, name: str, specification: dict[str, Any], copies: int = 1) -> Any:
    aws.sagemaker.create_inference_component(
        InferenceComponentName=name,
        EndpointName="i",
        VariantName="v",
        Specification={
            **specification,
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
        },
        RuntimeConfig={"CopyCount": copies},
    )
    return settled(aws, name)


def settled(aws: Aws, name: str) -> Any:
    def look() -> Any:
        found = aws.sagemaker.describe_inference_component(InferenceComponentName=name)
        return found if found["InferenceComponentStatus"] in ("InService", "Failed") else None

    return eventually(look)


def delete(aws: Aws, name: str) -> None:
    aws.sagemaker.delete_inference_component(InferenceComponentName=name)
    eventually(lambda: name not in listed(aws))


def test_a_component_of_an_image_that_nothing_serves_fails_with_the_reason(aws: Aws) -> None:
    image = "763104351884.dkr.ecr.eu-west-1.amazonaws.com/mxnet-inference:1.9.0-cpu-py38"
    container = {"Image": image, "ArtifactUrl": "s3://models/model.tar.gz"}
    failed = create(aws, "unserved", {"Container": container})
    assert failed["InferenceComponentStatus"] == "Failed"
    assert "this machine has no engine for mxnet" in failed["FailureReason"]
    assert image in failed["FailureReason"]
    delete(aws, "unserved")


def listed(aws: Aws) -> list[str]:
    found = aws.sagemaker.list_inference_components(EndpointNameEquals="i")
    return [component["InferenceComponentName"] for component in found["InferenceComponents"]]


def test_each_component_answers_for_itself(aws: Aws) -> None:
    own = {"Image": IMAGE, "ArtifactUrl": "s3://models/model.tar.gz"}
    described = create(aws, "two", {"Container": {**own, "Environment": {"VERSION": "2"}}}, 3)
    assert described["RuntimeConfig"] == {"DesiredCopyCount": 3, "CurrentCopyCount": 3}
    assert aws.ask("i", b"which", InferenceComponentName="one") == b"1"
    assert aws.ask("i", b"which", InferenceComponentName="two") == b"2"
    assert sorted(listed(aws)) == ["one", "two"]
    service_in(aws.gateway, SageMaker).flush(instances=False)
    metrics = aws.client("cloudwatch").list_metrics(
        Dimensions=[{"Name": "InferenceComponentName", "Value": "two"}]
    )["Metrics"]
    assert {"InvocationsPerCopy", "ConcurrentRequestsPerCopy"} <= {m["MetricName"] for m in metrics}
    assert figures(aws, "Invocations", "i")["Sum"] == 2
    delete(aws, "two")


def test_a_router_asks_a_component_and_another_where_one_has_no_copies(aws: Aws) -> None:
    create(aws, "none", {"ModelName": "one"})
    aws.sagemaker.update_inference_component_runtime_config(
        InferenceComponentName="none", DesiredRuntimeConfig={"CopyCount": 0}
    )
    described = [settled(aws, name)["InferenceComponentArn"] for name in ("none", "one")]
    target = {"Name": "it", "Destinations": [{"ResourceArn": arn} for arn in described]}
    aws.sagemaker.create_inference_router(InferenceRouterName="r", RoutingTargets=[target])

    def look() -> bool:
        found = aws.sagemaker.describe_inference_router(InferenceRouterName="r")
        return bool(found["Status"] == "InService")

    eventually(look)
    runtime = aws.client("sagemaker-inference-router-runtime")
    call = {"InferenceRouterName": "r", "RoutingTargetName": "it", "Body": b"which"}
    answers = [runtime.invoke_inference_router(**call) for _ in range(4)]

    assert [each["Body"].read() for each in answers] == [b"1"] * 4
    assert {each["InvokedRoutedResourceArn"] for each in answers} == {described[1]}
    delete(aws, "none")


def test_an_update_replaces_the_copies_and_a_broken_one_does_not(aws: Aws) -> None:
    aws.model("next", {"VERSION": "next"})
    aws.model("broken", {"EXIT_AT_START": "1"})
    create(aws, "moving", {"ModelName": "one"})

    def update(model: str) -> Any:
        aws.sagemaker.update_inference_component(
            InferenceComponentName="moving",
            Specification={
                "ModelName": model,
                "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
            },
        )
        return settled(aws, "moving")

    assert "FailureReason" not in update("next")
    assert aws.ask("i", b"which", InferenceComponentName="moving") == b"next"
    undone = update("broken")
    assert undone["InferenceComponentStatus"] == "InService"
    assert "the model is broken" in undone["FailureReason"]
    assert undone["Specification"]["ModelName"] == "next"
    assert aws.ask("i", b"which", InferenceComponentName="moving") == b"next"
    delete(aws, "moving")


def test_a_scaled_component_does_not_hinder_a_change_of_its_host(aws: Aws) -> None:
    scaling = aws.client("application-autoscaling")
    target = {
        "ServiceNamespace": "sagemaker",
        "ResourceId": "inference-component/one",
        "ScalableDimension": "sagemaker:inference-component:DesiredCopyCount",
    }
    scaling.register_scalable_target(**target, MinCapacity=1, MaxCapacity=2)
    (host,) = aws.sagemaker.describe_endpoint_config(EndpointConfigName="i")["ProductionVariants"]
    managed = {"Status": "ENABLED", "MinInstanceCount": 1, "MaxInstanceCount": 3}
    aws.sagemaker.create_endpoint_config(
        EndpointConfigName="larger",
        ExecutionRoleArn=ROLE,
        ProductionVariants=[
            {**host, "InstanceType": "ml.m5.xlarge", "ManagedInstanceScaling": managed}
        ],
    )
    for config in ("larger", "i"):
        aws.sagemaker.update_endpoint(EndpointName="i", EndpointConfigName=config)
        assert aws.settled("i")["EndpointConfigName"] == config
        assert aws.ask("i", b"which", InferenceComponentName="one") == b"1"
    scaling.deregister_scalable_target(**target)


def test_without_copies_there_is_no_process_and_no_answer(aws: Aws) -> None:
    before = children()
    create(aws, "none", {"ModelName": "one"})
    aws.sagemaker.update_inference_component_runtime_config(
        InferenceComponentName="none", DesiredRuntimeConfig={"CopyCount": 0}
    )
    settled(aws, "none")
    eventually(lambda: children() <= before)
    with pytest.raises(ClientError, match="has no capacity to process"):
        aws.ask("i", b"x", InferenceComponentName="none")
    service_in(aws.gateway, SageMaker).flush(instances=False)
    told = aws.client("cloudwatch").list_metrics(
        Dimensions=[{"Name": "InferenceComponentName", "Value": "none"}]
    )["Metrics"]
    # On a busy machine the copy that was there first lives long enough to be measured.
    measured = {metric["MetricName"] for metric in told} - {"ConcurrentRequestsPerCopy"}
    assert measured == {"NoCapacityInvocationFailures"}
    aws.sagemaker.update_inference_component_runtime_config(
        InferenceComponentName="none", DesiredRuntimeConfig={"CopyCount": 1}
    )
    settled(aws, "none")
    assert aws.ask("i", b"which", InferenceComponentName="none") == b"1"
    delete(aws, "none")


def adapter(aws: Aws, name: str, content: bytes, base: str = "adapted") -> dict[str, Any]:
    aws.s3.put_object(Bucket="models", Key=f"{name}.tar.gz", Body=archive({"file": content}))
    container = {"ArtifactUrl": f"s3://models/{name}.tar.gz"}
    return {"BaseInferenceComponentName": base, "Container": container}


def test_each_adapter_answers_for_itself_in_the_container_of_its_base(aws: Aws) -> None:
    def make(name: str, content: bytes) -> Any:
        aws.sagemaker.create_inference_component(
            InferenceComponentName=name,
            EndpointName="i",
            Specification=adapter(aws, name, content),
        )
        return settled(aws, name)

    def ask(name: str, body: bytes = b"which") -> bytes:
        return aws.ask("i", body, InferenceComponentName=name)

    def scale(copies: int) -> None:
        aws.sagemaker.update_inference_component_runtime_config(
            InferenceComponentName="adapted", DesiredRuntimeConfig={"CopyCount": copies}
        )
        settled(aws, "adapted")

    create(aws, "adapted", {"ModelName": "one"})
    before = children()
    assert make("polite", b" please")["InferenceComponentStatus"] == "InService"
    assert make("rude", b" now")["VariantName"] == "v"
    assert children() == before
    assert (ask("adapted"), ask("polite"), ask("rude")) == (b"1", b"1 please", b"1 now")

    scale(0)
    with pytest.raises(ClientError, match="has no capacity to process"):
        ask("polite")
    scale(1)
    assert ask("adapted", b"adapters") == b"[]"
    assert ask("polite") == b"1 please"
    assert json.loads(ask("adapted", b"adapters")) == ["polite"]

    aws.model("two", {"VERSION": "2"})
    aws.sagemaker.update_inference_component(
        InferenceComponentName="adapted",
        Specification={
            "ModelName": "two",
            "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
        },
    )
    settled(aws, "adapted")
    assert (ask("polite"), ask("rude")) == (b"2 please", b"2 now")

    aws.sagemaker.update_inference_component(
        InferenceComponentName="rude", Specification=adapter(aws, "ruder", b" at once")
    )
    assert "FailureReason" not in settled(aws, "rude")
    assert ask("rude") == b"2 at once"
    aws.sagemaker.update_inference_component(
        InferenceComponentName="rude", Specification=adapter(aws, "wrong", b"broken")
    )
    undone = settled(aws, "rude")
    assert undone["InferenceComponentStatus"] == "InService"
    assert "POST /adapters was answered with 400: no adapter" in undone["FailureReason"]
    assert ask("rude") == b"2 at once"

    with pytest.raises(ClientError, match="base of the adapters polite, rude; delete them first"):
        aws.sagemaker.delete_inference_component(InferenceComponentName="adapted")
    with pytest.raises(ClientError, match="rude is an adapter, which has no copies of its own"):
        aws.sagemaker.update_inference_component_runtime_config(
            InferenceComponentName="rude", DesiredRuntimeConfig={"CopyCount": 2}
        )
    delete(aws, "rude")
    assert json.loads(ask("adapted", b"adapters")) == ["polite"]
    delete(aws, "polite")
    delete(aws, "adapted")


def test_an_adapter_that_cannot_be_loaded_fails_and_one_without_a_base_is_refused(aws: Aws) -> None:
    def make(specification: dict[str, Any]) -> None:
        aws.sagemaker.create_inference_component(
            InferenceComponentName="lost", EndpointName="i", Specification=specification
        )

    with pytest.raises(ClientError, match="Could not find inference component"):
        make(adapter(aws, "lost", b"", base="absent"))
    with pytest.raises(ClientError, match="its Container has no ArtifactUrl"):
        make({"BaseInferenceComponentName": "one"})
    make(adapter(aws, "lost", b"broken", base="one"))
    failed = settled(aws, "lost")
    assert failed["InferenceComponentStatus"] == "Failed"
    assert "The container of one did not load the adapter lost" in failed["FailureReason"]
    delete(aws, "lost")


def test_of_several_specifications_the_one_of_the_hosts_type_runs(aws: Aws) -> None:
    size = {"ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128}}
    aws.model("large", {"VERSION": "large"})
    models = {"ml.m5.large": "large", "ml.m5.xlarge": "one"}
    several = [{"InstanceType": kind, "ModelName": model, **size} for kind, model in models.items()]
    given: Any = {"EndpointName": "i", "VariantName": "v"}
    with pytest.raises(ClientError, match="no entry of Specifications is of ml"):
        aws.sagemaker.create_inference_component(
            InferenceComponentName="several", **given, Specifications=several[1:]
        )
    aws.sagemaker.create_inference_component(
        InferenceComponentName="several", **given, Specifications=several
    )
    described = settled(aws, "several")
    assert described["Specifications"] == several
    assert "Specification" not in described
    assert aws.ask("i", b"which", InferenceComponentName="several") == b"large"
    delete(aws, "several")


def test_what_cannot_be_asked_or_made_is_said(aws: Aws) -> None:
    with pytest.raises(ClientError, match="Inference Component Name header is required"):
        aws.ask("i", b"x")
    with pytest.raises(ClientError, match="Inference Component absent not found for i"):
        aws.ask("i", b"x", InferenceComponentName="absent")
    aws.config("whole", {"v": "one"})
    aws.endpoint("whole", "whole")
    with pytest.raises(ClientError, match="Inference Components are not supported in this"):
        aws.sagemaker.create_inference_component(
            InferenceComponentName="x", EndpointName="whole", VariantName="v"
        )
    aws.delete("whole")
    with pytest.raises(ClientError, match="without a model of their own are: v"):
        aws.sagemaker.create_inference_component(
            InferenceComponentName="x", EndpointName="i", VariantName="w"
        )
    failed = create(aws, "failing", {"ModelName": _broken(aws)})
    assert failed["InferenceComponentStatus"] == "Failed"
    delete(aws, "failing")


def _broken(aws: Aws) -> str:
    return aws.model("never", {"EXIT_AT_START": "1"})


def test_a_component_answers_in_parts(aws: Aws) -> None:
    given = {"EndpointName": "i", "InferenceComponentName": "one", "Body": b"stream a b"}
    told = aws.runtime.invoke_endpoint_with_response_stream(**given)["Body"]
    assert [event["PayloadPart"]["Bytes"] for event in told] == [b"a", b"b"]


def test_a_component_serves_again_after_a_restart(aws: Aws) -> None:
    state = json.loads(json.dumps(service_in(aws.gateway, SageMaker).export_state()))
    second = SageMaker(aws.gateway.context, launch=StandIn.start)
    try:
        second.restore_state(state)

        def status() -> Any:
            found = do(second, "DescribeInferenceComponent", InferenceComponentName="one")
            return found["InferenceComponentStatus"] == "InService"

        eventually(status)
    finally:
        second.close()


def test_a_stack_makes_and_changes_one(aws: Aws) -> None:
    stacks = Deployments(aws.client("cloudformation"))

    def template(copies: int | None, model: str = "one") -> dict[str, Any]:
        component: dict[str, Any] = {
            "Type": "AWS::SageMaker::InferenceComponent",
            "Properties": {
                "InferenceComponentName": "stacked",
                "EndpointName": "i",
                "VariantName": "v",
                "Specification": {
                    "ModelName": model,
                    "ComputeResourceRequirements": {"MinMemoryRequiredInMb": 128},
                },
            },
        }
        if copies is not None:
            component["Properties"]["RuntimeConfig"] = {"CopyCount": copies}
        return {"Resources": {"Component": component}}

    assert stacks.create("stacked", template(1))["StackStatus"] == "CREATE_COMPLETE"
    assert aws.ask("i", b"which", InferenceComponentName="stacked") == b"1"
    assert stacks.update("stacked", template(2))["StackStatus"] == "UPDATE_COMPLETE"
    assert settled(aws, "stacked")["RuntimeConfig"]["CurrentCopyCount"] == 2
    # What scaling made of it stays, where the template names no count.
    aws.sagemaker.update_inference_component_runtime_config(
        InferenceComponentName="stacked", DesiredRuntimeConfig={"CopyCount": 3}
    )
    settled(aws, "stacked")
    aws.model("newer", {"VERSION": "newer"})
    updated = stacks.update("stacked", template(None, "newer"))
    assert updated["StackStatus"] == "UPDATE_COMPLETE"
    assert settled(aws, "stacked")["RuntimeConfig"]["CurrentCopyCount"] == 3
    assert aws.ask("i", b"which", InferenceComponentName="stacked") == b"newer"
    stacks.delete("stacked")
    assert "stacked" not in listed(aws)

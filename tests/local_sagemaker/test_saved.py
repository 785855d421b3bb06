"""What is kept when the local AWS ends, and what of it runs again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from local_aws.credentials import ACCOUNT_ID
from sagemaker_serving.local_sagemaker.common.store import Region
from sagemaker_serving.local_sagemaker.control_plane import SageMaker
from sagemaker_serving.local_sagemaker.saved import restore_region
from tests.local_aws.aws import REGION, Aws, children, do, eventually, service_in
from tests.local_aws.stand_in import StandIn


@pytest.fixture
def second(aws: Aws) -> Any:
    """A control plane beside the gateway's own, as the next run would have it."""
    plane = SageMaker(aws.gateway.context, launch=StandIn.start)
    yield plane
    plane.close()


def through_json(plane: SageMaker) -> Any:
    return json.loads(json.dumps(plane.export_state()))


def describe(plane: SageMaker, name: str) -> Any:
    return do(plane, "DescribeEndpoint", EndpointName=name)


def test_what_is_exported_is_plain_and_comes_back_whole(aws: Aws, second: SageMaker) -> None:
    aws.config("plain", {"v": aws.model("plain")})
    state = through_json(service_in(aws.gateway, SageMaker))
    second.restore_state(state)
    again = through_json(second)
    assert again["regions"][REGION]["models"] == state["regions"][REGION]["models"]
    assert again["regions"][REGION]["endpoint_configs"]["plain"]["ProductionVariants"]
    for action in ("ListModels", "ListEndpointConfigs"):
        assert do(second, action) == do(service_in(aws.gateway, SageMaker), action)


def test_an_endpoint_serves_again_what_it_served(aws: Aws, second: SageMaker) -> None:
    aws.model("one", {"VERSION": "1"})
    aws.model("two", {"VERSION": "2"})
    aws.config("served", {"a": "one", "b": "two"})
    aws.endpoint("served", "served")
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="served",
        DesiredWeightsAndCapacities=[
            {"VariantName": "a", "DesiredWeight": 0},
            {"VariantName": "b", "DesiredInstanceCount": 3},
        ],
    )
    aws.sagemaker.delete_endpoint_config(EndpointConfigName="served")
    aws.sagemaker.delete_model(ModelName="two")
    state = through_json(service_in(aws.gateway, SageMaker))
    aws.delete("served")
    before = children()
    second.restore_state(state)
    assert describe(second, "served")["EndpointStatus"] == "SystemUpdating"
    with pytest.raises(Exception, match="Cannot update in-progress endpoint"):
        do(second, "DeleteEndpoint", EndpointName="served")
    eventually(lambda: describe(second, "served")["EndpointStatus"] == "InService")
    a, b = describe(second, "served")["ProductionVariants"]
    assert (a["CurrentWeight"], b["CurrentWeight"], b["CurrentInstanceCount"]) == (0, 1, 3)
    eventually(lambda: len(children() - before) == 2)
    second.close()
    eventually(lambda: children() <= before)


def test_every_kind_of_endpoint_serves_again_as_what_it_was(aws: Aws, second: SageMaker) -> None:
    one = {"VariantName": "v", "ModelName": aws.model("kind", {"VERSION": "1"})}
    instances = {"InstanceType": "ml.m5.large", "InitialInstanceCount": 1}
    serverless = {"ServerlessConfig": {"MemorySizeInMB": 1024, "MaxConcurrency": 3}}
    output = {"OutputConfig": {"S3OutputPath": "s3://models/out"}}
    kinds: dict[str, dict[str, Any]] = {
        "serverless": {"ProductionVariants": [{**one, **serverless}]},
        "asynchronous": {
            "ProductionVariants": [{**one, **instances}],
            "AsyncInferenceConfig": output,
        },
        "shadowed": {
            "ProductionVariants": [{**one, **instances}],
            "ShadowProductionVariants": [{**one, **instances, "VariantName": "dark"}],
        },
    }
    for name, config in kinds.items():
        aws.sagemaker.create_endpoint_config(EndpointConfigName=name, **config)
        aws.endpoint(name, name)
    aws.sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="asynchronous",
        DesiredWeightsAndCapacities=[{"VariantName": "v", "DesiredInstanceCount": 0}],
    )
    aws.settled("asynchronous")
    state = through_json(service_in(aws.gateway, SageMaker))
    for name in kinds:
        aws.delete(name)
    before = children()
    second.restore_state(state)
    eventually(
        lambda: {describe(second, name)["EndpointStatus"] for name in kinds} == {"InService"}
    )
    (found,) = describe(second, "serverless")["ProductionVariants"]
    assert found["CurrentServerlessConfig"]["MaxConcurrency"] == 3
    (found,) = describe(second, "asynchronous")["ProductionVariants"]
    assert found["CurrentInstanceCount"] == 0
    (found,) = describe(second, "shadowed")["ShadowProductionVariants"]
    assert found["VariantName"] == "dark"
    eventually(lambda: len(children() - before) == 2)  # serverless rests, asynchronous has none


def test_packages_are_kept(aws: Aws, second: SageMaker) -> None:
    aws.sagemaker.create_model_package_group(ModelPackageGroupName="kept")
    arn = aws.sagemaker.create_model_package(
        ModelPackageGroupName="kept",
        InferenceSpecification={"Containers": [{"Image": "image"}]},
    )["ModelPackageArn"]
    second.restore_state(through_json(service_in(aws.gateway, SageMaker)))
    found = do(second, "DescribeModelPackage", ModelPackageName=arn)
    assert found["ModelPackageVersion"] == 1


def test_an_endpoint_whose_archive_is_gone_says_so(aws: Aws, second: SageMaker) -> None:
    aws.s3.put_object(
        Bucket="models",
        Key="fleeting.tar.gz",
        Body=aws.s3.get_object(Bucket="models", Key="model.tar.gz")["Body"].read(),
    )
    aws.model("fleeting", ModelDataUrl="s3://models/fleeting.tar.gz")
    aws.config("fleeting", {"v": "fleeting"})
    aws.endpoint("fleeting", "fleeting")
    state = through_json(service_in(aws.gateway, SageMaker))
    aws.delete("fleeting")
    aws.s3.delete_object(Bucket="models", Key="fleeting.tar.gz")
    second.restore_state(state)
    eventually(lambda: describe(second, "fleeting")["EndpointStatus"] == "Failed")
    assert "Failed to download model data" in describe(second, "fleeting")["FailureReason"]


CUT_OFF = [
    ("endpoints", "EndpointStatus", "InService", "SystemUpdating", None),
    ("endpoints", "EndpointStatus", "Updating", "SystemUpdating", "stopped meanwhile"),
    ("endpoints", "EndpointStatus", "Creating", "Failed", "stopped meanwhile"),
    ("endpoints", "EndpointStatus", "Failed", "Failed", None),
    ("inference_components", "InferenceComponentStatus", "InService", "InService", None),
    ("inference_components", "InferenceComponentStatus", "Creating", "Failed", "stopped meanwhile"),
    ("transform_jobs", "TransformJobStatus", "InProgress", "Failed", "InternalServerError: The"),
    ("transform_jobs", "TransformJobStatus", "Stopping", "Stopped", None),
    ("transform_jobs", "TransformJobStatus", "Completed", "Completed", None),
    ("compilation_jobs", "CompilationJobStatus", "STARTING", "FAILED", "InternalServerError: The"),
    ("compilation_jobs", "CompilationJobStatus", "INPROGRESS", "FAILED", "InternalServerError"),
    ("compilation_jobs", "CompilationJobStatus", "STOPPING", "STOPPED", None),
    ("compilation_jobs", "CompilationJobStatus", "COMPLETED", "COMPLETED", None),
]


@pytest.mark.parametrize(("kind", "member", "was", "becomes", "reason"), CUT_OFF)
def test_what_was_on_its_way_says_that_it_was_cut_off(
    kind: str, member: str, was: str, becomes: str, reason: str | None
) -> None:
    region = Region(REGION, ACCOUNT_ID)
    thing = {member: was, "LastModifiedTime": 1.0, "EndpointArn": "arn"}
    restore_region(region, {kind: {"x": thing}})
    found = getattr(region, kind)["x"]
    assert found[member] == becomes
    if reason is None:
        assert "FailureReason" not in found
    else:
        assert reason in found["FailureReason"]


def test_what_was_being_deleted_is_gone() -> None:
    region = Region(REGION, ACCOUNT_ID)
    endpoint = {"EndpointStatus": "Deleting", "EndpointArn": "arn"}
    restore_region(region, {"endpoints": {"x": endpoint}, "tags": {"arn": {"a": "b"}}})
    assert not region.endpoints
    assert not region.tags


def test_models_that_a_killed_run_left_unpacked_are_removed(aws: Aws, tmp_path: Path) -> None:
    from local_aws.context import LocalContext

    left = tmp_path / "endpoints" / REGION / "gone" / "v-1" / "weights"
    left.parent.mkdir(parents=True)
    left.touch()
    log = tmp_path / "logs" / "endpoints" / REGION / "gone" / "v-1.log"
    log.parent.mkdir(parents=True)
    log.touch()
    SageMaker(LocalContext.at(aws.url, tmp_path), launch=StandIn.start).close()
    assert not (tmp_path / "endpoints").exists()
    assert log.exists()

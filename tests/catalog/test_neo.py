from __future__ import annotations

from datetime import date

import pytest

from sagemaker_serving.catalog.actions import action_parameters
from sagemaker_serving.catalog.images import UnknownImage
from sagemaker_serving.catalog.neo import (
    neo_frameworks,
    neo_image_uri,
    neo_regions,
    neo_support,
    neo_target_devices,
)
from sagemaker_serving.catalog.properties import resource_properties, sagemaker_resource_types


def test_neo_knows_the_frameworks_and_devices_of_the_service_model() -> None:
    assert "TENSORFLOW" in neo_frameworks()
    assert {"ml_c5", "ml_inf1", "jetson_nano"} <= set(neo_target_devices())


@pytest.mark.parametrize(
    ("framework", "device", "newest", "needs_config"),
    [
        ("TENSORFLOW", "ml_c5", "2.9", True),
        ("PYTORCH", "ml_g4dn", "2.0", False),
        ("PYTORCH", "ml_inf1", "1.9", True),
        ("XGBOOST", "ml_m5", "1.3.3", False),
        ("TENSORFLOW", "ml_inf2", "2.10", True),
    ],
)
def test_what_neo_compiles_depends_on_the_device(
    framework: str, device: str, newest: str, needs_config: bool
) -> None:
    support = neo_support(framework, device)
    assert support is not None
    assert (support.versions[-1], support.needs_input_config) == (newest, needs_config)


@pytest.mark.parametrize(
    ("framework", "device", "since"),
    [
        ("TENSORFLOW", "ml_c5", date(2022, 10, 10)),
        ("PYTORCH", "ml_g4dn", date(2023, 5, 29)),
        ("PYTORCH", "ml_inf1", date(2022, 3, 30)),
        ("ONNX", "ml_c5", None),
    ],
)
def test_since_when_neo_takes_up_nothing_newer(
    framework: str, device: str, since: date | None
) -> None:
    support = neo_support(framework, device)
    assert support is not None
    assert support.frozen_since == since


def test_what_is_not_documented_has_no_versions_and_edge_devices_are_not_judged() -> None:
    keras = neo_support("KERAS", "ml_inf1")
    assert keras is not None
    assert keras.versions == ()
    assert neo_support("TFLITE", "jetson_nano") is None


def test_newer_accelerators_are_compiled_for_in_one_region() -> None:
    assert neo_regions("ml_inf2") == ("us-east-2",)
    assert neo_regions("ml_trn1") == ("us-east-1",)
    assert "eu-west-1" in neo_regions("ml_c5")
    assert len(neo_regions("ml_c5")) == 31


@pytest.mark.parametrize(
    ("framework", "version", "device", "image"),
    [
        ("PYTORCH", "1.13", "ml_g4dn", "sagemaker-inference-pytorch:1.13-gpu-py3"),
        ("TENSORFLOW", "2.9", "ml_c5", "sagemaker-inference-tensorflow:2.9-cpu-py3"),
        ("TENSORFLOW", "2.5.2", "ml_inf1", "sagemaker-neo-tensorflow:2.5.2-inf-py3"),
        ("XGBOOST", "1.3.3", "ml_c5", "xgboost-neo:latest"),
        ("KERAS", "2.2.4", "ml_c5", "sagemaker-neo-keras:2.2.4-cpu-py3"),
    ],
)
def test_the_image_that_serves_what_neo_compiled(
    framework: str, version: str, device: str, image: str
) -> None:
    uri = neo_image_uri(
        framework=framework, version=version, region="eu-west-1", target_device=device
    )
    assert uri == f"802834080501.dkr.ecr.eu-west-1.amazonaws.com/{image}"


def test_what_the_tables_lack_is_asked_of_the_job() -> None:
    with pytest.raises(UnknownImage, match="take InferenceImage from the compilation job's"):
        neo_image_uri(framework="DARKNET", version="1", region="eu-west-1", target_device="ml_inf2")


def test_properties_are_known_by_name_at_every_level() -> None:
    assert "AWS::SageMaker::InferenceComponent" in sagemaker_resource_types()
    config = resource_properties("AWS::SageMaker::EndpointConfig")
    assert config is not None
    assert config["ProductionVariants"][0]["ServerlessConfig"]["MemorySizeInMB"] == "integer"
    assert "EndpointConfigArn" not in config
    job = action_parameters("CreateTransformJob")
    assert job is not None
    assert "SplitType" in job["TransformInput"]
    assert resource_properties("AWS::S3::Bucket") is None

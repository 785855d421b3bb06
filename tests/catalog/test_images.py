from __future__ import annotations

import pytest

from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.catalog.host_images import image_for
from sagemaker_serving.catalog.images import (
    UnknownImage,
    container_image,
    framework_versions,
    image_regions,
    image_version,
    repository_versions,
)
from sagemaker_serving.catalog.instances import instance_type, regions_offering
from sagemaker_serving.catalog.published import published_image

DLC = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"


@pytest.mark.parametrize(
    ("version", "region", "processor", "uri"),
    [
        ("2.19", "eu-west-1", "cpu",
         "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.19-cpu"),
        ("2.19.0", "us-east-1", "gpu",
         "763104351884.dkr.ecr.us-east-1.amazonaws.com/tensorflow-inference:2.19.0-gpu"),
        ("2.18", "af-south-1", "cpu",
         "626614931356.dkr.ecr.af-south-1.amazonaws.com/tensorflow-inference:2.18-cpu"),
        ("2.20", "cn-north-1", "cpu",
         "727897471807.dkr.ecr.cn-north-1.amazonaws.com.cn/tensorflow-inference:2.20-cpu-py312"),
        ("1.12", "eu-south-1", "cpu",
         "048378556238.dkr.ecr.eu-south-1.amazonaws.com/sagemaker-tensorflow-serving:1.12-cpu"),
    ],
)  # fmt: skip
def test_the_image_is_that_of_region_version_and_processor(
    version: str, region: str, processor: str, uri: str
) -> None:
    assert (
        container_image(
            framework="tensorflow",
            version=version,
            region=region,
            processor=processor,  # type: ignore[arg-type]
        ).uri
        == uri
    )


@pytest.mark.parametrize(
    ("asked", "image"),
    [
        # as sagemaker-core 2.27.0 itself answers; all 4974 of a run on 2026-11-21 were alike
        ({"framework": "pytorch", "version": "2.6", "processor": "gpu"},
         "763104351884/pytorch-inference:2.6-gpu-py312"),
        ({"framework": "pytorch", "version": "1.4.0"},
         "763104351884/pytorch-inference:1.4.0-cpu-py36"),
        ({"framework": "pytorch", "version": "1.4.0", "python": "py3"},
         "763104351884/pytorch-inference:1.4.0-cpu-py3"),
        ({"framework": "mxnet", "version": "1.9", "processor": "gpu"},
         "763104351884/mxnet-inference:1.9-gpu-py38"),
        ({"framework": "xgboost", "version": "1.7-1"}, "141502667606/sagemaker-xgboost:1.7-1"),
        ({"framework": "sklearn", "version": "1.2-1"},
         "141502667606/sagemaker-scikit-learn:1.2-1-cpu-py3"),
        ({"framework": "sagemaker-tritonserver", "version": "25.09", "processor": "gpu"},
         "763104351884/sagemaker-tritonserver:25.09-py3"),
        (
            {"framework": "huggingface", "version": "4.51", "processor": "gpu"},
            "763104351884/huggingface-pytorch-inference:"
            "2.6.0-transformers4.51.3-gpu-py312-cu124-ubuntu22.04",
        ),
        (
            {"framework": "huggingface", "version": "4.26", "base": "tensorflow2.11"},
            "763104351884/huggingface-tensorflow-inference:2.11-transformers4.26.0-cpu-py39-ubuntu20.04",
        ),
        (
            {"framework": "huggingface-neuronx", "version": "4.43", "processor": "inf"},
            "763104351884/huggingface-pytorch-inference-neuronx:"
            "2.1.2-transformers4.43.2-neuronx-py310-sdk2.20.0-ubuntu20.04",
        ),
        ({"framework": "djl-lmi", "version": "0.36.0", "processor": "gpu"},
         "763104351884/djl-inference:0.36.0-lmi27.0.0-cu130"),
        ({"framework": "inferentia-tensorflow", "version": "2.5.2", "processor": "inf"},
         "802834080501/sagemaker-neo-tensorflow:2.5.2-inf-py3"),
        ({"framework": "tensorflow", "version": "2.3", "scope": "eia"},
         "763104351884/tensorflow-inference-eia:2.3-cpu"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_every_frameworks_image_is_what_the_sdk_names(asked: dict[str, str], image: str) -> None:
    account, name = image.split("/")
    uri = container_image(region="eu-west-1", **asked).uri  # type: ignore[arg-type]
    assert uri == f"{account}.dkr.ecr.eu-west-1.amazonaws.com/{name}"


@pytest.mark.parametrize(
    ("region", "domain"),
    [
        ("cn-north-1", "amazonaws.com.cn"),
        ("us-gov-west-1", "amazonaws.com"),
        ("us-iso-east-1", "c2s.ic.gov"),
        ("us-isob-east-1", "sc2s.sgov.gov"),
    ],
)
def test_partitions_have_their_own_domains(region: str, domain: str) -> None:
    uri = container_image(framework="tensorflow", version="1.13", region=region).uri
    assert uri.split("/")[0].endswith(f".dkr.ecr.{region}.{domain}")


def test_several_bases_have_to_be_told_apart() -> None:
    with pytest.raises(
        UnknownImage, match=r"base is pytorch1\.13\.1, tensorflow2\.11\.0"
    ) as raised:
        container_image(framework="huggingface", version="4.26", region="eu-west-1")
    assert raised.value.parameter == "base"


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        (f"{DLC}/tensorflow-inference:2.19-gpu", ("gpu", "x86_64", False)),
        (f"{DLC}/djl-inference:0.36.0-lmi27.0.0-cu130", ("gpu", "x86_64", False)),
        (f"{DLC}/tensorflow-inference-graviton:2.16.1-cpu", ("cpu", "arm64", False)),
        (f"{DLC}/huggingface-pytorch-inference-neuronx:2.1.2", (None, "x86_64", True)),
    ],
)
def test_a_published_image_tells_what_it_runs_on(uri: str, expected: tuple[object, ...]) -> None:
    found = published_image(uri)
    assert found is not None
    assert (found.processor, found.architecture, found.neuron) == expected


@pytest.mark.parametrize(
    "uri",
    [
        None,
        "docker.io/library/nginx:1",
        f"{DLC}/my-own:1",
        f"{DLC.replace('763104351884', '111122223333')}/tensorflow-inference:2.19-gpu",
    ],
)
def test_ones_own_image_is_not_taken_for_one_of_awss(uri: str | None) -> None:
    assert published_image(uri) is None


def test_arm_instances_have_their_own_images() -> None:
    uri = container_image(
        framework="tensorflow", version="2.16", region="eu-west-1", scope="inference_graviton"
    ).uri
    assert uri.endswith("/tensorflow-inference-graviton:2.16-cpu-py310-ubuntu20.04-sagemaker")


def test_every_region_that_prices_c5_has_an_image() -> None:
    assert set(regions_offering("ml.c5.xlarge")) <= set(image_regions("tensorflow", "2.19"))


@pytest.mark.parametrize(
    ("asked", "parameter", "said"),
    [
        ({"framework": "tensorflw"}, "framework", "did you mean 'tensorflow'"),
        ({"version": "2.21"}, "framework_version", "use 2.20"),
        ({"version": "2.17"}, "framework_version", "use 2.18"),
        ({"version": "2"}, "framework_version", "use 2.20"),
        (
            {"version": "2.20", "scope": "eia"},
            "framework_version",
            "tensorflow images for Elastic Inference exist for",
        ),
        ({"version": "1.10.0", "scope": "eia"}, "framework_version", "use 1.11"),
        ({"version": "newest"}, "framework_version", "use 2.20"),
        ({"region": "eu-west-9"}, "region", "no tensorflow 2.19 image in region 'eu-west-9'"),
        (
            {"version": "2.3", "processor": "gpu", "scope": "eia"},
            "processor",
            "no tensorflow eia image for gpu",
        ),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(
    asked: dict[str, str], parameter: str, said: str
) -> None:
    sound = {"framework": "tensorflow", "version": "2.19", "region": "eu-west-1"}
    with pytest.raises(UnknownImage, match=said) as raised:
        container_image(**{**sound, **asked})  # type: ignore[arg-type]
    assert raised.value.parameter == parameter


@pytest.mark.parametrize(
    ("framework", "asked", "taken"),
    [
        ("tensorflow", "1.13.1", "1.13.0"),
        ("tensorflow", "2.4.0", "2.4.1"),
        ("tensorflow", "2.4.2", "2.4.3"),
        ("tensorflow", "2.20", "2.20"),
        ("tensorflow", "2.17", "2.17"),
        ("djl-lmi", "0.38", "0.38.0"),
        ("sklearn", "1.2", "1.2-1"),
    ],
)
def test_a_version_gets_the_nearest_image_of_its_release_that_is_not_older(
    framework: str, asked: str, taken: str
) -> None:
    assert image_version(framework, asked) == taken


OLDER_REGISTRY = "520713654638.dkr.ecr.us-west-2.amazonaws.com/sagemaker-tensorflow-serving"
NEWER_REGISTRY = "763104351884.dkr.ecr.us-west-2.amazonaws.com/tensorflow-inference"


@pytest.mark.parametrize(
    ("host", "version", "accelerator", "uri"),
    [
        ("ml.p3.2xlarge", "1.13.0", None, f"{NEWER_REGISTRY}:1.13.0-gpu"),
        ("ml.c5.xlarge", "1.13.0", None, f"{NEWER_REGISTRY}:1.13.0-cpu"),
        ("ml.p2.xlarge", "1.12.0", None, f"{OLDER_REGISTRY}:1.12.0-gpu"),
        ("ml.p2.xlarge", "1.12", None, f"{OLDER_REGISTRY}:1.12-gpu"),
        ("ml.p2.xlarge", "1.13", None, f"{NEWER_REGISTRY}:1.13-gpu"),
        ("ml.m5.xlarge", "1.13.0", "ml.eia1.medium", f"{OLDER_REGISTRY}-eia:1.13.0-cpu"),
        ("ml.m5.xlarge", "1.14.0", "ml.eia1.medium", f"{NEWER_REGISTRY}-eia:1.14.0-cpu"),
    ],
)
def test_the_types_that_the_readme_names_get_the_image_that_it_names(
    host: str, version: str, accelerator: str | None, uri: str
) -> None:
    """README: '"gpu" for use on GPU-based instance types like ml.p3.2xlarge, or "cpu" for use on
    CPU-based instances like ml.c5.xlarge'; INSTANCE_TYPE="ml.p2.xlarge", TFS_VERSION="1.12.0",
    framework_version='1.12' and '1.13'; test_ei.py on ml.m5.xlarge with ml.eia1.medium."""
    image = image_for(
        instance_type(host),
        framework="tensorflow",
        version=version,
        region="us-west-2",
        accelerator=Accelerator.named(accelerator),
    )
    assert image.uri == uri


def test_legacy_modes_images_are_not_tensorflow_serving_s() -> None:
    """SDK 1.72: "tensorflow" (TensorFlowModel, py2) and "tensorflow-serving" (serving.Model)."""
    legacy = container_image(framework="tensorflow-legacy", version="1.10", region="us-west-2").uri
    assert legacy.endswith("/sagemaker-tensorflow:1.10-cpu-py2")
    assert list(repository_versions("sagemaker-tensorflow")) == ["tensorflow-legacy"]


def test_versions_are_in_the_order_of_their_release() -> None:
    versions = framework_versions("tensorflow")
    assert versions[0] == "1.4"
    assert versions[-2:] == ("2.19", "2.20")


@pytest.mark.parametrize(
    ("uri", "parts"),
    [
        (
            "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/server:7",
            ("111122223333", "eu-west-1", "team/server", "7"),
        ),
        (
            "111122223333.dkr.ecr.cn-north-1.amazonaws.com.cn/server",
            ("111122223333", "cn-north-1", "server", ""),
        ),
        (
            f"111122223333.dkr.ecr.eu-west-1.amazonaws.com/server@sha256:{'0a' * 32}",
            ("111122223333", "eu-west-1", "server", f"sha256:{'0a' * 32}"),
        ),
    ],
)
def test_an_ecr_uri_is_taken_apart_and_put_together(uri: str, parts: tuple[str, ...]) -> None:
    image = parse_ecr_uri(uri)
    assert image is not None
    assert (image.account, image.region, image.repository, image.tag) == parts
    assert image.uri == uri


@pytest.mark.parametrize(
    "uri", ["docker.io/library/nginx:1", "123.dkr.ecr.x.y/z", "", "public.ecr.aws/x/y:1"]
)
def test_what_is_not_in_ecr_is_no_ecr_uri(uri: str) -> None:
    assert parse_ecr_uri(uri) is None

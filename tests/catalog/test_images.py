from __future__ import annotations

import pytest

from sagemaker_serving.catalog import (
    UnknownImage,
    framework_versions,
    image_regions,
    image_uri,
    parse_ecr_uri,
    regions_offering,
)


@pytest.mark.parametrize(
    ("version", "region", "processor", "uri"),
    [
        (
            "2.19",
            "eu-west-1",
            "cpu",
            "763104351884.dkr.ecr.eu-west-1.amazonaws.com/tensorflow-inference:2.19-cpu",
        ),
        (
            "2.19.0",
            "us-east-1",
            "gpu",
            "763104351884.dkr.ecr.us-east-1.amazonaws.com/tensorflow-inference:2.19.0-gpu",
        ),
        (
            "2.18",
            "af-south-1",
            "cpu",
            "626614931356.dkr.ecr.af-south-1.amazonaws.com/tensorflow-inference:2.18-cpu",
        ),
        (
            "2.20",
            "cn-north-1",
            "cpu",
            "727897471807.dkr.ecr.cn-north-1.amazonaws.com.cn/tensorflow-inference:2.20-cpu-py312",
        ),
        (
            "1.12",
            "eu-south-1",
            "cpu",
            "048378556238.dkr.ecr.eu-south-1.amazonaws.com/sagemaker-tensorflow-serving:1.12-cpu",
        ),
    ],
)
def test_the_image_is_that_of_region_version_and_processor(
    version: str, region: str, processor: str, uri: str
) -> None:
    assert (
        image_uri(framework="tensorflow", version=version, region=region, processor=processor)  # type: ignore[arg-type]
        == uri
    )


def test_arm_instances_have_their_own_images() -> None:
    uri = image_uri(
        framework="tensorflow", version="2.16", region="eu-west-1", scope="inference_graviton"
    )
    assert uri.endswith("/tensorflow-inference-graviton:2.16-cpu-py310-ubuntu20.04-sagemaker")


def test_every_region_that_prices_c5_has_an_image() -> None:
    assert set(regions_offering("ml.c5.xlarge")) <= set(image_regions("tensorflow", "2.19"))


@pytest.mark.parametrize(
    ("asked", "parameter", "said"),
    [
        ({"framework": "tensorflw"}, "framework", "did you mean 'tensorflow'"),
        ({"version": "2.21"}, "framework_version", "use 2.20"),
        ({"version": "2.17"}, "framework_version", "use 2.16"),
        ({"version": "newest"}, "framework_version", "use 2.20"),
        ({"region": "eu-west-9"}, "region", "no tensorflow 2.19 image in region 'eu-west-9'"),
        ({"processor": "gpu", "scope": "eia"}, "processor", "no tensorflow eia image for gpu"),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(
    asked: dict[str, str], parameter: str, said: str
) -> None:
    sound = {"framework": "tensorflow", "version": "2.19", "region": "eu-west-1"}
    with pytest.raises(UnknownImage, match=said) as raised:
        image_uri(**{**sound, **asked})  # type: ignore[arg-type]
    assert raised.value.parameter == parameter


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
    ],
)
def test_an_ecr_uri_is_taken_apart(uri: str, parts: tuple[str, ...]) -> None:
    image = parse_ecr_uri(uri)
    assert image is not None
    assert (image.account, image.region, image.repository, image.tag) == parts


@pytest.mark.parametrize(
    "uri", ["docker.io/library/nginx:1", "123.dkr.ecr.x.y/z", "", "public.ecr.aws/x/y:1"]
)
def test_what_is_not_in_ecr_is_no_ecr_uri(uri: str) -> None:
    assert parse_ecr_uri(uri) is None

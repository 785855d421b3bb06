"""A GPU host's driver runs its image's CUDA: known where AWS or NVIDIA says so, else left alone."""

from __future__ import annotations

import botocore.loaders
import pytest

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.gpu_hosts import ami_for, ami_versions
from sagemaker_serving.catalog.instances import Use
from sagemaker_serving.catalog.snapshot import snapshot
from sagemaker_serving.catalog.support import least_driver


def test_the_ami_versions_of_endpoints_are_those_of_the_api() -> None:
    model = botocore.loaders.Loader().load_service_model("sagemaker", "service-2")
    enum = model["shapes"]["ProductionVariantInferenceAmiVersion"]["enum"]
    assert set(ami_versions("endpoint")) == set(enum)


@pytest.mark.parametrize(
    ("use", "types", "cuda", "ami"),
    [
        ("endpoint", ["ml.g4dn.xlarge"], "12.9", "al2-ami-sagemaker-inference-gpu-3-1"),
        ("endpoint", ["ml.g4dn.xlarge"], "11.8", None),
        ("endpoint", ["ml.g6.xlarge"], "12.9", None),
        ("endpoint", ["ml.g6.xlarge"], "13.0", "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("endpoint", ["ml.g6.xlarge", "ml.g5.xlarge"], "12.9",
         "al2-ami-sagemaker-inference-gpu-3-1"),
        ("endpoint", ["ml.g5.xlarge", "ml.p5.48xlarge"], "12.9", None),
        ("endpoint", ["ml.g6.xlarge", "ml.g5.xlarge"], "13.0",
         "al2023-ami-sagemaker-inference-gpu-4-1"),
        ("endpoint", ["ml.c5.xlarge"], "12.9", None),
        ("endpoint", ["ml.g7e.2xlarge"], "13.0", None),
        ("endpoint", ["ml.g4dn.xlarge"], "", None),
        ("transform", ["ml.g4dn.xlarge"], "12.2", "al2-ami-sagemaker-batch-gpu-535"),
        ("transform", ["ml.p4d.24xlarge"], "12.2", None),
    ],
)  # fmt: skip
def test_an_ami_is_chosen_only_where_one_is_right(
    use: Use, types: list[str], cuda: str, ami: str | None
) -> None:
    assert ami_for(use, types, [image_of(cuda)]) == ami


def test_two_images_that_need_different_hosts_get_none() -> None:
    images = [image_of("12.9"), image_of("13.0")]
    assert ami_for("endpoint", ["ml.g5.xlarge"], images) is None


def test_a_type_that_no_table_has_is_left_to_sagemaker() -> None:
    assert ami_for("endpoint", ["ml.g99.xlarge"], [image_of("13.0")]) is None


def image_of(cuda: str) -> EcrImage:
    """An image of AWS's whose tag says its CUDA."""
    tag = f"9.9-gpu-py312-cu{cuda.replace('.', '')}-sagemaker" if cuda else "9.9-cpu-py312"
    return EcrImage(account="763104351884", region="eu-west-1", repository="vllm", tag=tag)


@pytest.mark.parametrize("use", ["endpoint", "transform"])
def test_what_is_chosen_runs_the_cuda_that_it_is_chosen_for(use: Use) -> None:
    for major, choice in snapshot("gpu_hosts")["chosen"][use].items():
        assert ami_versions(use)[choice["ami"]].runs(f"{major}.0")


def test_a_driver_that_is_not_known_to_be_too_old_runs_everything() -> None:
    assert least_driver("14.0") is None
    assert ami_versions("endpoint")["al2-ami-sagemaker-inference-gpu-2"].runs("14.0")
    assert ami_versions("endpoint")["al2-ami-sagemaker-inference-gpu-2"].runs("")

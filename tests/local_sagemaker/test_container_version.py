"""Which framework version an image's name tells."""

from __future__ import annotations

import pytest

from sagemaker_serving.local_sagemaker.containers.container import container_version

ECR = "763104351884.dkr.ecr.eu-west-1.amazonaws.com"


@pytest.mark.parametrize(
    ("image", "version"),
    [
        (f"{ECR}/tensorflow-inference:2.19-cpu", "2.19"),
        (f"{ECR}/tensorflow-inference:2.19.0-gpu-py312-cu122-ubuntu22.04-sagemaker", "2.19.0"),
        (f"{ECR}/tensorflow-inference-graviton:2.16.1-cpu", "2.16.1"),
        (f"{ECR}/sagemaker-tensorflow-serving:1.12-cpu", "1.12"),
        ("mirror.example:5000/copies/tensorflow-inference:2.8-cpu", "2.8"),
        (f"{ECR}/tensorflow-inference:latest", None),
        (f"{ECR}/tensorflow-inference@sha256:1.2", None),
        (f"{ECR}/mine:1.4", None),
        (f"{ECR}/pytorch-inference:2.3.0-cpu-py311", None),
        ("mine", None),
    ],
)
def test_only_names_of_aws_s_tensorflow_images_tell_a_version(
    image: str, version: str | None
) -> None:
    assert container_version(image) == version

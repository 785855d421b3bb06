from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest
from botocore.loaders import Loader

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.host_images import image_for
from sagemaker_serving.catalog.images import UnknownImage
from sagemaker_serving.catalog.instances import (
    InstanceType,
    UnknownInstanceType,
    instance_type,
    instance_types,
    regions,
    regions_offering,
)
from sagemaker_serving.catalog.published import processor_of


def test_hardware_is_that_of_the_ec2_type() -> None:
    gpu = instance_type("ml.g4dn.xlarge")
    assert (gpu.vcpus, gpu.memory_mib, gpu.gpus, gpu.nvme_gb) == (4, 16384, 1, 125)
    assert (gpu.family, gpu.processor, gpu.architecture) == ("g4dn", "gpu", "x86_64")
    assert instance_type("ml.c7g.large").architecture == "arm64"
    assert instance_type("ml.inf1.xlarge").neuron == "Inferentia"
    assert instance_type("ml.t2.medium").burstable


def _listed() -> dict[str, set[str]]:
    """The instance types that each source has: botocore's lists, and cfn-lint's by region."""
    shapes = Loader().load_service_model("sagemaker", "service-2")["shapes"]
    found = {
        name: set(shape["enum"])
        for name, shape in shapes.items()
        if name.endswith("InstanceType") and "enum" in shape
    }
    folder = files("cfnlint") / "data" / "schemas" / "extensions"
    for use in ("hosting", "transform"):
        table = json.loads((folder / f"aws_sagemaker_{use}/instancetype_enum.json").read_text())
        found[use] = {name for each in table.values() if "enum" in each for name in each["enum"]}
    return found


def test_each_type_of_any_source_is_for_gpus_or_other_chips_or_cpus_or_is_refused() -> None:
    for source, names in _listed().items():
        for name in names:
            try:
                kind = instance_type(name)
            except UnknownInstanceType:
                assert source not in ("ProductionVariantInstanceType", "TransformInstanceType")
                continue
            letter = re.match("[a-z]+", kind.family)
            assert letter is not None
            expected = {"p": "gpu", "g": "gpu", "gr": "gpu", "dl": "gaudi"}.get(letter[0], "cpu")
            neuron = letter[0] in ("inf", "trn")
            assert kind.processor == ("neuron" if neuron else expected), name


def on_tensorflow(kind: InstanceType) -> EcrImage:
    return image_for(kind, framework="tensorflow", version="2.16", region="us-east-1")


def test_each_type_gets_the_image_for_what_it_has_or_none() -> None:
    for kind in instance_types():
        if kind.processor not in ("cpu", "gpu") or kind.family == "p6e-gb200":  # GPUs on arm64
            with pytest.raises(UnknownImage):
                on_tensorflow(kind)
            continue
        image = on_tensorflow(kind)
        words = image.tag.split("-")
        assert ("gpu" in words) == (kind.processor == "gpu"), kind.name
        assert ("graviton" in image.repository) == (kind.architecture == "arm64"), kind.name


def test_a_type_whose_hardware_is_not_known_gets_no_image() -> None:
    new = InstanceType(name="ml.g9.xlarge", uses=("endpoint",))
    with pytest.raises(UnknownImage, match=r"ml\.g9\.xlarge has hardware that is not known here"):
        image_for(new, framework="tensorflow", version="2.20", region="eu-west-1")


@pytest.mark.parametrize(
    ("uri", "processor"),
    [
        ("djl-inference:0.36.0-lmi27.0.0-cu130", "gpu"),
        ("vllm:server-sagemaker-cuda-v2", "gpu"),
        ("sagemaker-tritonserver:25.09-py3", "gpu"),
        ("sagemaker-tritonserver:25.09-py3-cpu", "cpu"),
        ("tensorflow-inference:2.20-cpu-py312", "cpu"),
        ("linear-learner:1", None),
    ],
)
def test_an_image_is_for_what_its_tag_says(uri: str, processor: str | None) -> None:
    repository, _, tag = uri.partition(":")
    assert processor_of(tag, repository) == processor


def test_endpoints_and_transform_jobs_take_different_types() -> None:
    assert instance_type("ml.t2.medium").uses == ("endpoint",)
    assert len(instance_types("endpoint")) > len(instance_types("transform")) > 100


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ml.g4nd.xlarge", "use ml.g4dn.xlarge"),
        ("ml.m7g.large", "use ml.m7i.large"),
        ("ml.c5.lage", "did you mean ml.c5.large"),
    ],
)
def test_an_unknown_type_is_told_what_to_use_as_the_rules_say_it(name: str, advice: str) -> None:
    with pytest.raises(UnknownInstanceType, match=f"; {re.escape(advice)}$"):
        instance_type(name)


def test_regions_follow_the_price_lists() -> None:
    assert "eu-west-1" in regions_offering("ml.g4dn.xlarge")
    assert regions_offering("ml.p3.2xlarge") == ()
    assert regions_offering("ml.nothing.large") == ()
    assert len(regions()) >= 38

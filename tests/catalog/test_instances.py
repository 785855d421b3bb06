from __future__ import annotations

import pytest

from sagemaker_serving.catalog import (
    UnknownInstanceType,
    instance_type,
    instance_types,
    regions,
    regions_offering,
)


def test_hardware_is_that_of_the_ec2_type() -> None:
    gpu = instance_type("ml.g4dn.xlarge")
    assert (gpu.vcpus, gpu.memory_mib, gpu.gpus, gpu.nvme_gb) == (4, 16384, 1, 125)
    assert (gpu.family, gpu.processor, gpu.architecture) == ("g4dn", "gpu", "x86_64")
    assert instance_type("ml.c7g.large").architecture == "arm64"
    assert instance_type("ml.inf1.xlarge").neuron == "Inferentia"
    assert instance_type("ml.t2.medium").burstable


def test_a_type_that_the_table_lacks_is_known_without_its_hardware() -> None:
    assert instance_type("ml.p3.2xlarge").vcpus is None


def test_endpoints_and_transform_jobs_take_different_types() -> None:
    assert instance_type("ml.t2.medium").uses == ("endpoint",)
    assert len(instance_types("endpoint")) > len(instance_types("transform")) > 100


def test_an_unknown_type_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownInstanceType, match=r"did you mean ml\.g4dn\.xlarge"):
        instance_type("ml.g4nd.xlarge")


def test_regions_follow_the_price_lists() -> None:
    assert "eu-west-1" in regions_offering("ml.g4dn.xlarge")
    assert regions_offering("ml.p3.2xlarge") == ()
    assert regions_offering("ml.nothing.large") == ()
    assert len(regions()) >= 38

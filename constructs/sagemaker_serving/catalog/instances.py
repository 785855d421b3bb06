"""Instance types: which there are, what they take, where they are, what they are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from local_aws.suggest import nearest
from sagemaker_serving.catalog.snapshot import snapshot
from sagemaker_serving.errors import Mistake

Use = Literal["endpoint", "transform"]


def instance_type(name: str) -> InstanceType:
    """What ``ml.g4dn.xlarge`` is.

    Raises `UnknownInstanceType` when the SageMaker API takes it neither for
    endpoints nor for transform jobs, naming the nearest that it takes.
    """
    types = _types()
    if name not in types:
        raise UnknownInstanceType(name, nearest(name, types))
    return types[name]


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """An instance type and what is known of it.

    ``uses`` is what the API takes it for. Hardware is that of the EC2 type of
    the same name; ``vcpus``, ``memory_mib`` and ``architecture`` are None for
    the few types that EC2's table lacks. ``nvme_gb`` is local storage.
    ``neuron`` names the AWS accelerator ("Inferentia", "Inferentia2",
    "Trainium"). Sources: botocore's enums, moto's EC2 table, read 2026-11-21.
    """

    name: str
    uses: tuple[Use, ...]
    vcpus: int | None = None
    memory_mib: int | None = None
    architecture: Literal["x86_64", "arm64"] | None = None
    gpus: int = 0
    gpu_memory_mib: int = 0
    neuron: str | None = None
    neuron_devices: int = 0
    nvme_gb: int = 0
    burstable: bool = False

    @property
    def family(self) -> str:
        """``g4dn`` of ``ml.g4dn.xlarge``."""
        return self.name.split(".")[1]

    @property
    def processor(self) -> Literal["cpu", "gpu"]:
        """Which of AWS's images it runs: that for GPUs, or that for CPUs."""
        return "gpu" if self.gpus else "cpu"


class UnknownInstanceType(Mistake):
    """The SageMaker API takes no such instance type."""

    def __init__(self, name: str, close: str | None) -> None:
        hint = f"; did you mean {close}" if close is not None else ""
        super().__init__(f"{name!r} is not an instance type that SageMaker takes{hint}")
        self.name = name


def instance_types(use: Use | None = None) -> tuple[InstanceType, ...]:
    """Every instance type that the API takes, or only those it takes for ``use``, by name."""
    return tuple(kind for kind in _types().values() if use is None or use in kind.uses)


def variant_types(variant: Mapping[str, Any]) -> list[str]:
    """The types of a variant of CreateEndpointConfig's, in order of preference; none: serverless.

    Several are those of its InstancePools, of which the lowest Priority comes first.
    """
    pools = sorted(variant.get("InstancePools") or (), key=lambda pool: pool["Priority"])
    alone = variant.get("InstanceType")
    return [pool["InstanceType"] for pool in pools] or ([] if alone is None else [alone])


def regions_offering(name: str, use: Use = "endpoint") -> tuple[str, ...]:
    """The regions whose price list has ``name`` for ``use``; empty when none has.

    Price lists lag behind: a region missing here is a strong hint, not a
    proof. Source: cfn-lint's price-derived tables, read 2026-11-21.
    """
    facts = snapshot("instances")
    fact = facts["types"].get(name)
    if fact is None:
        return ()
    return tuple(facts["regions"][index] for index in fact[f"{use}_regions"])


def regions() -> tuple[str, ...]:
    """Every region in which SageMaker hosting or transform is priced."""
    return tuple(snapshot("instances")["regions"])


@cache
def _types() -> dict[str, InstanceType]:
    return {name: _instance(name, fact) for name, fact in snapshot("instances")["types"].items()}


def _instance(name: str, fact: dict[str, Any]) -> InstanceType:
    hardware = {key: value for key, value in fact.items() if not key.endswith("_regions")}
    return InstanceType(name=name, **{**hardware, "uses": tuple(hardware["uses"])})

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
    endpoints nor for transform jobs, naming what to use.
    """
    found = _types().get(name)
    if found is None:
        raise UnknownInstanceType(name)
    return found


@dataclass(frozen=True, kw_only=True)
class InstanceType:
    """An instance type and what is known of it.

    ``uses`` is what the API takes it for. Hardware is that of the EC2 type of
    the same name; ``vcpus``, ``memory_mib`` and ``architecture`` are None for
    a type that no table has. ``nvme_gb`` is local storage. ``neuron`` names the
    AWS accelerator ("Inferentia", "Inferentia2", "Trainium"); ``gaudis`` are
    Intel's. Sources: botocore's enums, moto's EC2 table, and `_NOT_IN_EC2S_TABLE`.
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
    gaudis: int = 0
    nvme_gb: int = 0
    burstable: bool = False

    @property
    def family(self) -> str:
        """``g4dn`` of ``ml.g4dn.xlarge``."""
        return self.name.split(".")[1]

    @property
    def processor(self) -> Literal["cpu", "gpu", "neuron", "gaudi"] | None:
        """What its image is made for; None where no table has its hardware.

        A type whose hardware is not known is not taken for one without a GPU.
        """
        if self.vcpus is None:
            return None
        if self.gpus:
            return "gpu"
        return "neuron" if self.neuron is not None else "gaudi" if self.gaudis else "cpu"

    @property
    def devices(self) -> str:
        """What it has beside its CPUs, in words: "4 GPUs", "1 Inferentia2", "no GPU"."""
        if self.processor is None:
            return "hardware that is not known here"
        if self.neuron is not None:
            return f"{self.neuron_devices} {self.neuron}"
        if self.gaudis:
            return f"{self.gaudis} Gaudi"
        return f"{self.gpus} GPU{'s' if self.gpus > 1 else ''}" if self.gpus else "no GPU"


class UnknownInstanceType(Mistake):
    """The SageMaker API takes no such instance type."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} is no instance type of endpoints or transform jobs; {alternative(name)}"
        )
        self.name = name


def alternative(name: str, use: Use = "endpoint", region: str | None = None) -> str:
    """What to use for ``name`` there, in words: the same size of a like family first."""
    names = [
        kind.name
        for kind in instance_types(use)
        if (offering := regions_offering(kind.name, use))
        and (region not in priced_regions() or region in offering)
    ]
    parts = name.split(".")[-2:]
    meant = ".".join(("ml", *parts))
    if meant != name and any(kind.name == meant for kind in instance_types(use)):
        return f"did you mean {meant}"
    if len(parts) == 2:
        family, size = parts
        alike = [
            other
            for other in names
            if other.split(".")[1][:1] == family[:1] and other.split(".")[2] == size
        ]
        close = nearest(name, alike)
        if close is not None or alike:
            return f"use {close if close is not None else alike[0]}"
    close = nearest(name if name.startswith("ml.") else f"ml.{name}", names)
    return f"did you mean {close}" if close is not None else "use ml.m5.xlarge, for one"


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
    proof. Source: cfn-lint's price-derived tables.
    """
    facts = snapshot("instances")
    fact = facts["types"].get(name)
    if fact is None:
        return ()
    return tuple(facts["regions"][index] for index in fact[f"{use}_regions"])


def priced_regions() -> tuple[str, ...]:
    """Every region in which SageMaker hosting or transform is priced."""
    return tuple(snapshot("instances")["regions"])


@cache
def regions() -> tuple[str, ...]:
    """Every region that is priced, or that AWS's tables of images name: us-iso-east-1, for one."""
    imaged = {region for accounts in snapshot("images")["registries"] for region in accounts}
    return tuple(sorted({*priced_regions(), *imaged}))


@cache
def _types() -> dict[str, InstanceType]:
    return {name: _instance(name, fact) for name, fact in snapshot("instances")["types"].items()}


def _instance(name: str, fact: dict[str, Any]) -> InstanceType:
    hardware = {key: value for key, value in fact.items() if not key.endswith("_regions")}
    if "vcpus" not in fact and name in _NOT_IN_EC2S_TABLE:
        hardware.update(zip(_HARDWARE, _NOT_IN_EC2S_TABLE[name], strict=True))
    return InstanceType(name=name, **{**hardware, "uses": tuple(hardware["uses"])})


_HARDWARE = ("vcpus", "memory_mib", "architecture", "gpus", "gpu_memory_mib", "gaudis", "nvme_gb")
_NOT_IN_EC2S_TABLE: dict[str, tuple[int, int, str, int, int, int, int]] = {
    "ml.p2.xlarge": (4, 62464, "x86_64", 1, 12288, 0, 0),
    "ml.p2.8xlarge": (32, 499712, "x86_64", 8, 98304, 0, 0),
    "ml.p2.16xlarge": (64, 749568, "x86_64", 16, 196608, 0, 0),
    "ml.p3.2xlarge": (8, 62464, "x86_64", 1, 16384, 0, 0),
    "ml.p3.8xlarge": (32, 249856, "x86_64", 4, 65536, 0, 0),
    "ml.p3.16xlarge": (64, 499712, "x86_64", 8, 131072, 0, 0),
    "ml.p6e-gb200.36xlarge": (144, 983040, "arm64", 4, 757760, 0, 22500),
    "ml.dl1.24xlarge": (96, 786432, "x86_64", 0, 0, 8, 4000),
}
"""What moto's table no longer has, or not yet. Sources: GPUs of p2 and p3, sagemaker-core's
instance_gpu_info.json; all else, the EC2 user guide's pages of accelerated computing."""

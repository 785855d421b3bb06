"""GPU hosts: which NVIDIA driver an AMI version brings, and which an image needs.

Facts and sources: ``data/gpu_hosts.json``, read 2026-11-23.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sagemaker_serving.catalog.instances import InstanceType, Use
from sagemaker_serving.catalog.snapshot import snapshot
from sagemaker_serving.catalog.support import least_driver


def chosen_ami(use: Use, kinds: Iterable[InstanceType | None], cuda: str) -> str | None:
    """The AMI version that hosts of ``kinds`` need for an image of ``cuda``, where there is one.

    None where the host that SageMaker gives without one will do for every type, where one of them
    is not known to take it, and where the CUDA is not known.
    """
    choice = snapshot("gpu_hosts")["chosen"][use].get(_major(cuda))
    families = {None if kind is None else kind.family for kind in kinds}
    if choice is None or families.isdisjoint(choice["needed_by"]):
        return None
    if not families <= {*choice["needed_by"], *choice["fits_too"]}:
        return None
    name: str = choice["ami"]
    return name


@dataclass(frozen=True, kw_only=True)
class AmiVersion:
    """A host's software: its NVIDIA driver (None for one of Inferentia2 and Trainium)."""

    name: str
    driver: int | None
    also: tuple[str, ...] = ()
    """Majors of CUDA that run on it although their driver is newer."""

    def runs(self, cuda: str) -> bool:
        """Whether an image of ``cuda`` ("12.9") runs on it; so it is taken to be, when unknown."""
        least = least_driver(cuda)
        return (
            least is None
            or self.driver is None
            or self.driver >= least
            or _major(cuda) in self.also
        )


def ami_versions(use: Use) -> dict[str, AmiVersion]:
    """The AMI versions that endpoints, or transform jobs, take, by name."""
    return {
        name: AmiVersion(name=name, driver=fact.get("driver"), also=tuple(fact.get("also", ())))
        for name, fact in snapshot("gpu_hosts")["amis"][use].items()
    }


def _major(cuda: str) -> str:
    return cuda.partition(".")[0]

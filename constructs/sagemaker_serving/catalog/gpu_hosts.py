"""GPU hosts: which NVIDIA driver an AMI version brings, and which an image needs.

Facts and sources: ``data/gpu_hosts.json``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.instances import Use
from sagemaker_serving.catalog.snapshot import snapshot
from sagemaker_serving.catalog.support import image_support, least_driver


def ami_for(use: Use, names: Iterable[str], images: Iterable[EcrImage | None]) -> str | None:
    """The AMI version that hosts of all types in ``names`` need for ``images``, where there is one.

    None where the host that SageMaker gives without one will do for every type, where one of them
    is not known to take it, where the images' CUDA is not known, and where two need different ones.
    """
    families = {name.removeprefix("ml.").partition(".")[0] for name in names}
    found = {
        _chosen(use, families, image_support(image).cuda) for image in images if image is not None
    } - {None}
    return found.pop() if len(found) == 1 else None


def _chosen(use: Use, families: set[str], cuda: str) -> str | None:
    choice = snapshot("gpu_hosts")["chosen"][use].get(_major(cuda))
    if choice is None or families.isdisjoint(choice["needed_by"]):
        return None
    if not families <= {*choice["needed_by"], *choice["fits_too"]}:
        return None
    name: str = choice["ami"]
    return name


def default_driver(use: Use, family: str) -> int | None:
    """The NVIDIA driver of a ``family``'s hosts ("g5") without an AMI version; None where that is
    not known."""
    drivers = snapshot("gpu_hosts")["default_drivers"][use]
    found: int | None = drivers.get(family) if isinstance(drivers, dict) else drivers
    return found


def starts_by_default(use: Use, family: str, cuda: str) -> bool:
    """Whether an image of ``cuda`` ("12.9") starts on a host without an AMI version; so it is taken
    to be where that is not known.

    Images have NVIDIA's compatibility package, which reaches as far as ``compatible`` says.
    """
    driver, least = default_driver(use, family), least_driver(cuda)
    if driver is None or least is None or driver >= least:
        return True
    major, _, minor = cuda.partition(".")
    reaches = snapshot("gpu_hosts")["compatible"].get(major)
    return reaches is not None and (not minor or int(minor) <= reaches)


@dataclass(frozen=True, kw_only=True)
class AmiVersion:
    """A host's software: its NVIDIA driver (None for one of Inferentia2 and Trainium).

    ``cuda`` is the one major of CUDA that AWS runs on it, "" where there are several.
    """

    name: str
    driver: int | None
    cuda: str = ""
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
        name: AmiVersion(
            name=name,
            driver=fact.get("driver"),
            cuda=fact.get("cuda", ""),
            also=tuple(fact.get("also", ())),
        )
        for name, fact in snapshot("gpu_hosts")["amis"][use].items()
    }


def _major(cuda: str) -> str:
    return cuda.partition(".")[0]

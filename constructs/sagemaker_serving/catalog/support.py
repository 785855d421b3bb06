"""Until when AWS patches an image, what it holds, and what replaces it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Literal

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.images import (
    Scope,
    UnknownImage,
    container_image,
    framework_versions,
    scopes_of,
)
from sagemaker_serving.catalog.published import processor_of
from sagemaker_serving.catalog.snapshot import snapshot

NOTICE = timedelta(days=90)
"""How long before the end of an image's patches it is said."""

State = Literal["patched", "ends soon", "ended", "unknown"]


@dataclass(frozen=True, kw_only=True)
class ImageSupport:
    """What AWS says of one image; None and "" where it says nothing.

    ``patched_until`` is the last day on which AWS patches it; where ``older_than`` names a release,
    the image is older than all that AWS lists, and the day is that release's. ``cuda`` ("12.9", or
    "12" where no more is known) and ``python`` ("3.12") are what is in it.
    """

    patched_until: date | None = None
    older_than: str = ""
    cuda: str = ""
    python: str = ""

    def state(self, today: date) -> State:
        """Whether it is patched on ``today``; "ends soon" within `NOTICE` of the last day."""
        if self.patched_until is None:
            return "unknown"
        if self.patched_until < today:
            return "ended"
        return "ends soon" if self.patched_until - today <= NOTICE else "patched"

    @property
    def driver(self) -> int | None:
        """The oldest NVIDIA driver that its CUDA runs on: see `least_driver`."""
        return least_driver(self.cuda)


def least_driver(cuda: str) -> int | None:
    """The oldest NVIDIA driver (its first number) that runs ``cuda`` ("12.9"); None when that is
    not known.

    Source: NVIDIA, CUDA Compatibility, "Minor Version Compatibility".
    """
    found: int | None = snapshot("gpu_hosts")["least_drivers"].get(cuda.partition(".")[0])
    return found


@dataclass(frozen=True, kw_only=True)
class Replacement:
    """A patched image that serves the same models."""

    version: str
    image: EcrImage
    patched_until: date


def support_as_of() -> date:
    """The day of the support data that this catalog is made from."""
    return date.fromisoformat(snapshot("support")["as_of"])


def listed_releases(framework: str) -> tuple[str, ...]:
    """The releases of ``framework`` whose dates AWS lists, the newest first."""
    releases: dict[str, dict[str, str]] = snapshot("support")["releases"].get(framework, {})
    return tuple(sorted(releases, key=lambda name: releases[name]["ga"], reverse=True))


@cache
def image_support(image: EcrImage) -> ImageSupport:
    """What AWS says of ``image``; nothing of a digest, and of a repository that it does not list,
    but for the CUDA that a tag names.

    Source: aws/deep-learning-containers, ``docs/src/data`` and ``docs/src/legacy``; commit and
    date in ``data/support.json``.
    """
    built = _builds().get(f"{image.repository}:{image.tag}")
    processor = processor_of(image.tag, image.repository)
    if built is None:
        built = next(
            (
                facts
                for name, facts in _builds().items()
                if name.startswith(f"{image.repository}:")
                and _is_release(image.tag, facts["version"])
                and processor in (facts["accelerator"], None)
            ),
            {},
        )
    until, older_than = _dates(image)
    return ImageSupport(
        patched_until=until,
        older_than=older_than,
        cuda=_cuda(image.tag) or _cuda(built.get("cuda", "")) or _cuda_since(image),
        python=re.sub(r"py([0-9])([0-9]+)", r"\1.\2", built.get("python", "")),
    )


def newest_patched(image: EcrImage, today: date) -> Replacement | None:
    """The newest release of the same framework that AWS patches on ``today``, and longer.

    It is for the same region and processor. None where there is none.
    """
    own = image_support(image).patched_until
    for framework, scope in scopes_of(image.repository):
        for version in reversed(framework_versions(framework, scope)):
            candidate = _beside(image, framework, version, scope)
            until = None if candidate is None else image_support(candidate).patched_until
            if until is not None and until >= today and (own is None or until > own):
                assert candidate is not None
                return Replacement(version=version, image=candidate, patched_until=until)
    return None


def _cuda(text: str) -> str:
    """12.9 of cu129, which a tag may have among its parts."""
    said = re.search(r"(?:^|-)cu([0-9][0-9])([0-9])(?:-|$)", text)
    return "" if said is None else f"{said[1]}.{said[2]}"


def _cuda_since(image: EcrImage) -> str:
    """The CUDA of an image whose releases tell it, at least: "12" where no more is known."""
    number = re.match(r"[0-9]+\.[0-9]+", image.tag)
    since = snapshot("gpu_hosts")["image_cuda"].get(image.repository, ())
    found = [cuda for first, cuda in since if number and _numbers(first) <= _numbers(number[0])]
    return found[-1] if found else ""


def _beside(image: EcrImage, framework: str, version: str, scope: Scope) -> EcrImage | None:
    """The image of another version, for the region and processor of ``image``."""
    try:
        return container_image(
            framework=framework,
            version=version,
            region=image.region,
            processor=processor_of(image.tag, image.repository) or "cpu",
            scope=scope,
        )
    except UnknownImage:
        return None


def _dates(image: EcrImage) -> tuple[date | None, str]:
    facts = snapshot("support")
    for name, _ in scopes_of(image.repository):
        framework = name.removesuffix("-legacy")
        releases = facts["releases"].get(framework, {})
        for release, dates in releases.items():
            if _is_release(image.tag, release):
                return date.fromisoformat(dates["eop"]), ""
        number = re.match(r"[0-9]+\.[0-9]+", image.tag)
        if framework in facts["complete"] and number is not None:
            oldest = min(releases, key=_numbers)
            if _numbers(number[0]) < _numbers(oldest):
                return date.fromisoformat(releases[oldest]["eop"]), oldest
    return None, ""


def _is_release(tag: str, release: str) -> bool:
    """Whether a tag is of a release: 2.19-cpu and 2.19.0-gpu of 2.19, and 2.190 not."""
    return re.match(rf"{re.escape(release)}(?![0-9])", tag) is not None


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


@cache
def _builds() -> dict[str, dict[str, str]]:
    """What is in an image, by repository and each of its tags."""
    found = {}
    for name, facts in snapshot("support")["images"].items():
        repository, _, tag = name.partition(":")
        found.update({f"{repository}:{each}": facts for each in (tag, *facts["tags"])})
    return found

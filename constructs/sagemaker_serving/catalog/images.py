"""Container images that AWS publishes: which URI for framework, version, region, processor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from sagemaker_serving.catalog.instances import InstanceType
from sagemaker_serving.catalog.snapshot import snapshot
from sagemaker_serving.errors import Mistake
from sagemaker_serving.suggest import nearest

Processor = Literal["cpu", "gpu"]
Scope = Literal["inference", "inference_graviton", "eia"]


def image_uri(
    *,
    framework: str,
    version: str,
    region: str,
    processor: Processor = "cpu",
    scope: Scope = "inference",
) -> str:
    """The URI of the image that serves ``framework`` ``version`` in ``region``.

    ``version`` is a release ("2.19") or a patch release ("2.19.0"); the tag
    carries it as it was given, as the SageMaker SDK does. ``processor`` is the
    kind of instance it runs on; ``scope`` picks the Graviton (arm64) or Elastic
    Inference images, which exist for some versions only.

    Raises `UnknownImage` when there is none, naming what there is.
    Source: sagemaker-core's image tables, version in ``data/images.json``,
    read 2026-11-21; that each tag exists in ECR was not tried.
    """
    return container_image(
        framework=framework, version=version, region=region, processor=processor, scope=scope
    ).uri


@dataclass(frozen=True, kw_only=True)
class EcrImage:
    """One image in ECR, in parts: whose registry, which repository, which tag."""

    account: str
    region: str
    repository: str
    tag: str

    @property
    def uri(self) -> str:
        """``<account>.dkr.ecr.<region>.<domain>/<repository>:<tag>``."""
        domain = domain_suffix(self.region)
        return f"{self.account}.dkr.ecr.{self.region}.{domain}/{self.repository}:{self.tag}"


class UnknownImage(Mistake):
    """AWS publishes no such image; the message names what it does publish."""

    def __init__(self, parameter: str, message: str) -> None:
        super().__init__(message)
        self.parameter = parameter


def container_image(
    *,
    framework: str,
    version: str,
    region: str,
    processor: Processor = "cpu",
    scope: Scope = "inference",
) -> EcrImage:
    """As `image_uri`, but in parts, so that a role can be granted this one repository."""
    images = _scope(framework, scope)
    if processor not in images["processors"]:
        raise UnknownImage(
            "processor",
            f"there is no {framework} {scope} image for {processor}; "
            f"there is one for {', '.join(images['processors'])}",
        )
    full_version = images["aliases"].get(version, version)
    if full_version not in images["versions"]:
        raise UnknownImage("framework_version", _no_such_version(framework, version, images))
    fact = images["versions"][full_version]
    accounts = _registries(fact)
    if region not in accounts:
        raise UnknownImage(
            "region",
            f"AWS publishes no {framework} {version} image in region {region!r}; "
            f"it does in {', '.join(sorted(accounts))}",
        )
    parts = (version, processor, fact.get("python"), fact.get("suffix"))
    return EcrImage(
        account=accounts[region],
        region=region,
        repository=fact["repository"],
        tag="-".join(part for part in parts if part is not None),
    )


def image_for(kind: InstanceType | None, *, framework: str, version: str, region: str) -> EcrImage:
    """The image that instances of ``kind`` run: that for CPUs, for GPUs, or for arm64.

    None stands for an instance type that is not known, and takes the CPU's.
    Raises `UnknownImage` as `image_uri` does.
    """
    return container_image(
        framework=framework,
        version=version,
        region=region,
        processor=kind.processor if kind is not None else "cpu",
        scope="inference_graviton"
        if kind is not None and kind.architecture == "arm64"
        else "inference",
    )


def parse_ecr_uri(uri: str) -> EcrImage | None:
    """The parts of an image's URI in ECR, or None when it is not one.

    The tag is "" when the URI has none, and the digest with its ``sha256:``
    when it has that.
    """
    parts = _ECR_URI.fullmatch(uri)
    if parts is None:
        return None
    return EcrImage(
        account=parts["account"],
        region=parts["region"],
        repository=parts["repository"],
        tag=(parts["tag"] or "")[1:],
    )


_ECR_URI = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr(-fips)?\.(?P<region>[a-z0-9-]+)\.[a-z0-9.]+/"
    r"(?P<repository>[a-z0-9._/-]+?)(?P<tag>:[\w.-]{1,128}|@sha256:[0-9a-f]{64})?"
)


def frameworks() -> tuple[str, ...]:
    """The frameworks that the catalog has images for."""
    return tuple(snapshot("images")["frameworks"])


def framework_versions(framework: str, scope: Scope = "inference") -> tuple[str, ...]:
    """The releases ("2.19") of ``framework`` that have an image, oldest first.

    Raises `UnknownImage` for an unknown framework.
    """
    return tuple(_scope(framework, scope)["aliases"])


def image_regions(framework: str, version: str, scope: Scope = "inference") -> tuple[str, ...]:
    """The regions in which ``framework`` ``version`` has an image; empty when unknown."""
    images = _scope(framework, scope)
    fact = images["versions"].get(images["aliases"].get(version, version))
    return tuple(sorted(_registries(fact))) if fact is not None else ()


def domain_suffix(region: str) -> str:
    """The DNS suffix of AWS in ``region``'s partition: ``amazonaws.com`` or its Chinese one.

    Source: botocore's partitions, read 2026-11-21.
    """
    if region.startswith("cn-"):
        return "amazonaws.com.cn"
    if region.startswith("us-isob-"):
        return "sc2s.sgov.gov"
    if region.startswith("us-iso-"):
        return "c2s.ic.gov"
    return "amazonaws.com"


def _scope(framework: str, scope: Scope) -> dict[str, Any]:
    known = snapshot("images")["frameworks"]
    if framework not in known:
        close = nearest(framework, known)
        hint = f"; did you mean {close!r}" if close is not None else ""
        raise UnknownImage(
            "framework",
            f"framework is {framework!r}; the catalog has images for "
            f"{', '.join(known)}{hint}; for any other give image_uri",
        )
    facts: dict[str, Any] = known[framework][scope]
    return facts


def _registries(fact: dict[str, Any]) -> dict[str, str]:
    accounts: dict[str, str] = snapshot("images")["registries"][fact["registries"]]
    return accounts


def _no_such_version(framework: str, version: str, images: dict[str, Any]) -> str:
    releases = list(images["aliases"])
    return (
        f"framework_version is {version!r}; {framework} images exist for "
        f"{', '.join(releases)}; use {_newest_up_to(version, releases)}"
    )


def _newest_up_to(version: str, releases: list[str]) -> str:
    def number(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in text.split(".") if part.isdecimal())

    older = [release for release in releases if number(release) <= number(version)]
    return older[-1] if older else releases[-1]

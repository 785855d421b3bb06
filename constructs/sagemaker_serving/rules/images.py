"""Rules on images: one that exists, in this region, for this kind of instance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.catalog import UnknownImage, container_image, regions
from sagemaker_serving.catalog.images import Scope
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ContainerFacts
from sagemaker_serving.rules.instance_types import known

_ECR = re.compile(
    r"(?P<account>\d{12})\.dkr\.ecr(-fips)?\.(?P<region>[a-z0-9-]+)\.[a-z0-9.]+/"
    r"[a-z0-9._/-]+(:[\w.-]{1,128}|@sha256:[0-9a-f]{64})?"
)


@rule("image-known", source="sagemaker-core's image tables, read 2026-11-21")
def image_known(container: ContainerFacts) -> Iterator[Finding]:
    """AWS publishes an image for the framework, version, region and kind of instance."""
    if container.image_uri.value is not None:
        return
    if container.framework.value is None:
        yield (
            container.where,
            "neither framework nor image_uri is given; give framework: tensorflow and its "
            "framework_version, or the image_uri of your own image",
        )
        return
    if container.framework_version.value is None:
        yield (
            container.where,
            'framework_version is missing; add it in quotes, such as "2.19"',
        )
        return
    framework, version = container.framework.text, container.framework_version.text
    region = container.region.text
    if framework is None or version is None or region not in regions():
        return
    kind = known(container.instance_type)
    scope: Scope = (
        "inference_graviton" if kind is not None and kind.architecture == "arm64" else "inference"
    )
    processor = kind.processor if kind is not None else "cpu"
    try:
        container_image(
            framework=framework, version=version, region=region, processor=processor, scope=scope
        )
    except UnknownImage as error:
        place = {
            "framework": container.framework,
            "framework_version": container.framework_version,
        }.get(error.parameter, container.instance_type)
        arm = f" on the arm64 type {container.instance_type.text}" if scope != "inference" else ""
        yield place.where, f"{error}{arm}"


@rule("image-uri", source="botocore ContainerDefinition.Image, AWS ECR; read 2026-11-21")
def image_uri(container: ContainerFacts) -> Iterator[Finding]:
    """One's own image is in ECR, in the environment's region."""
    uri, region = container.image_uri.text, container.region.text
    if uri is None:
        return
    parts = _ECR.fullmatch(uri)
    if parts is None:
        yield (
            container.image_uri.where,
            f"image_uri is {uri!r}; endpoints pull only from ECR: "
            "<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>; push the image there",
        )
    elif region in regions() and parts["region"] != region:
        yield (
            container.image_uri.where,
            f"image_uri is in {parts['region']}; an endpoint in {region} pulls only from "
            f"{region}; replicate the image there",
        )

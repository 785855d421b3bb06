"""Rules on images: one that exists, in this region, for this kind of instance."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog import UnknownImage, image_for, parse_ecr_uri, regions
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ContainerFacts
from sagemaker_serving.rules.instance_types import known


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
    try:
        image_for(kind, framework=framework, version=version, region=region)
    except UnknownImage as error:
        place = {
            "framework": container.framework,
            "framework_version": container.framework_version,
        }.get(error.parameter, container.instance_type)
        arm64 = kind is not None and kind.architecture == "arm64"
        arm = f" on the arm64 type {container.instance_type.text}" if arm64 else ""
        yield place.where, f"{error}{arm}"


@rule("image-uri", source="botocore ContainerDefinition.Image, AWS ECR; read 2026-11-21")
def image_uri(container: ContainerFacts) -> Iterator[Finding]:
    """One's own image is in ECR, in the environment's region."""
    uri, region = container.image_uri.text, container.region.text
    if uri is None:
        return
    image = parse_ecr_uri(uri)
    if image is None:
        yield (
            container.image_uri.where,
            f"image_uri is {uri!r}; endpoints pull only from ECR: "
            "<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>; push the image there",
        )
    elif region in regions() and image.region != region:
        yield (
            container.image_uri.where,
            f"image_uri is in {image.region}; an endpoint in {region} pulls only from "
            f"{region}; replicate the image there",
        )

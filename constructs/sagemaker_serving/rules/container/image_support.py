"""Rules on how long AWS patches an image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Literal

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.images import UnknownImage, scopes_of
from sagemaker_serving.catalog.published import published_image
from sagemaker_serving.catalog.support import ImageSupport, image_support, newest_patched
from sagemaker_serving.rules.engine import Finding, warning
from sagemaker_serving.rules.facts import ContainerFacts, Fact
from sagemaker_serving.rules.hardware.instance_types import image_of_framework


@warning(
    "image-support",
    source="aws/deep-learning-containers, docs/src/data and docs/src/legacy at 5ee40d8 of "
    "2026-08-21",
    example='framework_version: "2.19"',
)
def image_is_patched(container: ContainerFacts, today: date) -> Iterator[Finding]:
    """AWS patches the image, and will for 90 days more.

    After that day faults in its system and libraries stay open. An image by its digest alone, one
    of your own, and one that AWS lists no date for are not judged.
    """
    if container.compilation.given or container.accelerator is not None:
        return
    image = aws_image(container)
    support = ImageSupport() if image is None else image_support(image)
    if image is None or support.state(today) not in ("ends soon", "ended"):
        return
    by_uri = container.image_uri.given
    named = container.image_uri if by_uri else container.framework_version
    shown = f"{image.repository}:{image.tag}" if by_uri else repr(container.framework_version.text)
    yield named.says(f"is {shown}, {_end(support, today)}; {_advice(image, today, by_uri)}")


def aws_image(container: ContainerFacts) -> EcrImage | None:
    """The image of AWS's that it runs, as far as that is known."""
    published = published_image(container.image_uri.text)
    if published is not None or container.image_uri.given:
        return None if published is None else published.image
    try:
        return image_of_framework(container)
    except UnknownImage:
        return None  # said by a rule of its own


def named_image(container: ContainerFacts) -> tuple[Fact, str]:
    """What says which image it runs, and the beginning of a sentence on that image."""
    uri, framework = container.image_uri, container.framework
    if uri.given:
        return uri, f"{uri.name} is"
    return framework, f"{framework.name} is {framework.text!r},"


def processor_of_image(container: ContainerFacts) -> Literal["cpu", "gpu"] | None:
    """What the image of AWS's that it runs is made for; None where its tag does not say it."""
    image = None if container.compilation.given else aws_image(container)
    found = None if image is None else published_image(image.uri)
    return None if found is None else found.processor


def _end(support: ImageSupport, today: date) -> str:
    until = support.patched_until
    assert until is not None
    if support.older_than:
        return (
            f"older than {support.older_than}, the oldest release that AWS lists, whose patches "
            f"ended on {until}"
        )
    if until < today:
        return f"whose patches ended on {until}"
    return f"whose patches end on {until}, in {(until - today).days} days"


def _advice(image: EcrImage, today: date, by_uri: bool) -> str:
    """What to use instead; an image for arm64 may have its successor on x86 alone."""
    found = newest_patched(image, today)
    elsewhere = ""
    arm64 = replace(
        image, repository=image.repository.removesuffix("-graviton").removesuffix("-arm64")
    )
    if found is None and arm64 != image:
        found, elsewhere = newest_patched(arm64, today), "on an x86 instance type "
    if found is not None:
        name = f"{found.image.repository}:{found.image.tag}" if by_uri else repr(found.version)
        return f"{elsewhere}use {name}, patched until {found.patched_until}"
    frameworks = [framework for framework, _ in scopes_of(image.repository)]
    if "pytorch" in frameworks:
        return (
            "AWS's last PyTorch image with TorchServe is that of 2.6; Ray Serve's image, Triton's, "
            "or one of your own serves PyTorch models: sagemaker-serving docs images"
        )
    return f"AWS's tables have no {frameworks[0]} image that is patched longer; bring your own"

"""Rules on images that are pinned by their digest."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.rules.container.image_support import aws_image
from sagemaker_serving.rules.engine import Finding, note, rule
from sagemaker_serving.rules.facts import ContainerFacts, ModelFacts, TransformFacts, VariantFacts

_ECR = "botocore ECR ImageDigest, SageMaker ContainerDefinition.Image"


@rule(source=_ECR, example="image_digest: sha256:0a1b   # too short")
def image_digest(container: ContainerFacts) -> Iterator[Finding]:
    """A digest is sha256: with 64 hexadecimal digits, and stands instead of a tag.

    ECR finds no other. An image that has a tag of its own, or that Neo decides, cannot have it.
    """
    digest, uri = container.image_digest, container.image_uri
    if not digest.given:
        return
    if not re.fullmatch(r"sha256:[0-9a-f]{64}", str(digest.value)):
        yield digest.says(
            f"is {digest.value!r}; it must be sha256: and 64 digits or letters a to f; take it "
            "from `aws ecr describe-images`"
        )
    own = parse_ecr_uri(uri.text or "")
    if own is not None and own.tag:
        yield digest.says(
            f"stands beside {uri.name}, which ends in {own.tag!r}; a digest stands instead of it; "
            "remove one of them"
        )
    if container.compilation.given and not uri.given:
        yield digest.says(
            "stands beside compile, whose job says which image serves the result; remove it, or "
            "give image_uri"
        )


@rule(source=_ECR, example="image_digest: …   # variants on CPU and GPU")
def image_digest_shared(model: ModelFacts) -> Iterator[Finding]:
    """A digest pins one image, so all that it is said of runs the same.

    The images for CPUs and for GPUs have digests of their own. With the other's, the container
    runs without the GPU, or does not start.
    """
    hosts: list[VariantFacts | TransformFacts] = [*model.variants, *model.shadows]
    hosts += () if model.transform is None else (model.transform,)
    images: dict[str, dict[str, None]] = {}
    for container in (each for host in hosts for each in host.containers):
        digest, image = container.image_digest.text, aws_image(container)
        if digest is None or image is None:
            continue
        known = images.setdefault(digest, {})
        known[f"{image.repository}:{image.tag}"] = None
        if len(known) > 1:
            yield container.image_digest.says(
                f"pins one image, and it is said of {' and '.join(known)}; give each variant the "
                "digest of its own image"
            )


@note(source=_ECR, example="image_digest: sha256:…")
def image_digest_unchecked(container: ContainerFacts) -> Iterator[Finding]:
    """Whether a digest is the tag's, only ECR knows; this says how to compare them.

    AWS's patches move the tag and not the digest. So an image that was right may be an old one.
    """
    image = aws_image(container)
    if container.image_digest.text is not None and image is not None and image.tag:
        yield container.image_digest.finding(
            f"whether {container.image_digest.name} is that of {image.repository}:{image.tag} was "
            "not looked at; compare it with what this prints: `aws ecr describe-images --region "
            f"{image.region} --registry-id {image.account} --repository-name {image.repository} "
            f"--image-ids imageTag={image.tag} --query imageDetails[0].imageDigest`"
        )

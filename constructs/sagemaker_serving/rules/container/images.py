"""Rules on images: one that exists, in this region, for this kind of instance."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.catalog.ecr import parse_ecr_uri
from sagemaker_serving.catalog.host_images import image_reason
from sagemaker_serving.catalog.images import UnknownImage, image_version, release_tags, scopes_of
from sagemaker_serving.catalog.instances import regions
from sagemaker_serving.catalog.published import published_image
from sagemaker_serving.rules.container.image_support import named_image, processor_of_image
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts, TransformFacts, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import image_of_framework, known

_TABLES = "sagemaker-core's image tables"


@rule(source=_TABLES, example='framework_version: "2.17"')
def image_known(container: ContainerFacts) -> Iterator[Finding]:
    """AWS publishes an image for the framework, version, region and kind of instance.

    Versions are skipped (there is no TensorFlow 2.17), regions lag, and arm64 has fewer. With a tag
    that does not exist the endpoint waits for its container and fails.
    """
    if container.image_uri.given or container.compilation.given:
        return
    if container.framework.value is None:
        yield container.finding(
            "neither framework nor image_uri is given; give framework: tensorflow and its "
            "framework_version, or the image_uri of your own image"
        )
        return
    if container.framework_version.value is None:
        yield container.finding('framework_version is missing; add it in quotes, such as "2.20"')
    try:
        image_of_framework(container)
    except UnknownImage as error:
        place = {
            "framework": container.framework,
            "framework_version": container.framework_version,
        }.get(error.parameter, container.instance_type)
        kind = known(container.instance_type)
        arm64 = kind is not None and kind.architecture == "arm64"
        arm = f" on the arm64 type {container.instance_type.text}" if arm64 else ""
        yield place.finding(f"{error}{arm}")


@note(source=_TABLES, example='framework_version: "1.13.1"')
def image_patch_release(container: ContainerFacts) -> Iterator[Finding]:
    """A patch release that AWS's tables lack gets the image of the nearest one.

    TensorFlow 1.13.1 is in the container's README, and its image is that of 1.13.0. It is the
    nearest that is not older, or the newest of the release.
    """
    asked, framework = container.framework_version, container.framework.text
    if container.image_uri.given or container.compilation.given or asked.text is None:
        return
    try:
        image = image_of_framework(container)
    except UnknownImage:
        return
    for name, scope in () if image is None else scopes_of(image.repository):
        taken = image_version(name, asked.text, scope)
        if name == framework and taken != asked.text and not taken.startswith(f"{asked.text}."):
            yield asked.says(
                f"is {asked.text!r}; AWS's tables have no {name} image of it; it gets that of "
                f"{taken}, the nearest"
            )


def image_chosen(container: ContainerFacts) -> Iterator[Finding]:
    """Which image of AWS's a framework and its version are on this host, and why.

    It is no rule: nothing is wrong. ``check --verbose`` makes one of it.
    """
    if container.image_uri.given or container.compilation.given:
        return
    try:
        image = image_of_framework(container)
    except UnknownImage:
        return
    if image is not None:
        reason = image_reason(known(container.instance_type), container.accelerator)
        yield container.finding(f"its image is {image.uri}, {reason}")


@rule(
    source="botocore ContainerDefinition.Image, AWS ECR",
    example="image_uri: docker.io/library/nginx",
)
def image_uri(container: ContainerFacts) -> Iterator[Finding]:
    """Your own image is in ECR, in the environment's region.

    Endpoints pull from nowhere else; only a model with RepositoryAccessMode Vpc has a registry
    of its own.
    """
    uri, region = container.image_uri.text, container.region.text
    if uri is None or container.own_registry:
        return
    image = parse_ecr_uri(uri)
    if image is None:
        yield container.image_uri.says(
            f"is {uri!r}; endpoints pull only from ECR: "
            "<account>.dkr.ecr.<region>.amazonaws.com/<repository>:<tag>; push the image there"
        )
    elif region in regions() and image.region != region:
        yield container.image_uri.says(
            f"is in {image.region}; an endpoint in {region} pulls only from {region}; replicate "
            "the image there"
        )


@rule(
    source="aws/sagemaker-huggingface-inference-toolkit#45; aws/sagemaker-tensorflow-training-"
    "toolkit pull request 372",
    example="Image: …/huggingface-pytorch-training:2.1.0-transformers4.36.0-gpu-…",
)
def image_training(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """A model is served by an image that is made for it, not by the one that trained it.

    AWS's training images start no server: ``exec: "serve": executable file not found in $PATH``.
    """
    for container in host.containers:
        uri = container.image_uri.text or ""
        serving = re.sub("-training(?=[:@])", "-inference", uri)
        found = published_image(serving) if serving != uri else None
        if found is not None:
            yield container.image_uri.says(
                f"is {uri!r}, an image for training, which serves nothing; use "
                f"{found.image.repository}: sagemaker-serving docs images"
            )


@warning(source=_TABLES, example="image_uri: …/tensorflow-inference:2.17-cpu-py310")
def image_tag(container: ContainerFacts) -> Iterator[Finding]:
    """An image of AWS's has a tag of a release that AWS publishes, for its processors and Python.

    Versions are skipped: there is no TensorFlow 2.17. Nor is there a ``latest``, which is meant
    without a tag. ECR finds no such image, and the endpoint fails after minutes. AWS's tables lag
    behind ECR, so this warns.
    """
    found = published_image(container.image_uri.text)
    if found is None or found.image.tag.startswith("sha256:"):
        return
    image, releases = found.image, release_tags(found.image.repository)
    release = re.match(r"[0-9]+[.][0-9]+(?=[.-]|$)", image.tag)
    if releases and image.tag in ("", "latest"):
        yield container.image_uri.says(
            f"has {'' if image.tag else 'no tag, which means '}the tag 'latest', and AWS's tables "
            f"have no such {image.repository}; use one of those that `sagemaker-serving docs "
            "images` has"
        )
    if release is None or not releases:
        return
    if release[0] not in releases:
        known = sorted(releases, key=lambda each: tuple(map(int, re.findall("[0-9]+", each))))
        yield container.image_uri.says(
            f"has the tag {image.tag!r}; AWS's tables have {image.repository} of "
            f"{', '.join(known)}; use one of these, or look before you deploy"
        )
        return
    for what in (r"cpu|gpu", r"py[0-9]+"):
        known_parts = {part for tag in releases[release[0]] for part in re.findall(what, tag)}
        given = [part for part in image.tag.split("-")[1:] if re.fullmatch(what, part)]
        second = image.tag.split("-")[1:2]
        is_other = what.startswith("cpu") and second and not given
        wrong = second if known_parts and is_other else [g for g in given if g not in known_parts]
        if known_parts and wrong:
            yield container.image_uri.says(
                f"has the tag {image.tag!r}; {image.repository} {release[0]} is published for "
                f"{', '.join(sorted(known_parts))}, not {wrong[0]}; use one of these"
            )


@warning(
    source=_TABLES,
    example="Image: 763104351884.dkr.ecr.af-south-1.amazonaws.com/tensorflow-inference:…",
)
def image_account(container: ContainerFacts) -> Iterator[Finding]:
    """An image of AWS's comes from the account that publishes it in that region.

    The account of the older regions is not that of the newer ones: 22 of 38 have their own. ECR
    answers for the wrong account as if the image were private.
    """
    found = published_image(container.image_uri.text)
    if found is None or found.image.account in found.accounts:
        return
    region = found.image.region
    if not found.accounts:
        advice = (
            f"AWS's tables have no {found.image.repository} in {region}; look before you deploy"
        )
    else:
        advice = f"in {region} it is {' or '.join(found.accounts)}"
    yield container.image_uri.says(
        f"names the account {found.image.account} for {found.image.repository}; {advice}"
    )


@warning(
    source=f"{_TABLES}; EC2 instance types in moto",
    example="image_uri: …/tensorflow-inference:2.20-cpu-py312   # on ml.g4dn.xlarge",
)
def image_processor(container: ContainerFacts) -> Iterator[Finding]:
    """An image for GPUs runs on a GPU type, and one for CPUs on a CPU type.

    A CPU image leaves a paid GPU idle, and a GPU image finds no GPU. Both start, so this warns. The
    image's tag decides: of those with ``cu128`` in it AWS's tables may say nothing, or "cpu"
    (aws/deep-learning-containers#3803).
    """
    processor, (place, named) = processor_of_image(container), named_image(container)
    kind = known(container.instance_type)
    found = published_image(container.image_uri.text)
    if kind is not None and found is not None and found.neuron and kind.processor != "neuron":
        yield place.finding(
            f"{named} an image for AWS Neuron and {kind.name} has {kind.devices}; use another "
            "image, or a type of inf2 or trn1"
        )
        return
    if kind is None or processor is None:
        return
    if kind.processor not in (processor, "neuron", None):
        fitting = "one for these" if kind.processor == "gaudi" else f"the {kind.processor} image"
        yield place.finding(
            f"{named} an image for {processor.upper()}s and {kind.name} has {kind.devices}; use "
            f"{fitting}, or another instance type"
        )


@rule(
    source=f"{_TABLES}; EC2 instance types in moto",
    example="image_uri: …/tensorflow-inference:2.20-cpu-py312   # on ml.c7g.large",
)
def image_architecture(container: ContainerFacts) -> Iterator[Finding]:
    """An arm64 image runs on Graviton, and an x86 image does not.

    The container ends at once with an exec format error, and the endpoint fails its health
    checks without a line in its log.
    """
    found = published_image(container.image_uri.text)
    kind = known(container.instance_type)
    if found is None or kind is None or None in (found.architecture, kind.architecture):
        return
    if found.architecture != kind.architecture:
        yield container.image_uri.says(
            f"is an {found.architecture} image and {kind.name} is {kind.architecture}; use an "
            f"image for {kind.architecture}, or another instance type"
        )

"""Rules on AMI versions: one that there is, for this kind of host, with a driver for the image."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.suggest import did_you_mean
from sagemaker_serving.catalog.ecr import EcrImage, parse_ecr_uri
from sagemaker_serving.catalog.gpu_hosts import (
    ami_for,
    ami_versions,
    default_driver,
    starts_by_default,
)
from sagemaker_serving.catalog.images import UnknownImage
from sagemaker_serving.catalog.instances import Use
from sagemaker_serving.catalog.published import processor_of
from sagemaker_serving.catalog.support import image_support, least_driver
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts import ContainerFacts, Fact, TransformFacts, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import image_of_framework, known, types_of

_ENUM = "botocore ProductionVariant.InferenceAmiVersion, TransformResources.TransformAmiVersion"


@rule(source=_ENUM, example="inference_ami_version: al2-ami-sagemaker-gpu-4")
def ami_version(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """An AMI version is one that AWS has.

    CreateEndpointConfig refuses any other.
    """
    fact, use = _asked(host)
    names = ami_versions(use)
    if fact.text is None or fact.text in names:
        return
    hint = did_you_mean(fact.text, names) or f"there are {', '.join(names)}"
    yield fact.says(f"is {fact.text!r}; AWS has no such AMI version; {hint}")


@rule(
    source=_ENUM,
    example="inference_ami_version: al2-ami-sagemaker-inference-gpu-3-1   # on ml.c5.large",
)
def ami_host(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """An AMI version for GPUs is on a type with GPUs, that for Neuron on Inferentia2 or Trainium.

    On another type its driver finds no device.
    """
    fact, use = _asked(host)
    ami = ami_versions(use).get(fact.text or "")
    kind = known(host.instance_type)
    if ami is None or kind is None:
        return
    neuron = kind.neuron not in (None, "Inferentia")
    if not (kind.gpus if ami.driver is not None else neuron):
        wanted = "GPUs" if ami.driver is not None else "Inferentia2 and Trainium"
        yield fact.says(
            f"is {ami.name}, which is for {wanted}, and {kind.name} has none; remove it, or use "
            "another instance type"
        )


@rule(
    source="NVIDIA, CUDA minor version compatibility; AWS SageMaker developer guide, GPU driver "
    "upgrades",
    example="inference_ami_version: al2-ami-sagemaker-inference-gpu-2   # an image of CUDA 13",
)
def ami_driver(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """A host's NVIDIA driver is new enough for the image's CUDA.

    With an older one the container ends before it writes a line, and the endpoint fails after
    twenty minutes with CannotStartContainerError.
    """
    fact, use = _asked(host)
    ami = ami_versions(use).get(fact.text or "")
    if ami is None:
        return
    for cuda in sorted(_cudas(host)):
        if not ami.runs(cuda):
            yield fact.says(
                f"is {ami.name} with NVIDIA driver {ami.driver}; the image has CUDA {cuda}, which "
                f"needs driver {least_driver(cuda)}; use "
                f"{_newest(use, cuda) or 'an image of an older CUDA'}"
            )


@warning(
    source="aws/deep-learning-containers issue 4990, and its docs/ray, docs/vllm, docs/sglang; "
    "AWS SageMaker developer guide, GPU driver upgrades",
    example="InstanceType: ml.g5.xlarge   # a GPU image of TensorFlow 2.20, no InferenceAmiVersion",
)
def ami_default(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """A GPU image whose CUDA is too new for a family's default host has an AMI version.

    The driver of most families' hosts is an old one. The container ends before it writes a line, or
    says "CUDA driver version is insufficient". Environment files and constructs choose the AMI
    version themselves, where they can. Families whose driver AWS does not document pass.
    """
    fact, use = _asked(host)
    images = [_image(container) for container in host.containers]
    for written in types_of(host) if not fact.given else ():
        kind = known(written)
        if kind is None or not kind.gpus:
            continue
        if host.chooses_ami and ami_for(use, [kind.name], images) is not None:
            continue
        for cuda in sorted(_cudas(host)):
            if not starts_by_default(use, kind.family, cuda):
                fitting = ami_for(use, [kind.name], images) or _newest(use, cuda)
                yield written.finding(
                    f"{kind.name} has NVIDIA driver {default_driver(use, kind.family)} where no "
                    f"{fact.name} is given; the image has CUDA {cuda}, which needs driver "
                    f"{least_driver(cuda)}; set {fact.name} to "
                    f"{fitting or 'one with a newer driver'}"
                )


@note(
    source="this project: sagemaker-serving docs kinds",
    example="Image: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mine   # on ml.g5.xlarge",
)
def ami_unjudged(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """The CUDA of an image on GPUs is known here; of others a note says that it is not.

    A host without an AMI version has an old driver in most families. AWS's own images are known by
    their tags and tables.
    """
    fact, use = _asked(host)
    kind = known(host.instance_type)
    if fact.given or kind is None or not kind.gpus:
        return
    driver = default_driver(use, kind.family)
    for container in host.containers if driver is not None else ():
        image = _image(container)
        runs_here = image is not None and processor_of(image.tag, image.repository) != "cpu"
        if image is not None and runs_here and not image_support(image).cuda:
            where = container.image_uri if container.image_uri.given else container.framework
            yield where.finding(
                f"the CUDA of {image.repository} is not known here, so that it was not compared "
                f"with NVIDIA driver {driver} of {kind.name}; for CUDA 12.9 and later set "
                f"{fact.name}"
            )


@warning(
    source="aws/deep-learning-containers pull request 6187",
    example="InferenceAmiVersion: al2023-ami-sagemaker-inference-gpu-4-1   # an image of CUDA 12",
)
def ami_cuda(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """An AMI version that AWS made for one CUDA has images of that CUDA.

    AWS's own Ray image of CUDA 12.9 did not start on the host of CUDA 13: its endpoint stayed in
    Creating, without a line of log.
    """
    fact, use = _asked(host)
    ami = ami_versions(use).get(fact.text or "")
    for cuda in sorted(_cudas(host)) if ami is not None and ami.cuda else ():
        assert ami is not None
        if cuda.partition(".")[0] != ami.cuda:
            images = [_image(container) for container in host.containers]
            kind = known(host.instance_type)
            fitting = ami_for(use, [kind.name], images) if kind is not None else None
            yield fact.finding(
                f"{fact.name} is {ami.name}, a host for CUDA {ami.cuda}, and the image has CUDA "
                f"{cuda}; it may not start; "
                + (f"use {fitting}" if fitting else f"leave {fact.name} out, or use another")
            )


def _asked(host: VariantFacts | TransformFacts) -> tuple[Fact, Use]:
    if isinstance(host, TransformFacts):
        return host.ami_version, "transform"
    return host.get("InferenceAmiVersion"), "endpoint"


def _newest(use: Use, cuda: str) -> str | None:
    fitting = [name for name, each in ami_versions(use).items() if each.driver and each.runs(cuda)]
    return fitting[-1] if fitting else None


def _cudas(host: VariantFacts | TransformFacts) -> set[str]:
    """The CUDA of each image that runs on the host, as far as it is known."""
    images = [_image(container) for container in host.containers]
    return {image_support(image).cuda for image in images if image is not None} - {""}


def _image(container: ContainerFacts) -> EcrImage | None:
    if container.image_uri.text is not None:
        return parse_ecr_uri(container.image_uri.text)
    try:
        return None if container.compilation.given else image_of_framework(container)
    except UnknownImage:
        return None

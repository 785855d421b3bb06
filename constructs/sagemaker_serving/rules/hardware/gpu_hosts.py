"""Rules on AMI versions: one that there is, for this kind of host, with a driver for the image."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.suggest import nearest
from sagemaker_serving.catalog import UnknownImage, image_support, parse_ecr_uri
from sagemaker_serving.catalog.gpu_hosts import AmiVersion, ami_versions
from sagemaker_serving.catalog.instances import Use
from sagemaker_serving.catalog.support import least_driver
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.facts import ContainerFacts, Fact, TransformFacts, VariantFacts
from sagemaker_serving.rules.hardware.instance_types import image_of_framework, known

_ENUM = "botocore ProductionVariant.InferenceAmiVersion, TransformResources.TransformAmiVersion"


@rule("ami-version", source=_ENUM, example="inference_ami_version: al2-ami-sagemaker-gpu-4")
def ami_version(host: VariantFacts | TransformFacts) -> Iterator[Finding]:
    """An AMI version is one that AWS has.

    CreateEndpointConfig refuses any other.
    """
    fact, use = _asked(host)
    names = ami_versions(use)
    if fact.text is None or fact.text in names:
        return
    close = nearest(fact.text, names)
    hint = f"did you mean {close}" if close is not None else f"there are {', '.join(names)}"
    yield fact.where, f"{fact.name} is {fact.text!r}; AWS has no such AMI version; {hint}"


@rule(
    "ami-host",
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
        yield (
            fact.where,
            f"{fact.name} is {ami.name}, which is for {wanted}, and {kind.name} has none; "
            "remove it, or use another instance type",
        )


@rule(
    "ami-driver",
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
    versions = ami_versions(use)
    ami = versions.get(fact.text or "")
    if ami is None:
        return
    for cuda in sorted(_cudas(host)):
        if not ami.runs(cuda):
            yield (
                fact.where,
                f"{fact.name} is {ami.name} with NVIDIA driver {ami.driver}; the image has CUDA "
                f"{cuda}, which needs driver {least_driver(cuda)}; {_instead(versions, cuda)}",
            )


def _asked(host: VariantFacts | TransformFacts) -> tuple[Fact, Use]:
    if isinstance(host, TransformFacts):
        return host.ami_version, "transform"
    return host.get("InferenceAmiVersion"), "endpoint"


def _instead(versions: dict[str, AmiVersion], cuda: str) -> str:
    fitting = [name for name, each in versions.items() if each.driver and each.runs(cuda)]
    return f"use {fitting[-1]}" if fitting else "use an image of an older CUDA"


def _cudas(host: VariantFacts | TransformFacts) -> set[str]:
    """The CUDA of each image that runs on the host, as far as it is known."""
    containers = (
        host.containers
        if isinstance(host, VariantFacts)
        else ()
        if host.container is None
        else (host.container,)
    )
    return {_cuda(container) for container in containers} - {""}


def _cuda(container: ContainerFacts) -> str:
    if container.image_uri.text is not None:
        given = parse_ecr_uri(container.image_uri.text)
        return "" if given is None else image_support(given).cuda
    try:
        image = None if container.compilation.given else image_of_framework(container)
    except UnknownImage:
        image = None
    return "" if image is None else image_support(image).cuda

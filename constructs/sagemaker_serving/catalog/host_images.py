"""Which of the published images an instance type runs."""

from __future__ import annotations

from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.images import (
    Processor,
    UnknownImage,
    container_image,
    framework_versions,
    frameworks,
    image_processors,
)
from sagemaker_serving.catalog.instances import InstanceType


def image_for(
    kind: InstanceType | None,
    *,
    framework: str,
    version: str,
    region: str,
    accelerator: Accelerator | None = None,
) -> EcrImage:
    """The image that instances of ``kind`` run: for CPUs, GPUs, arm64, Inferentia, or Trainium.

    None stands for serverless, which has CPUs. With an ``accelerator`` it is
    the image that once used one. Inf1 runs what Neo has compiled: its images
    are those of Neo, and ``version`` is a release of theirs ("2.5"). Raises
    `UnknownImage` as `container_image` does; for Inferentia2 and Trainium also where
    AWS keeps the framework's images outside of the tables that this catalog is
    made from; and for a type with other accelerators, or of unknown hardware.
    """
    if accelerator is not None:
        return container_image(framework=framework, version=version, region=region, scope="eia")
    processor = "cpu" if kind is None else kind.processor
    if processor == "cpu" or processor == "gpu":
        arm64 = kind is not None and kind.architecture == "arm64"
        return container_image(
            framework=framework,
            version=version,
            region=region,
            processor=processor,
            scope="inference_graviton" if arm64 else "inference",
        )
    assert kind is not None
    if processor != "neuron":
        raise UnknownImage(
            "instance_type",
            f"{kind.name} has {kind.devices}, for which AWS's tables have no {framework} image; "
            "give image_uri, or use another instance type",
        )
    if kind.neuron == "Inferentia":
        return _inferentia_image(framework, version, region)
    for chip in _NEURON_PROCESSORS:
        if chip in image_processors(framework, version):
            return container_image(
                framework=framework, version=version, region=region, processor=chip
            )
    raise UnknownImage(
        "framework",
        f"AWS's tables have no {framework} {version} image for {kind.neuron}; give image_uri, and "
        f"an artifact that was compiled for {kind.name}",
    )


def image_reason(kind: InstanceType | None, accelerator: Accelerator | None = None) -> str:
    """Why `image_for` takes the image that it takes: "for GPUs: ml.g4dn.xlarge has 1 GPU"."""
    if accelerator is not None:
        return f"for Elastic Inference: accelerator_type is {accelerator.type}"
    if kind is None:
        return "for CPUs: serverless has no GPU"
    chips = {"gpu": "GPUs", "neuron": kind.neuron, "gaudi": "Gaudi", "cpu": "CPUs"}
    arm64 = " of arm64" if kind.architecture == "arm64" else ""
    return (
        f"for {chips.get(kind.processor or '', 'unknown')}{arm64}: {kind.name} has {kind.devices}"
    )


_NEURON_PROCESSORS: tuple[Processor, ...] = ("neuronx", "inf2", "inf")


def _inferentia_image(framework: str, version: str, region: str) -> EcrImage:
    name = f"inferentia-{framework}"
    if name not in frameworks():
        raise UnknownImage(
            "framework",
            f"there is no {framework} image for Inferentia; Neo compiles tensorflow, pytorch and "
            "mxnet for it; give image_uri for any other",
        )
    release = [full for full in framework_versions(name) if f"{full}.".startswith(f"{version}.")]
    return container_image(
        framework=name, version=release[-1] if release else version, region=region, processor="inf"
    )

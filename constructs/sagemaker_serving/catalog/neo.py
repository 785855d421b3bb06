"""SageMaker Neo: what it compiles, for what, and which image runs the result."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from sagemaker_serving.catalog.ecr import EcrImage
from sagemaker_serving.catalog.images import (
    Processor,
    UnknownImage,
    container_image,
    framework_versions,
    image_regions,
)
from sagemaker_serving.catalog.snapshot import snapshot

Host = Literal["instance", "inferentia", "neuron", "edge"]


@dataclass(frozen=True, kw_only=True)
class NeoSupport:
    """What Neo takes of one framework on one kind of target.

    ``versions`` are the releases documented as compilable, newest last, empty
    where there is none. ``needs_input_config`` is whether DataInputConfig has to
    name the inputs' shapes. ``frozen_since`` is the day since which no newer release was added,
    None where that is not known.
    """

    versions: tuple[str, ...]
    needs_input_config: bool
    frozen_since: date | None = None


_VERSIONS: dict[Host, dict[str, tuple[str, ...]]] = {
    "instance": {
        "TENSORFLOW": ("1.15.3", "2.9"),
        "KERAS": ("2.2.4",),
        "PYTORCH": ("1.4", "1.5", "1.6", "1.7", "1.8", "1.12", "1.13", "2.0"),
        "MXNET": ("1.8.0",),
        "ONNX": ("1.7.0",),
        "XGBOOST": ("1.3.3",),
    },
    "inferentia": {
        "TENSORFLOW": ("1.15", "2.5"),
        "PYTORCH": ("1.7", "1.8", "1.9"),
        "MXNET": ("1.5", "1.8"),
    },
    "neuron": {"TENSORFLOW": ("2.10",), "PYTORCH": ("1.13",)},
}
_NEWEST_ADDED: dict[Host, dict[str, date]] = {
    "instance": {
        "TENSORFLOW": date(2022, 10, 10),
        "PYTORCH": date(2023, 5, 29),
        "MXNET": date(2021, 3, 24),
    },
    "inferentia": dict.fromkeys(("TENSORFLOW", "PYTORCH", "MXNET"), date(2022, 3, 30)),
}
"""When sagemaker-python-sdk's tables got the image of the newest release: commits 2043e5435,
6a252f9ab, d666bbd85 and 64ce910af; to a24812666 of 2026-08-21 none is newer."""

_IMAGES = {
    "TENSORFLOW": "neo-tensorflow",
    "PYTORCH": "neo-pytorch",
    "MXNET": "neo-mxnet",
    "XGBOOST": "xgboost-neo",
}
_DOCUMENTED_IMAGES = {
    "KERAS": ("sagemaker-neo-keras", "2.2.4"),
    "ONNX": ("sagemaker-neo-onnx", "1.5.0"),
}
"""Repositories that the developer guide names and the SDK's tables lack."""

_ONLY_IN = {"ml_inf2": ("us-east-2",), "ml_trn1": ("us-east-1",)}


def neo_frameworks() -> tuple[str, ...]:
    """The frameworks that CreateCompilationJob knows. Source: botocore."""
    return tuple(snapshot("neo")["frameworks"])


def neo_target_devices() -> tuple[str, ...]:
    """The devices that CreateCompilationJob knows, cloud (``ml_…``) and edge.

    Source: botocore's TargetDevice.
    """
    return tuple(snapshot("neo")["target_devices"])


def neo_host(target_device: str) -> Host:
    """What kind of host ``target_device`` is."""
    if target_device in ("ml_inf2", "ml_trn1"):
        return "neuron"
    if target_device == "ml_inf1":
        return "inferentia"
    return "instance" if target_device.startswith("ml_") else "edge"


def neo_support(framework: str, target_device: str) -> NeoSupport | None:
    """What Neo compiles of ``framework`` ("PYTORCH") for ``target_device`` ("ml_c5").

    None for edge devices and for ``ml_eia2``, whose versions this catalog does not
    keep. Source: AWS SageMaker developer guide, Neo cloud instances and supported
    frameworks, and the SDK's versions for ml_inf2 and ml_trn1.
    A table for people, not for programs: what it lacks is a strong hint, no proof.
    """
    host = neo_host(target_device)
    if host == "edge" or target_device == "ml_eia2":
        return None
    optional = framework == "XGBOOST" or (framework == "PYTORCH" and host == "instance")
    return NeoSupport(
        versions=_VERSIONS[host].get(framework, ()),
        needs_input_config=not optional,
        frozen_since=_NEWEST_ADDED.get(host, {}).get(framework),
    )


def neo_regions(target_device: str) -> tuple[str, ...]:
    """The regions that compile for ``target_device`` and have images to run the result.

    Source: sagemaker-core's registries of the Neo images; for ml_inf2 and ml_trn1
    the text of botocore's CreateCompilationJob.
    """
    if target_device in _ONLY_IN:
        return _ONLY_IN[target_device]
    return image_regions("neo-pytorch", "2.0")


def neo_image_uri(
    *, framework: str, version: str, region: str, target_device: str = "ml_c5"
) -> str:
    """The image that serves what Neo compiled of ``framework`` ``version`` for ``target_device``.

    DescribeCompilationJob names the image too (InferenceImage), once the job has
    run; that answer wins. Raises `UnknownImage` when the tables have none.
    """
    host = neo_host(target_device)
    processor: Processor = "gpu" if target_device[3:4] in ("p", "g") else "cpu"
    if host == "inferentia":
        name = f"inferentia-{framework.lower()}"
        return container_image(
            framework=name, version=_released(name, version), region=region, processor="inf"
        ).uri
    if host == "instance" and framework in _IMAGES:
        name = _IMAGES[framework]
        asked = "latest" if framework == "XGBOOST" else _released(name, version)
        return container_image(
            framework=name, version=asked, region=region, processor=processor
        ).uri
    if host == "instance" and framework in _DOCUMENTED_IMAGES:
        repository, tag = _DOCUMENTED_IMAGES[framework]
        return _documented(repository, f"{tag}-{processor}-py3", region)
    raise UnknownImage(
        "framework",
        f"the tables have no image for {framework} compiled for {target_device}; take "
        "InferenceImage from the compilation job's description",
    )


def _released(framework: str, version: str) -> str:
    """The image's own spelling of ``version``: 2.5 is 2.5.2, and 1.8.0 is 1.8."""
    try:
        known = framework_versions(framework)
    except UnknownImage:
        return version
    if version in known:
        return version
    alike = [
        name for name in known if name.startswith(f"{version}.") or version.startswith(f"{name}.")
    ]
    return alike[-1] if alike else version


def neo_serving_variables(framework: str, region: str) -> dict[str, str]:
    """The environment variables that the images for compiled models are started with.

    Source: AWS SageMaker developer guide, "Deploy a compiled model using the AWS CLI", for
    models that were not trained on SageMaker.
    """
    variables = {
        "SAGEMAKER_PROGRAM": "inference.py",
        "SAGEMAKER_SUBMIT_DIRECTORY": "/opt/ml/model/code",
        "SAGEMAKER_CONTAINER_LOG_LEVEL": "20",
        "SAGEMAKER_REGION": region,
    }
    if framework in ("MXNET", "PYTORCH"):
        variables["MMS_DEFAULT_RESPONSE_TIMEOUT"] = "500"
    return variables


def _documented(repository: str, tag: str, region: str) -> str:
    facts = snapshot("images")
    build = facts["frameworks"]["neo-pytorch"]["inference"]["versions"]["2.0"][0]
    accounts = facts["registries"][build["registries"]]
    if region not in accounts:
        raise UnknownImage("region", f"AWS publishes no Neo images in region {region!r}")
    image = EcrImage(account=accounts[region], region=region, repository=repository, tag=tag)
    return image.uri

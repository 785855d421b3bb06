"""Rules on compilation jobs of SageMaker Neo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sagemaker_serving.catalog.instances import regions
from sagemaker_serving.catalog.neo import (
    neo_frameworks,
    neo_regions,
    neo_support,
    neo_target_devices,
)
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.engine.numbers import at_least
from sagemaker_serving.rules.facts.resources import CompilationFacts

_SOURCE = "botocore CreateCompilationJob"
_GUIDE = "AWS SageMaker developer guide, Neo supported frameworks"
_REGIONS = "sagemaker-core's Neo registries, botocore CreateCompilationJob"


@rule(refused=True, source=_SOURCE, example="TargetDevice: ml_c55", shapes=("TargetDevice",))
def neo_target(job: CompilationFacts) -> Iterator[Finding]:
    """Neo compiles for one known device, or for one platform, not for both.

    With both, or neither, the job is not made.
    """
    device, platform = job.target_device, job.target_platform
    if device.certain and platform.certain:
        yield platform.says(
            f"stands beside {device.name}; a job compiles for one of them; remove the other"
        )
    if not device.given and not platform.given:
        yield job.finding(f"neither {device.name} nor {platform.name} is given; add one of them")


@warning(source=_SOURCE, example="TargetDevice: ml_eia2")
def neo_retired(job: CompilationFacts) -> Iterator[Finding]:
    """A model is compiled for hardware that can still be had.

    ml_eia2, ml_p2 and ml_p3 are in the API's list, but no instance type is left to run the result.
    """
    if job.target_device.text in ("ml_eia2", "ml_p2", "ml_p3"):
        yield job.target_device.says(
            f"is {job.target_device.text!r}, whose hosts AWS has retired; compile for ml_c5, "
            "ml_g4dn or ml_inf2"
        )


@note(
    source=f"{_GUIDE}; the history of sagemaker-python-sdk's image tables to 2026-08-21",
    example="compile: {target_device: ml_c5}",
)
def neo_frozen(job: CompilationFacts) -> Iterator[Finding]:
    """What Neo compiles last, and since when it takes up nothing newer, is known.

    A compiled model stays with that release of its framework, in an image of that time. So this
    says it of every compilation, and what serves the model uncompiled.
    """
    framework, device = job.framework.text or "", job.target_device.text or ""
    if framework not in neo_frameworks() or device not in neo_target_devices():
        return
    support = neo_support(framework, device)
    if support is None or not support.versions:
        return
    since = f", and has added none since {support.frozen_since}" if support.frozen_since else ""
    yield job.finding(
        f"for {device} Neo compiles {framework} up to {support.versions[-1]}{since}; without "
        f"compile, {_UNCOMPILED[framework]} serves the model; compare both with `sagemaker-serving "
        "bench`"
    )


_OWN_TENSORFLOW = "AWS's TensorFlow image, which is patched,"
_UNCOMPILED = {
    "TENSORFLOW": _OWN_TENSORFLOW,
    "KERAS": _OWN_TENSORFLOW,
    "PYTORCH": "an image that sagemaker-serving docs images has",
    "ONNX": "Triton's image",
    "XGBOOST": "AWS's XGBoost image",
    "MXNET": "an image of your own",
}


@warning(
    source=_GUIDE, example="Framework: TENSORFLOW, FrameworkVersion: 2.19, TargetDevice: ml_c5"
)
def neo_version(job: CompilationFacts) -> Iterator[Finding]:
    """The framework's version is one that Neo compiles for this kind of device.

    Neo stopped at TensorFlow 2.9 and PyTorch 2.0. The table is in a guide, not in an API, so this
    warns.
    """
    framework, device = job.framework.text, job.target_device.text
    if framework not in neo_frameworks() or device not in neo_target_devices():
        return
    support = neo_support(framework, device)
    if support is None:
        return
    if not support.versions:
        yield job.framework.says(
            f"is {framework!r}; Neo is not documented to compile it for {device}; use another "
            "framework or device"
        )
        return
    version = job.framework_version.text
    if version is not None and not any(_alike(version, known) for known in support.versions):
        yield job.framework_version.says(
            f"is {version!r}; for {device} Neo compiles {framework} {', '.join(support.versions)}; "
            f"use {support.versions[-1]}"
        )


@warning(source=_REGIONS, example="ml_inf2 in eu-west-1")
def neo_region(job: CompilationFacts) -> Iterator[Finding]:
    """Neo compiles for the device in this region, and has an image there to run the result.

    ml_inf2 is compiled for in us-east-2 only, ml_trn1 in us-east-1; eleven regions have no Neo
    images at all.
    """
    region, device = job.region.text, job.target_device.text
    if region not in regions() or device not in neo_target_devices():
        return
    known = neo_regions(device)
    if device.startswith("ml_") and region not in known:
        yield job.target_device.says(
            f"is {device!r}; in {region} Neo does not offer it; it does in {', '.join(known)}; "
            "compile there and copy the archive"
        )


@rule(
    source=_GUIDE,
    example="DataInputConfig is missing, Framework: MXNET",
    shapes=("DataInputConfig",),
)
def neo_input_config(job: CompilationFacts) -> Iterator[Finding]:
    """DataInputConfig is JSON that names the inputs' shapes.

    Only XGBoost, and PyTorch from 2.0 on instances, do without. A dimension that the model leaves
    open has a number here: "InputConfiguration: Incompatible Tensorflow model"
    (aws/amazon-sagemaker-examples#1037, #1284).
    """
    config = job.data_input_config
    framework, device = job.framework.text, job.target_device.text
    if config.text:
        shapes = config.document
        if shapes is None or _leaves_open(shapes):
            must = "be JSON" if shapes is None else "give each dimension a number"
            yield config.finding(
                f"{config.name} is {config.text[:40]!r}; it must {must}, such as "
                '{"input": [1, 224, 224, 3]}; write it so'
            )
    elif not config.given and framework in neo_frameworks() and device in neo_target_devices():
        support = neo_support(framework, device)
        version = job.framework_version.text or ""
        older = framework == "PYTORCH" and version.startswith("1.")
        # Channels last for TensorFlow's alone: API reference, InputConfig, DataInputConfig.
        is_channels_last = framework in ("TENSORFLOW", "TFLITE")
        shape = [1, 224, 224, 3] if is_channels_last else [1, 3, 224, 224]
        if support is not None and support.versions and (support.needs_input_config or older):
            yield job.finding(
                f"{config.name} is missing; Neo needs the inputs' shapes of {framework}; add it, "
                f'such as {{"input": {shape}}}'
            )


@rule(
    source=_SOURCE,
    example="CompilerOptions: x",
    shapes=("CompilerOptions", "MaxRuntimeInSeconds", "MaxPendingTimeInSeconds"),
)
def neo_limits(job: CompilationFacts) -> Iterator[Finding]:
    """Compiler options and times are such as a job takes, and a batch is one or more.

    The job is not made otherwise.
    """
    yield from at_least(job.batch_size, 1)


def _alike(asked: str, known: str) -> bool:
    """Whether one of them is a release of the other: 2.9.2 of 2.9, and 1.8 of 1.8.0."""
    return asked == known or asked.startswith(f"{known}.") or known.startswith(f"{asked}.")


def _leaves_open(shapes: Any) -> bool:
    """Whether a list at any depth has null for a number."""
    if isinstance(shapes, dict):
        return any(map(_leaves_open, shapes.values()))
    return isinstance(shapes, list) and (None in shapes or any(map(_leaves_open, shapes)))

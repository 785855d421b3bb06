"""How SageMaker Neo compiles a model before it is served: the ``compile`` field of a container."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec, left_out


class TargetPlatform(Spec):
    """A platform to compile for, instead of one known device."""

    os: Literal["ANDROID", "LINUX"]
    """The operating system."""

    arch: Literal["X86_64", "X86", "ARM64", "ARM_EABI", "ARM_EABIHF"]
    """The processor's architecture."""

    accelerator: Literal["INTEL_GRAPHICS", "MALI", "NVIDIA", "NNA"] | None = None
    """A graphics or neural processor beside it."""


class Acceptance(Spec):
    """What a compiled model must keep to, beside the one that it was made of.

    A deploy sends the golden requests to a temporary endpoint of the variant's instance type: one
    that misses max_error or agreement fails the deploy, and gets no traffic. ``sagemaker-serving
    compile ENVIRONMENT/MODEL --compare`` judges all of it before, on the machine that it runs on.
    """

    golden: str | None = None
    """The file of golden requests with the answers of the original, relative to the environment
    file. A deploy needs it, and ``compile --compare`` takes it where no other is given."""

    max_error: float | None = None
    """How far a number of an answer may be from the original's at most; 0 or more."""

    agreement: float | None = None
    """The least share of rows whose largest number stands at the same place; over 0, at most 1."""

    speedup: float | None = None
    """How many times as fast its p50 is at least; over 0."""


class Compilation(Spec):
    """One compilation job of SageMaker Neo: what for, and the shapes of the model's inputs.

    The deploy runs it before the model is made, and again only when the model or a field changes,
    other than accept and the two times. Names are those of CreateCompilationJob.
    """

    target_device: Annotated[str | None, Aws("OutputConfig.")] = None
    """A device of Neo's list, such as ``ml_c5`` for instances of that family; either this or
    target_platform."""

    target_platform: Annotated[TargetPlatform | None, Aws("OutputConfig.")] = None
    """An operating system and architecture, instead of a device."""

    framework: Annotated[str | None, Aws("InputConfig.")] = None
    """The framework that Neo reads, when it differs from the container's; of Neo's list, such as
    ``ONNX``."""

    framework_version: Annotated[str | None, Aws("InputConfig.")] = None
    """The version that Neo compiles with, in quotes, when it differs from the container's."""

    data_input_config: Annotated[
        dict[str, list[int]] | list[list[int]] | str | None, Aws("InputConfig.")
    ] = None
    """The inputs' shapes by name, such as ``{input: [1, 224, 224, 3]}``, or their JSON text.
    Channels come last for TensorFlow, first for Keras, MXNet, ONNX and PyTorch. Left out: the
    SavedModel's signature, if all but its batch is fixed."""

    batch_size: Annotated[int | None, Aws()] = None
    """The size for the open first dimension of a SavedModel's inputs, at least 1; without effect
    beside data_input_config."""

    compiler_options: Annotated[dict[str, Any] | str | None, Aws("OutputConfig.")] = None
    """Options of the compiler by name, or a text in Neo's own form."""

    max_runtime_in_seconds: Annotated[int | None, Aws("StoppingCondition.")] = left_out(900)
    """How long the compiler may run (default 900), at most 3600, because CloudFormation waits an
    hour."""

    max_pending_time_in_seconds: Annotated[int | None, Aws("StoppingCondition.")] = None
    """How long the job may wait in Neo's queue, 1800 to 2419200 (default: SageMaker's own)."""

    accept: Annotated[Acceptance | None, Aws()] = None
    """The limits that the compiled model has to keep before it gets traffic."""

"""Elastic Inference: accelerators that hung on CPU instances, until AWS ended the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sagemaker_serving.catalog.instances import InstanceType


@dataclass(frozen=True)
class Accelerator:
    """An accelerator such as ``ml.eia2.medium``: it is rendered, and AWS refuses what is rendered.

    Whether there ever was one of this ``type`` is for the rules to say.
    """

    type: str

    TYPES: ClassVar = tuple(
        f"ml.eia{generation}.{size}"
        for generation in (1, 2)
        for size in ("medium", "large", "xlarge")
    )
    """All that there were."""

    ENDED: ClassVar = (
        'botocore ProductionVariant.AcceleratorType: "Elastic Inference (EI) is no longer '
        "available\"; gone from CloudFormation's schema"
    )
    """Where AWS says so."""

    @classmethod
    def named(cls, value: object) -> Accelerator | None:
        """The one that a file or a template names, well or badly; None where it names none."""
        return None if value is None else cls(str(value))

    @staticmethod
    def takes(host: InstanceType) -> bool:
        """Whether it went with such instances: x86, without GPUs and Neuron devices."""
        return not host.gpus and host.neuron is None and host.architecture != "arm64"

"""A production variant on instances."""

from __future__ import annotations

from dataclasses import dataclass

from sagemaker_serving.infra.model import Model


@dataclass(frozen=True, kw_only=True)
class InstanceVariant:
    """Instances of one type that run one Model.

    ``initial_instance_count`` is at least 1; ``weight`` is the variant's share
    of the traffic relative to the others', and 0 stays 0.
    """

    name: str
    model: Model
    instance_type: str
    initial_instance_count: int = 1
    weight: float = 1.0

"""What can be set of the local SageMaker: how fast its time passes, how much memory there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from local_aws.settings import positive_number, time_scale

MULTI_MODEL_MEMORY_MB = "SAGEMAKER_SERVING_MULTI_MODEL_MEMORY_MB"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the local SageMaker differs from AWS on purpose.

    ``time_scale`` is how many seconds of SageMaker's own waits pass in one
    real second: a deployment's waits, how long a serverless variant stays warm
    and an asynchronous request may queue; `LocalContext` has it for alarms and
    scaling. What models take is never compressed. ``multi_model_memory_mb``
    is how much the loaded models of one multi-model variant may take, measured
    by their unpacked files; None leaves it to the container to say 507.
    """

    time_scale: float = 1.0
    multi_model_memory_mb: float | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the variables of these names; raises `Mistake` for what is no positive number."""
        return cls(
            time_scale=time_scale(environment),
            multi_model_memory_mb=positive_number(environment, MULTI_MODEL_MEMORY_MB),
        )

    def seconds(self, on_aws: float) -> float:
        """How long something that takes ``on_aws`` seconds on AWS takes here."""
        return on_aws / self.time_scale

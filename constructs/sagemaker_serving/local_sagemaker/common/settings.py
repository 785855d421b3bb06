"""What can be set of the local SageMaker: how fast its time passes, how much memory there is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sagemaker_serving.errors import Mistake

TIME_SCALE = "SAGEMAKER_SERVING_TIME_SCALE"
MULTI_MODEL_MEMORY_MB = "SAGEMAKER_SERVING_MULTI_MODEL_MEMORY_MB"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the local SageMaker differs from AWS on purpose.

    ``time_scale`` is how many seconds of SageMaker's own waits pass in one
    real second: a deployment's waits, alarms' periods, how long a serverless
    variant stays warm and an asynchronous request may queue, scaling's
    cooldowns. What models take is never compressed. ``multi_model_memory_mb``
    is how much the loaded models of one multi-model variant may take, measured
    by their unpacked files; None leaves it to the container to say 507.
    """

    time_scale: float = 1.0
    multi_model_memory_mb: float | None = None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the variables of these names; raises `Mistake` for what is no positive number."""
        scale = _positive(environment, TIME_SCALE)
        return cls(
            time_scale=1.0 if scale is None else scale,
            multi_model_memory_mb=_positive(environment, MULTI_MODEL_MEMORY_MB),
        )

    def seconds(self, on_aws: float) -> float:
        """How long something that takes ``on_aws`` seconds on AWS takes here."""
        return on_aws / self.time_scale


def _positive(environment: Mapping[str, str], name: str) -> float | None:
    text = environment.get(name, "")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise Mistake(f"{name} is '{text}'; it must be a number above 0")
    return value

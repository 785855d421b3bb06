"""What can be set of the local SageMaker: the pace of its time, its memory, its engines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from local_aws.errors import Mistake
from local_aws.settings import positive_number, time_scale
from sagemaker_serving.local_sagemaker.common.quotas import read_quotas
from sagemaker_serving.local_sagemaker.engines.declarations import read_declarations

MULTI_MODEL_MEMORY_MB = "SAGEMAKER_SERVING_MULTI_MODEL_MEMORY_MB"
PAYLOAD_MB = "SAGEMAKER_SERVING_PAYLOAD_MB"
QUOTAS = "SAGEMAKER_SERVING_QUOTAS"
"""A file, as `read_quotas` reads it."""
ENGINES = "SAGEMAKER_SERVING_ENGINES"
"""``REPOSITORY=ENGINE``, one a line."""
WITHOUT_ENGINES = "SAGEMAKER_SERVING_WITHOUT_ENGINES"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How the local SageMaker differs from AWS on purpose.

    ``time_scale`` is how many seconds of SageMaker's own waits pass in one
    real second: a deployment's waits, how long a serverless variant stays warm
    and an asynchronous request may queue; `LocalContext` has it for alarms and
    scaling. What models take is never compressed. ``multi_model_memory_mb``
    is how much the loaded models of one multi-model variant may take, measured
    by their unpacked files; None leaves it to the container to say 507. ``payload_mb`` is how many
    MiB InvokeEndpoint takes, None for what it takes of every account today. ``engines`` are those
    declared by repository, and ``without_engines`` starts none; None, and what is not declared,
    is as it was when the folder was last used. ``quotas`` are those of SageMaker, by name.
    """

    time_scale: float = 1.0
    multi_model_memory_mb: float | None = None
    payload_mb: float | None = None
    engines: Mapping[str, str] = field(default_factory=dict)
    without_engines: bool | None = None
    quotas: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the variables of these names; raises `Mistake` for what is no positive number, no
        declaration of engines, no file of quotas, and neither 0 nor 1."""
        return cls(
            time_scale=time_scale(environment),
            multi_model_memory_mb=positive_number(environment, MULTI_MODEL_MEMORY_MB),
            payload_mb=positive_number(environment, PAYLOAD_MB),
            engines=read_declarations({ENGINES: declarations(environment)}),
            without_engines=_switch(environment, WITHOUT_ENGINES),
            quotas=read_quotas(Path(environment[QUOTAS])) if environment.get(QUOTAS) else {},
        )

    def seconds(self, on_aws: float) -> float:
        """How long something that takes ``on_aws`` seconds on AWS takes here."""
        return on_aws / self.time_scale


def declarations(environment: Mapping[str, str]) -> list[str]:
    """The declarations in `ENGINES`."""
    return [line for line in environment.get(ENGINES, "").split("\n") if line]


def _switch(environment: Mapping[str, str], name: str) -> bool | None:
    value = environment.get(name, "")
    if value not in ("", "0", "1"):
        raise Mistake(f"{name} is '{value}'; it must be 1 or 0")
    return None if value == "" else value == "1"

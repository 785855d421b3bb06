"""What a DeploymentConfig asks for: shares of the traffic, waits between, and an end to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.common.store import Resource

DEFAULT_TIMEOUT_SECONDS = 28800.0
"""How long a deployment may take that does not say: the most that it could
(botocore: MaximumExecutionTimeoutInSeconds)."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A share of the traffic for the new fleet (0 to 1), and the bake that follows, in seconds."""

    share: float
    bake_seconds: float


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """How an update goes from the old fleet to the new one.

    ``steps`` end with all of the traffic; ``termination_seconds`` is how long
    the old fleet stays after that, while alarms are still watched;
    ``way_back`` are the shares of a rollback, down to 0.
    """

    steps: Sequence[Step]
    termination_seconds: float = 0.0
    timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS
    alarms: Sequence[str] = ()
    way_back: Sequence[float] = (0.0,)

    @classmethod
    def of(cls, config: Mapping[str, Any] | None, instance_count: int) -> Deployment:
        """Read a DeploymentConfig, all at once when absent.

        ``instance_count`` is the new fleet's: sizes by INSTANCE_COUNT are
        shares of it. A canary bakes before and after the second step, each
        linear step and each rolling batch after it (developer guide,
        "Deployment guardrails").
        """
        config = config if config is not None else {}
        alarms = [
            alarm["AlarmName"]
            for alarm in config.get("AutoRollbackConfiguration", {}).get("Alarms", ())
        ]
        rolling = config.get("RollingUpdatePolicy")
        if rolling is not None:
            size = _share(rolling["MaximumBatchSize"], instance_count)
            back = rolling.get("RollbackMaximumBatchSize")
            return cls(
                steps=_in_steps_of(size, rolling["WaitIntervalInSeconds"]),
                timeout_seconds=_timeout(rolling),
                alarms=alarms,
                way_back=(0.0,) if back is None else _down(_share(back, instance_count)),
            )
        policy = config.get("BlueGreenUpdatePolicy", {})
        return cls(
            steps=_steps(policy.get("TrafficRoutingConfiguration", {}), instance_count),
            termination_seconds=policy.get("TerminationWaitInSeconds", 0),
            timeout_seconds=_timeout(policy),
            alarms=alarms,
        )


def refuse_other_variants(
    deployment_config: Mapping[str, Any] | None, serving: Iterable[str], config: Resource
) -> None:
    """Raise `AwsError` for a guarded update to variants of other names, in words of our own.

    (Developer guide, "Deployment guardrails", "Exclusions".)
    """
    old, new = sorted(serving), sorted(v["VariantName"] for v in config["ProductionVariants"])
    if deployment_config is not None and old != new:
        raise AwsError(
            "ValidationException",
            "A DeploymentConfig needs the same variants in the new EndpointConfig as in the old; "
            f"the endpoint has {', '.join(old)}, and {config['EndpointConfigName']} has "
            f"{', '.join(new)}.",
        )


def _steps(routing: Mapping[str, Any], instance_count: int) -> list[Step]:
    wait = routing.get("WaitIntervalInSeconds", 0)
    match routing.get("Type", "ALL_AT_ONCE"):
        case "CANARY":
            share = _share(routing["CanarySize"], instance_count)
            return [Step(share=share, bake_seconds=wait), Step(share=1.0, bake_seconds=wait)]
        case "LINEAR":
            return _in_steps_of(_share(routing["LinearStepSize"], instance_count), wait)
        case _:
            return [Step(share=1.0, bake_seconds=wait)]


def _in_steps_of(size: float, wait: float) -> list[Step]:
    number = math.ceil(round(1 / size, 6))
    return [Step(share=min(1.0, step * size), bake_seconds=wait) for step in range(1, number)] + [
        Step(share=1.0, bake_seconds=wait)
    ]


def _down(size: float) -> list[float]:
    return [1.0 - step.share for step in _in_steps_of(size, 0)]


def _share(size: Resource, instance_count: int) -> float:
    value: int = size["Value"]
    whole = 100 if size["Type"] == "CAPACITY_PERCENT" else max(instance_count, 1)
    return min(1.0, value / whole)


def _timeout(policy: Mapping[str, Any]) -> float:
    seconds: float = policy.get("MaximumExecutionTimeoutInSeconds", DEFAULT_TIMEOUT_SECONDS)
    return seconds

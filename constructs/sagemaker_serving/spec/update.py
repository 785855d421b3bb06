"""How an endpoint moves to a new version, and what takes it back.

Source: botocore DeploymentConfig; SageMaker developer guide, "Deployment guardrails",
"Exclusions".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from sagemaker_serving.spec.aws import Aws
from sagemaker_serving.spec.base import Spec, left_out

MOST_SECONDS = 3000
"""How long the update of an endpoint that is there already may take in all. CloudFormation waits an
hour for a custom resource, and the steps around the update take some of it. Source: CloudFormation
user guide, custom resources, ServiceTimeout."""


MOST_ALARMS = 10
"""How many alarms may take an update back. Source: botocore AutoRollbackConfig, Alarms."""


class Replay(Spec):
    """A gate before the update: captured requests are asked again, and the answers compared.

    ``sagemaker-serving replay <environment>/<model>`` carries it out, before ``cdk deploy``: no
    deploy does.
    """

    capture: str
    """The data capture: a ``.jsonl`` file or a folder, relative to the environment file, or
    ``s3://bucket/prefix``."""

    max_difference: float = 1e-5
    """How far numbers may be apart, relative to the captured one where that is over 1; at least
    0."""

    max_different_percent: float = 0.0
    """How many answers may be different or fail, 0 to 100 percent of the requests."""


class OnlyReplay(Spec):
    """Captured requests to compare alone: the endpoint moves as it does without ``update``."""

    replay: Replay
    """Captured requests that ``sagemaker-serving replay`` sends again before a deploy."""


class Rollback(Spec):
    """What takes an update back by itself.

    ``policy`` is the member of DeploymentConfig that all other fields stand in.
    """

    policy: ClassVar[str] = "BlueGreenUpdatePolicy"

    alarms: Annotated[list[str], Aws()] = Field(default_factory=list)
    """Names of your own CloudWatch alarms, beside those on the endpoint's metrics; at most 10 in
    all."""

    maximum_execution_timeout_seconds: Annotated[
        int | None, Aws("MaximumExecutionTimeoutInSeconds")
    ] = None
    """How long the update may take, 600 to 28800 and more than the sum of its waits. For an
    endpoint that is there already it is at most 3000, and 3000 if left out."""

    replay: Annotated[Replay | None, Aws()] = None
    """Captured requests that are asked again before a deploy; left out: none."""


_ROUTING = "TrafficRoutingConfiguration"


def _percent_of(member: str, kind: str | None = None) -> Aws:
    """A share of the capacity, which a CapacitySize says; ``kind`` is the traffic's routing."""
    routing = {} if kind is None else {f"{_ROUTING}.Type": kind}
    return Aws(f"{member}.Value", also={f"{member}.Type": "CAPACITY_PERCENT", **routing})


class CanaryUpdate(Rollback):
    """New instances take a part of the traffic first, then all if no alarm went off."""

    canary_percent: Annotated[int, _percent_of(f"{_ROUTING}.CanarySize", "CANARY")]
    """The first part, 1 to 50 percent of the capacity."""

    wait_seconds: Annotated[int, Aws(f"{_ROUTING}.WaitIntervalInSeconds")] = 300
    """How long the alarms watch the first part, 0 to 3600."""

    termination_wait_seconds: Annotated[int, Aws("TerminationWaitInSeconds")] = 120
    """How long the old instances are kept for a rollback, after the switch, 0 to 3600."""


class LinearUpdate(Rollback):
    """New instances take the traffic in equal steps."""

    linear_percent: Annotated[int, _percent_of(f"{_ROUTING}.LinearStepSize", "LINEAR")]
    """Each step, 10 to 50 percent of the capacity."""

    wait_seconds: Annotated[int, Aws(f"{_ROUTING}.WaitIntervalInSeconds")] = 300
    """How long the alarms watch each step, 0 to 3600."""

    termination_wait_seconds: Annotated[int, Aws("TerminationWaitInSeconds")] = 120
    """How long the old instances are kept for a rollback, after the switch, 0 to 3600."""


class RollingUpdate(Rollback):
    """Instances are replaced in batches, without a second set of instances; for one variant
    only."""

    policy: ClassVar[str] = "RollingUpdatePolicy"

    rolling_percent: Annotated[int, _percent_of("MaximumBatchSize")]
    """Each batch, 5 to 50 percent of the capacity."""

    wait_seconds: Annotated[int, Aws("WaitIntervalInSeconds")] = 300
    """How long the alarms watch each batch, 0 to 3600."""

    rollback_percent: Annotated[int | None, _percent_of("RollbackMaximumBatchSize")] = left_out(100)
    """Each batch of a rollback, 1 to 100 percent (SageMaker's default: 100)."""


class AllAtOnceUpdate(Rollback):
    """New instances take all the traffic at once."""

    all_at_once: Annotated[
        Literal[True],
        Aws(also={f"{_ROUTING}.Type": "ALL_AT_ONCE", f"{_ROUTING}.WaitIntervalInSeconds": 0}),
    ]
    """Chooses this kind of update."""

    termination_wait_seconds: Annotated[int, Aws("TerminationWaitInSeconds")] = 0
    """How long the old instances are kept for a rollback, 0 to 3600."""


Way = Literal["ALL_AT_ONCE", "CANARY", "LINEAR", "ROLLING"]
"""SageMaker's name for a way of updating."""

TELLTALES: Mapping[Way, str] = {
    "CANARY": "canary_percent",
    "LINEAR": "linear_percent",
    "ROLLING": "rolling_percent",
    "ALL_AT_ONCE": "all_at_once",
}
"""The field by which each way of updating is known."""


def way_of(value: Any) -> str:
    """Which way of updating is written, by SageMaker's name for it; "REPLAY" is none at all."""
    given = dict(value) if isinstance(value, Mapping | Spec) else {}
    nothing = "REPLAY" if given.keys() == {"replay"} else "CANARY"
    return next((way for way, field in TELLTALES.items() if field in given), nothing)


Move = CanaryUpdate | LinearUpdate | RollingUpdate | AllAtOnceUpdate
"""How an endpoint moves to a new version."""

WAYS: Mapping[Way, type[Move]] = {
    "ALL_AT_ONCE": AllAtOnceUpdate,
    "CANARY": CanaryUpdate,
    "LINEAR": LinearUpdate,
    "ROLLING": RollingUpdate,
}
"""Each way of updating by the name that SageMaker has for it."""

Update = Annotated[
    Annotated[CanaryUpdate, Tag("CANARY")]
    | Annotated[LinearUpdate, Tag("LINEAR")]
    | Annotated[RollingUpdate, Tag("ROLLING")]
    | Annotated[AllAtOnceUpdate, Tag("ALL_AT_ONCE")]
    | Annotated[OnlyReplay, Tag("REPLAY")],
    Discriminator(way_of),
]
"""One of the four ways: the percentage's field, or ``all_at_once``, tells which. ``replay`` may
stand beside it, or alone."""

"""How an endpoint moves to a new version, and what takes it back.

Source: botocore DeploymentConfig; SageMaker developer guide, "Deployment guardrails",
"Exclusions".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from sagemaker_serving.spec.base import Spec

MOST_SECONDS = 3000
"""How long the update of an endpoint that is there already may take in all. CloudFormation waits an
hour for a custom resource, and the steps around the update take some of it. Source: CloudFormation
user guide, custom resources, ServiceTimeout."""


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
    """A gate alone: the endpoint moves as it does where nothing is said."""

    replay: Replay
    """Captured requests that are asked again before a deploy."""


class Rollback(Spec):
    """What takes an update back by itself."""

    alarms: list[str] = Field(default_factory=list)
    """Names of your own CloudWatch alarms, beside those on the endpoint's metrics; at most 10 in
    all."""

    maximum_execution_timeout_seconds: int | None = None
    """How long the update may take, 600 to 28800 and more than the sum of its waits. For an
    endpoint that is there already it is at most 3000, and 3000 if left out."""

    replay: Replay | None = None
    """Captured requests that are asked again before a deploy; left out: none."""


class CanaryUpdate(Rollback):
    """New instances take a part of the traffic first, then all if no alarm went off."""

    canary_percent: int
    """The first part, 1 to 50 percent of the capacity."""

    wait_seconds: int = 300
    """How long the alarms watch the first part, 0 to 3600."""

    termination_wait_seconds: int = 120
    """How long the old instances are kept for a rollback, after the switch, 0 to 3600."""


class LinearUpdate(Rollback):
    """New instances take the traffic in equal steps."""

    linear_percent: int
    """Each step, 10 to 50 percent of the capacity."""

    wait_seconds: int = 300
    """How long the alarms watch each step, 0 to 3600."""

    termination_wait_seconds: int = 120
    """How long the old instances are kept for a rollback, after the switch, 0 to 3600."""


class RollingUpdate(Rollback):
    """Instances are replaced in batches, without a second set of instances; for one variant
    only."""

    rolling_percent: int
    """Each batch, 5 to 50 percent of the capacity."""

    wait_seconds: int = 300
    """How long the alarms watch each batch, 0 to 3600."""

    rollback_percent: int | None = Field(default=None, json_schema_extra={"default": 100})
    """Each batch of a rollback, 1 to 100 percent (SageMaker's default: 100)."""


class AllAtOnceUpdate(Rollback):
    """New instances take all the traffic at once."""

    all_at_once: Literal[True]
    """Chooses this kind of update."""

    termination_wait_seconds: int = 0
    """How long the old instances are kept for a rollback, 0 to 3600."""


_TELLTALES = {
    "canary_percent": "canary",
    "linear_percent": "linear",
    "rolling_percent": "rolling",
    "all_at_once": "all-at-once",
}
"""The field by which each way of updating is known."""


def _way(value: Any) -> str:
    given = dict(value) if isinstance(value, Mapping | Spec) else {}
    nothing = "replay" if given.keys() == {"replay"} else "canary"
    return next((way for field, way in _TELLTALES.items() if field in given), nothing)


Move = CanaryUpdate | LinearUpdate | RollingUpdate | AllAtOnceUpdate
"""How an endpoint moves to a new version."""

Update = Annotated[
    Annotated[CanaryUpdate, Tag("canary")]
    | Annotated[LinearUpdate, Tag("linear")]
    | Annotated[RollingUpdate, Tag("rolling")]
    | Annotated[AllAtOnceUpdate, Tag("all-at-once")]
    | Annotated[OnlyReplay, Tag("replay")],
    Discriminator(_way),
]
"""One of the four ways: the percentage's field, or ``all_at_once``, tells which. ``replay`` may
stand beside it, or alone."""

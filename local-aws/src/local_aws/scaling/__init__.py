"""What can be scaled, what its policies and its schedule ask for, and what is granted of it.

::

    tracking = TargetTracking.of(policy, metric=lambda minute, capacity: load[minute] / capacity)
    changes = simulate(
        bounds=Bounds(minimum=1, maximum=8), capacity=1, policies=[tracking], minutes=len(load)
    )

Pure: nothing is called and nothing changed. Policies, alarms and actions are read as the API
describes them. Application Auto Scaling of the local AWS decides by the same `decision`.
"""

from local_aws.scaling.decision import Bounds, Policy
from local_aws.scaling.dimensions import ScalableDimension, TrackedMetric
from local_aws.scaling.policies import (
    DEFAULT_COOLDOWN_SECONDS,
    Metric,
    StepScaling,
    TargetTracking,
    Wish,
)
from local_aws.scaling.schedule import ScheduledAction
from local_aws.scaling.simulation import Change, ScaledTarget, simulate

__all__ = [
    "DEFAULT_COOLDOWN_SECONDS",
    "Bounds",
    "Change",
    "Metric",
    "Policy",
    "ScalableDimension",
    "ScaledTarget",
    "ScheduledAction",
    "StepScaling",
    "TargetTracking",
    "TrackedMetric",
    "Wish",
    "simulate",
]

"""Application Auto Scaling: `service` acts; here is what it would have done to a recorded load.

::

    tracking = TargetTracking.of(policy, metric=lambda minute, capacity: load[minute] / capacity)
    changes = simulate(
        bounds=Bounds(minimum=1, maximum=8), capacity=1, policies=[tracking], minutes=len(load)
    )

Pure: nothing is called and nothing changed. Policies, alarms and actions are
read as the API describes them, and the service decides by the same `decision`.
"""

from local_aws.services.autoscaling.decision import Bounds
from local_aws.services.autoscaling.policies import Metric, StepScaling, TargetTracking
from local_aws.services.autoscaling.schedule import ScheduledAction
from local_aws.services.autoscaling.simulation import Change, simulate

__all__ = [
    "Bounds",
    "Change",
    "Metric",
    "ScheduledAction",
    "StepScaling",
    "TargetTracking",
    "simulate",
]

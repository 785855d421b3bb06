"""What can be scaled, what its policies and its schedule ask for, and what is granted of it.

Pure: nothing is called and nothing changed. Policies and actions are read as the API describes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["ScalableDimension", "TrackedMetric"]


@dataclass(frozen=True, kw_only=True)
class TrackedMetric:
    """A metric of CloudWatch that target tracking can follow; its period is 10 or 60 seconds."""

    namespace: str
    name: str
    dimensions: Mapping[str, str]
    statistic: str
    period_seconds: int = 60


class ScalableDimension(Protocol):
    """One dimension, ``sagemaker:variant:DesiredInstanceCount``; added to `LocalContext.scalable`.

    Resources are named as Application Auto Scaling names them: ``endpoint/e/variant/v``. `capacity`
    and `change` raise botocore's ClientError and BotoCoreError for what is refused, or not there.
    """

    noun: str
    """What activities call it: "desired instance count"."""

    def capacity(self, region: str, resource_id: str) -> int:
        """How much is desired now."""

    def change(self, region: str, resource_id: str, capacity: int) -> None:
        """Desire so much, and return when it is there; raises `Failure` when it does not come."""

    def metrics(self, resource_id: str) -> Mapping[str, TrackedMetric]:
        """What is behind each predefined metric type."""

    def judge(
        self,
        region: str,
        action: str,
        parameters: Mapping[str, Any],
        others: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Raise `AwsError` for parameters that RegisterScalableTarget, PutScalingPolicy or
        PutScheduledAction refuses; ``others`` are the target's other policies."""

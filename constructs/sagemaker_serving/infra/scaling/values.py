"""What scaling is told: what scales, by which metric, in which steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sagemaker_serving.infra.synth.fields import Unjudged
from sagemaker_serving.spec.scaling import HELD, Metric, Step


class ScalingMetric(Unjudged, Metric):
    """A metric of CloudWatch, minute by minute; without ``dimensions`` that of what is scaled."""


class ScalingStep(Unjudged, Step):
    """A change of capacity while a metric is from ``lower`` up to ``upper``; None: without end."""


@dataclass(frozen=True, kw_only=True)
class Scaled:
    """What is scaled, in the words of Application Auto Scaling, and its predefined metrics.

    Without ``invocations`` and ``concurrent_requests`` these are SageMaker's of the dimension.
    ``waking_metric`` tells that requests find no capacity at all.
    """

    resource_id: str
    dimension: str
    dimensions: Mapping[str, str]
    invocations: str | None = None
    concurrent_requests: str | None = None
    waking_metric: ScalingMetric | None = None

    def holding(self, field: str) -> str | None:
        """The predefined metric of a field of `spec.Scaling`; None where there is none of it."""
        own = {
            "invocations_per_instance": self.invocations,
            "concurrent_requests": self.concurrent_requests,
        }
        return own.get(field) or HELD[field].get(self.dimension)


def pascal(name: str) -> str:
    """A user's name as a part of a construct's id."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[^a-zA-Z0-9]+", name))

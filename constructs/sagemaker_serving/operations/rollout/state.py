"""An endpoint at one moment: what it serves, and what it is on its way to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sagemaker_serving.client.describing import described_endpoint

_ON_ITS_WAY = frozenset({"Creating", "Updating", "SystemUpdating", "RollingBack", "Deleting"})
"""Source: botocore EndpointStatus."""


@dataclass(frozen=True, kw_only=True)
class VariantState:
    """A variant: ``coming`` is whether it is of the config that is being rolled out.

    Counts are of instances, None where there are none; ``weight`` is the share of
    the requests relative to the others'; ``phase`` is SageMaker's word for
    what is done to it (Creating, ActivatingTraffic, Baking, …), "" for nothing.
    """

    name: str
    coming: bool
    instances: int | None
    desired_instances: int | None
    weight: float | None
    phase: str
    message: str


@dataclass(frozen=True, kw_only=True)
class EndpointState:
    """An endpoint as DescribeEndpoint tells it.

    ``config`` is the one that serves; ``coming_config`` the one that is rolled
    out, None when none is. ``since`` is when this began.
    """

    name: str
    arn: str
    status: str
    config: str
    coming_config: str | None
    failure_reason: str | None
    since: datetime
    variants: tuple[VariantState, ...]

    @property
    def is_settled(self) -> bool:
        """Whether SageMaker does nothing to it at the moment."""
        return self.status not in _ON_ITS_WAY


def endpoint_state(sagemaker: Any, name: str) -> EndpointState:
    """The endpoint ``name`` as it is now; raises `NotFound` when there is none."""
    return _state(described_endpoint(sagemaker, name))


def _state(found: Mapping[str, Any]) -> EndpointState:
    pending = found.get("PendingDeploymentSummary", {})
    creating = found["EndpointStatus"] == "Creating"
    return EndpointState(
        name=found["EndpointName"],
        arn=found["EndpointArn"],
        status=found["EndpointStatus"],
        config=found["EndpointConfigName"],
        coming_config=pending.get(
            "EndpointConfigName", found["EndpointConfigName"] if creating else None
        ),
        failure_reason=found.get("FailureReason"),
        since=pending.get(
            "StartTime", found["CreationTime"] if creating else found["LastModifiedTime"]
        ),
        variants=(*_variants(found, coming=creating), *_variants(pending, coming=True)),
    )


def _variants(summary: Mapping[str, Any], *, coming: bool) -> Iterator[VariantState]:
    for kind in ("ProductionVariants", "ShadowProductionVariants"):
        for variant in summary.get(kind, []):
            # The last of several is the newest.
            phase = (variant.get("VariantStatus") or [{}])[-1]
            yield VariantState(
                name=variant["VariantName"],
                coming=coming,
                instances=variant.get("CurrentInstanceCount"),
                desired_instances=variant.get("DesiredInstanceCount"),
                weight=variant.get("CurrentWeight"),
                phase=phase.get("Status", ""),
                message=phase.get("StatusMessage", ""),
            )

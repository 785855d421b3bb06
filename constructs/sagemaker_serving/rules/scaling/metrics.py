"""The dimensions that Application Auto Scaling has for SageMaker, and the metrics of each.

Source: SageMaker developer guide, automatic scaling; Application Auto Scaling API reference,
PredefinedMetricSpecification.
"""

from __future__ import annotations

INSTANCES = "sagemaker:variant:DesiredInstanceCount"
PROVISIONED = "sagemaker:variant:DesiredProvisionedConcurrency"
COPIES = "sagemaker:inference-component:DesiredCopyCount"
BACKLOG = "ApproximateBacklogSizePerInstance"
"""No predefined metric; of asynchronous endpoints only."""

DIMENSION_OF = {
    "SageMakerVariantInvocationsPerInstance": INSTANCES,
    "SageMakerVariantConcurrentRequestsPerModelHighResolution": INSTANCES,
    "SageMakerVariantProvisionedConcurrencyUtilization": PROVISIONED,
    "SageMakerInferenceComponentInvocationsPerCopy": COPIES,
    "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution": COPIES,
    BACKLOG: INSTANCES,
}
"""Each metric, and what may be scaled by it."""

REAL_TIME = frozenset(list(DIMENSION_OF)[:2])
"""Those that asynchronous endpoints do not publish."""

_NAMES = {
    ("invocations", COPIES): "SageMakerInferenceComponentInvocationsPerCopy",
    ("concurrent", COPIES): "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution",
    ("utilization", PROVISIONED): "SageMakerVariantProvisionedConcurrencyUtilization",
}
_OF_VARIANTS = dict(zip(("invocations", "concurrent"), list(DIMENSION_OF)[:2], strict=True))


def metric(what: str, dimension: str | None) -> str | None:
    """The predefined metric of ``what`` for ``dimension``; that of instances where it has none."""
    if dimension is None:
        return None
    return _NAMES.get((what, dimension), _OF_VARIANTS.get(what))

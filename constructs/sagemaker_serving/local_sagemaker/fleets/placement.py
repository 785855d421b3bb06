"""Where a config's variants run: each on the first of its instance types that there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sagemaker_serving.local_sagemaker.common.store import Resource
from sagemaker_serving.local_sagemaker.containers.container import ContainerFailed

NO_CAPACITY = (
    "Unable to provision requested ML compute capacity due to InsufficientInstanceCapacity error. "
    "Please retry using a different ML instance type or after some time."
)
"""An endpoint's FailureReason (github.com/aws/deep-learning-containers/pull/6673)."""


def placed(config: Resource, is_struck: Callable[..., bool]) -> Resource:
    """The config with each variant on one type; ``is_struck`` is whether there is none of these.

    A variant with InstancePools gets the first by Priority that is there, and keeps the one that
    it has had. Raises `ContainerFailed` where none is (developer guide, "Deploy to multiple
    instance types with instance pools"; that the reason is that of one type is
    taken to be so).
    """
    variants = config["ProductionVariants"]
    alone = [each for each in variants if "InstancePools" not in each]
    types = [each["InstanceType"] for each in alone if "InstanceType" in each]
    if alone and is_struck(*types):
        raise ContainerFailed(NO_CAPACITY)
    kinds = ("ProductionVariants", "ShadowProductionVariants")
    return {
        **config,
        **{
            kind: [_placed(each, is_struck) for each in config[kind]]
            for kind in kinds
            if config.get(kind)
        },
    }


def split_by_type(variant: Resource) -> list[Resource]:
    """The variant as it is on each of its instance types, in order of preference.

    A pool may have a model of its own, ModelNameOverride (API reference, InstancePool).
    """
    if "InstancePools" not in variant or "InstanceType" in variant:
        return [variant]
    return [
        {**variant, "InstanceType": pool["InstanceType"], **_model(pool)}
        for pool in sorted(variant["InstancePools"], key=lambda pool: pool["Priority"])
    ]


def _placed(variant: Resource, is_struck: Callable[..., bool]) -> Resource:
    if "InstancePools" not in variant or "InstanceType" in variant:
        return variant
    for each in split_by_type(variant):
        if not is_struck(each["InstanceType"]):
            return each
    raise ContainerFailed(NO_CAPACITY)


def _model(pool: Resource) -> dict[str, Any]:
    name = pool.get("ModelNameOverride")
    return {} if name is None else {"ModelName": name}

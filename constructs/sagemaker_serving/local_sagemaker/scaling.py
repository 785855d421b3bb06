"""What of SageMaker can be scaled: variants' instances and concurrency, components' copies.

Source: Application Auto Scaling API reference, RegisterScalableTarget and
PredefinedMetricSpecification; SageMaker developer guide, "Automatic scaling" and "Amazon SageMaker
metrics in Amazon CloudWatch". Which statistic a predefined metric has is not
written: sums are of what is counted per minute; of concurrent requests only Min and Max are valid.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from local_aws.context import LocalContext
from local_aws.errors import Failure
from local_aws.scaling import ScalableDimension, TrackedMetric
from sagemaker_serving.local_sagemaker.common.judged import CONFIG, ENDPOINT, POLICY, refuse
from sagemaker_serving.local_sagemaker.common.store import Store
from sagemaker_serving.spec.scaling import COPIES, HELD, INSTANCES, PROVISIONED

_LOOK_SECONDS = 0.2
_NAMESPACE = "AWS/SageMaker"


def dimensions(context: LocalContext, store: Store) -> Mapping[str, ScalableDimension]:
    """SageMaker's scalable dimensions, by name; what they change goes through the gateway."""
    each = (kind(context, store) for kind in (_Instances, _ProvisionedConcurrency, _Copies))
    return {one.dimension: one for one in each}


_FOLLOWED = (
    ("invocations_per_instance", INSTANCES, "InvocationsPerInstance", "Sum", 60),
    ("invocations_per_instance", COPIES, "InvocationsPerCopy", "Sum", 60),
    ("concurrent_requests", INSTANCES, "ConcurrentRequestsPerModel", "Maximum", 10),
    ("concurrent_requests", COPIES, "ConcurrentRequestsPerCopy", "Maximum", 10),
    (
        *("provisioned_concurrency_utilization", PROVISIONED),
        *("ServerlessProvisionedConcurrencyUtilization", "Maximum", 60),
    ),
)
"""The metric of CloudWatch behind each predefined one of `HELD`, with its statistic and period."""


class _Scaled:
    """What is common to all of them."""

    dimension: str

    def __init__(self, context: LocalContext, store: Store) -> None:
        self._context = context
        self._store = store

    def judge(
        self,
        region: str,
        action: str,
        parameters: Mapping[str, Any],
        others: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """Refuse what a rule says is refused of this variant or component."""
        kept = self._store.region(region)
        named = [(POLICY, dict(each)) for each in others]
        with kept.lock:
            endpoint = kept.endpoints.get(_name(parameters["ResourceId"]).partition("/")[0])
            if endpoint is not None:
                config = kept.endpoint_configs.get(endpoint["EndpointConfigName"])
                named += [(ENDPOINT, endpoint), *([(CONFIG, config)] if config else [])]
            refuse(kept, action, parameters, *named)

    def metrics(self, resource_id: str) -> Mapping[str, TrackedMetric]:
        return {
            HELD[field][dimension]: TrackedMetric(
                namespace=_NAMESPACE,
                name=name,
                dimensions=_dimensions(resource_id),
                statistic=statistic,
                period_seconds=seconds,
            )
            for field, dimension, name, statistic, seconds in _FOLLOWED
            if dimension == self.dimension
        }


class _OfVariants(_Scaled):
    """What is common to the two of variants: ``endpoint/<name>/variant/<name>``."""

    def _variant(self, region: str, resource_id: str) -> Any:
        endpoint, variant = _names(resource_id)
        found = self._context.client("sagemaker", region).describe_endpoint(EndpointName=endpoint)
        for each in found.get("ProductionVariants", []):
            if each["VariantName"] == variant:
                return {**each, "FailureReason": found.get("FailureReason")}
        raise Failure(f"endpoint {endpoint} serves no variant '{variant}'")

    def _update(self, region: str, resource_id: str, **change: Any) -> None:
        endpoint, variant = _names(resource_id)
        sagemaker = self._context.client("sagemaker", region)
        sagemaker.update_endpoint_weights_and_capacities(
            EndpointName=endpoint,
            DesiredWeightsAndCapacities=[{"VariantName": variant, **change}],
        )
        while sagemaker.describe_endpoint(EndpointName=endpoint)["EndpointStatus"] == "Updating":
            _pause()


class _Instances(_OfVariants):
    dimension = INSTANCES
    noun = "desired instance count"

    def capacity(self, region: str, resource_id: str) -> int:
        count: int = self._variant(region, resource_id)["DesiredInstanceCount"]
        return count

    def change(self, region: str, resource_id: str, capacity: int) -> None:
        self._update(region, resource_id, DesiredInstanceCount=capacity)
        variant = self._variant(region, resource_id)
        if variant["CurrentInstanceCount"] != capacity:
            raise Failure(str(variant["FailureReason"]))


class _ProvisionedConcurrency(_OfVariants):
    dimension = PROVISIONED
    noun = "desired provisioned concurrency"

    def capacity(self, region: str, resource_id: str) -> int:
        concurrency: int = self._config(region, resource_id).get("ProvisionedConcurrency", 0)
        return concurrency

    def change(self, region: str, resource_id: str, capacity: int) -> None:
        wanted = {
            "MaxConcurrency": self._config(region, resource_id)["MaxConcurrency"],
            "ProvisionedConcurrency": capacity,
        }
        self._update(region, resource_id, ServerlessUpdateConfig=wanted)

    def _config(self, region: str, resource_id: str) -> Mapping[str, Any]:
        variant = self._variant(region, resource_id)
        if "CurrentServerlessConfig" not in variant:
            raise Failure(f"variant '{variant['VariantName']}' is not serverless")
        config: Mapping[str, Any] = variant["CurrentServerlessConfig"]
        return config


class _Copies(_Scaled):
    """Of inference components: ``inference-component/<name>``."""

    dimension = COPIES
    noun = "desired copy count"

    def capacity(self, region: str, resource_id: str) -> int:
        count: int = self._component(region, resource_id)["RuntimeConfig"]["DesiredCopyCount"]
        return count

    def change(self, region: str, resource_id: str, capacity: int) -> None:
        self._context.client("sagemaker", region).update_inference_component_runtime_config(
            InferenceComponentName=_name(resource_id), DesiredRuntimeConfig={"CopyCount": capacity}
        )
        while (found := self._component(region, resource_id))[_STATUS] == "Updating":
            _pause()
        if found["RuntimeConfig"]["CurrentCopyCount"] != capacity:
            raise Failure(found.get("FailureReason", "the copies were changed meanwhile"))

    def _component(self, region: str, resource_id: str) -> Any:
        return self._context.client("sagemaker", region).describe_inference_component(
            InferenceComponentName=_name(resource_id)
        )


_STATUS = "InferenceComponentStatus"


def _pause() -> None:
    threading.Event().wait(_LOOK_SECONDS)


def _name(resource_id: str) -> str:
    return resource_id.partition("/")[2]


def _names(resource_id: str) -> tuple[str, str]:
    _, endpoint, _, variant = resource_id.split("/")
    return endpoint, variant


def _dimensions(resource_id: str) -> Mapping[str, str]:
    if resource_id.startswith("inference-component/"):
        return {"InferenceComponentName": _name(resource_id)}
    endpoint, variant = _names(resource_id)
    return {"EndpointName": endpoint, "VariantName": variant}

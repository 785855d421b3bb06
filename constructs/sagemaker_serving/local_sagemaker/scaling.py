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

_LOOK_SECONDS = 0.2
_NAMESPACE = "AWS/SageMaker"


def dimensions(context: LocalContext, store: Store) -> Mapping[str, ScalableDimension]:
    """SageMaker's scalable dimensions, by name; what they change goes through the gateway."""
    return {
        "sagemaker:variant:DesiredInstanceCount": _Instances(context, store),
        "sagemaker:variant:DesiredProvisionedConcurrency": _ProvisionedConcurrency(context, store),
        "sagemaker:inference-component:DesiredCopyCount": _Copies(context, store),
    }


class _Scaled:
    """What is common to all of them."""

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
    noun = "desired instance count"

    def capacity(self, region: str, resource_id: str) -> int:
        count: int = self._variant(region, resource_id)["DesiredInstanceCount"]
        return count

    def change(self, region: str, resource_id: str, capacity: int) -> None:
        self._update(region, resource_id, DesiredInstanceCount=capacity)
        variant = self._variant(region, resource_id)
        if variant["CurrentInstanceCount"] != capacity:
            raise Failure(str(variant["FailureReason"]))

    def metrics(self, resource_id: str) -> Mapping[str, TrackedMetric]:
        of_variant = _dimensions(resource_id)
        return {
            "SageMakerVariantInvocationsPerInstance": TrackedMetric(
                namespace=_NAMESPACE,
                name="InvocationsPerInstance",
                dimensions=of_variant,
                statistic="Sum",
            ),
            "SageMakerVariantConcurrentRequestsPerModelHighResolution": TrackedMetric(
                namespace=_NAMESPACE,
                name="ConcurrentRequestsPerModel",
                dimensions=of_variant,
                statistic="Maximum",
                period_seconds=10,
            ),
        }


class _ProvisionedConcurrency(_OfVariants):
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

    def metrics(self, resource_id: str) -> Mapping[str, TrackedMetric]:
        return {
            "SageMakerVariantProvisionedConcurrencyUtilization": TrackedMetric(
                namespace=_NAMESPACE,
                name="ServerlessProvisionedConcurrencyUtilization",
                dimensions=_dimensions(resource_id),
                statistic="Maximum",
            )
        }

    def _config(self, region: str, resource_id: str) -> Mapping[str, Any]:
        variant = self._variant(region, resource_id)
        if "CurrentServerlessConfig" not in variant:
            raise Failure(f"variant '{variant['VariantName']}' is not serverless")
        config: Mapping[str, Any] = variant["CurrentServerlessConfig"]
        return config


class _Copies(_Scaled):
    """Of inference components: ``inference-component/<name>``."""

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

    def metrics(self, resource_id: str) -> Mapping[str, TrackedMetric]:
        of_component = {"InferenceComponentName": _name(resource_id)}
        return {
            "SageMakerInferenceComponentInvocationsPerCopy": TrackedMetric(
                namespace=_NAMESPACE,
                name="InvocationsPerCopy",
                dimensions=of_component,
                statistic="Sum",
            ),
            "SageMakerInferenceComponentConcurrentRequestsPerCopyHighResolution": TrackedMetric(
                namespace=_NAMESPACE,
                name="ConcurrentRequestsPerCopy",
                dimensions=of_component,
                statistic="Maximum",
                period_seconds=10,
            ),
        }

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
    endpoint, variant = _names(resource_id)
    return {"EndpointName": endpoint, "VariantName": variant}

"""An inference component: a model that shares an endpoint's instances with others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving import log_groups
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.endpoint.endpoint import (
    AnyEndpoint,
    MovedEndpoint,
    grant_bearer_token,
)
from sagemaker_serving.infra.endpoint.guardrails import Guardrails
from sagemaker_serving.infra.model.model import Model
from sagemaker_serving.infra.model.model_data import ModelData
from sagemaker_serving.infra.roles.container_grants import grant_logs_and_metrics
from sagemaker_serving.infra.scaling.scaling import Scaling
from sagemaker_serving.infra.scaling.values import Scaled, ScalingMetric
from sagemaker_serving.infra.synth.fields import add_extra, add_unknown, properties_of
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import in_lower_case, is_token, stack_of, stands_in
from sagemaker_serving.spec.aws import aws_values
from sagemaker_serving.spec.scaling import COPIES
from sagemaker_serving.spec.variants import ComponentSettings


@dataclass(frozen=True, kw_only=True)
class ComponentSize:
    """What each copy of a component is given of its instance.

    Memory in MB, at least 128; ``number_of_cpu_cores`` at least 0.25;
    ``number_of_accelerator_devices`` (GPUs, Neuron devices) at least 1, None for none.
    """

    min_memory_in_mb: int
    max_memory_in_mb: int | None = None
    number_of_cpu_cores: float | None = None
    number_of_accelerator_devices: int | None = None

    @property
    def fields(self) -> dict[str, Any]:
        """The same as an environment file says it."""
        return {
            "min_memory_required_in_mb": self.min_memory_in_mb,
            "max_memory_required_in_mb": self.max_memory_in_mb,
            "number_of_cpu_cores_required": self.number_of_cpu_cores,
            "number_of_accelerator_devices_required": self.number_of_accelerator_devices,
        }


class InferenceComponent(Construct):
    """Copies of a Model on the instances of an endpoint's variant that has no model of its own.

    Callers name it: InvokeEndpoint with ``InferenceComponentName``. A new
    Model replaces the copies batch by batch, under the same name. The Model's
    role may write the component's log and its metrics: that it is this role,
    and not the endpoint's, is inferred from CreateModel.

    :param component_name: its name, unique in the account and region, at most 63 letters,
        digits and hyphens.
    :param variant_name: the variant whose instances it shares.
    :param size: what each copy is given.
    :param settings: all that an environment file says of a component beside its container, in the
        place of ``size``, ``copy_count`` and the two timeouts.
    :param copy_count: copies that it has, at least 1 at first and 0 or more later; not beside
        `scale_copies`.
    :param model_data_download_timeout_in_seconds: 60 to 3600, or SageMaker's own.
    :param container_startup_health_check_timeout_in_seconds: 60 to 3600, or SageMaker's own.
    :param extra: properties by CloudFormation's own names, laid over these.
    :param guardrails: how copies are replaced by those of a new Model, `Guardrails.rolling`;
        absent, as SageMaker chooses, and no alarm rolls it back.

    Source: botocore CreateInferenceComponent; SageMaker developer guide,
    "Deploy models for real-time inference".
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        component_name: str,
        endpoint: AnyEndpoint,
        variant_name: str,
        model: Model,
        size: ComponentSize | None = None,
        settings: ComponentSettings | None = None,
        copy_count: int = 1,
        model_data_download_timeout_in_seconds: int | None = None,
        container_startup_health_check_timeout_in_seconds: int | None = None,
        guardrails: Guardrails | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        stands_in(self, scope)
        if (size is None) is (settings is None):
            raise Mistake(f"{self.node.path}: give either size or settings")
        if guardrails is not None and guardrails.way != "ROLLING":
            raise Mistake(
                f"{self.node.path}: the guardrails of an inference component are {guardrails.way}; "
                "its copies are replaced batch by batch; use Guardrails.rolling"
            )
        timeouts = {
            "model_data_download_timeout_in_seconds": model_data_download_timeout_in_seconds,
            "container_startup_health_check_timeout_in_seconds": (
                container_startup_health_check_timeout_in_seconds
            ),
        }
        asked = {"copy_count": copy_count, **timeouts}
        asked |= size.fields if size is not None else vars(settings)
        members = {
            "InferenceComponentName": component_name,
            "EndpointName": endpoint.endpoint_name,
            "VariantName": variant_name,
            **aws_values(ComponentSettings, asked),
            **({} if guardrails is None else {"DeploymentConfig": guardrails.members}),
        }
        members["Specification"]["ModelName"] = model.model_name
        if "Specifications" in (extra or {}):  # SageMaker takes one of both
            del members["Specification"]
        self._resource = sagemaker.CfnInferenceComponent(self, "Resource", **properties_of(members))
        add_unknown(self._resource, members)
        add_extra(self._resource, {} if extra is None else extra)
        log_group = log_groups.component_log_group(component_name)
        grant_logs_and_metrics(model.role, log_group, log_groups.INFERENCE_COMPONENTS)
        if guardrails is not None:
            guardrails.grant_watching(self, model.role)
        if isinstance(endpoint, MovedEndpoint):
            endpoint.host(variant_name, model)
        self._endpoint = endpoint
        self._copy_count = asked["copy_count"]
        self.component_name = component_name
        """The component's name."""
        self.model_name = model.model_name
        """The name of the Model that it serves (a token)."""
        self.role = model.role
        """The role that its container acts under."""

    def grant_invoke(
        self, grantee: iam.IGrantable, *, with_bearer_token: bool = False
    ) -> iam.Grant:
        """Lets ``grantee`` call this component, which takes a permission on its endpoint, too.

        ``with_bearer_token`` lets clients of OpenAI's API call it, too. Source: service
        authorization reference, Amazon SageMaker AI, InvokeEndpoint and
        InvokeEndpointWithResponseStream, which know both resources.
        """
        if with_bearer_token:
            grant_bearer_token(grantee)
        return _grant_invoke(grantee, self._endpoint, self.component_arn)

    @property
    def component_arn(self) -> str:
        """Its ARN; a token where a deploy alone knows the name."""
        return self._resource.ref if is_token(self.component_name) else self.plain_arn

    @property
    def plain_arn(self) -> str:
        """The ARN by the name as it was given, which waits for nothing."""
        return _component_arn(self, self.component_name)

    def add_adapter(
        self,
        construct_id: str,
        *,
        adapter_name: str,
        model_data: ModelData,
        extra: Mapping[str, Any] | None = None,
    ) -> ComponentAdapter:
        """An adapter of this component, which loads it into each of its copies."""
        return ComponentAdapter(
            self,
            construct_id,
            base=self,
            endpoint=self._endpoint,
            adapter_name=adapter_name,
            model_data=model_data,
            extra=extra,
        )

    def scale_copies(self, *, min_capacity: int, max_capacity: int) -> Scaling:
        """Bounds for the copies; 0 lets it end up without any, and requests that find none lead out
        of there by themselves.

        The template then names no count, since each update would set it again, whatever scaling
        had made of it. The component starts with one copy, and registering the bounds brings it
        to ``min_capacity`` (botocore, RegisterScalableTarget). Where no count is named, SageMaker
        makes one copy, and UpdateInferenceComponent keeps what there is. Both are unverified, and
        inferred: RuntimeConfig is required by neither botocore nor CloudFormation's schema.

        Raises `Mistake` where ``copy_count`` is not 1.
        """
        if self._copy_count != 1:
            raise Mistake(
                f"{self.node.path}: copy_count is {self._copy_count}, and copies are scaled from "
                f"{min_capacity} to {max_capacity}; every update would set that count again; leave "
                "copy_count out, and give min_capacity the copies to start with"
            )
        self._resource.runtime_config = None
        scaling = Scaling(
            self,
            "Scaling",
            scaled=Scaled(
                resource_id=f"inference-component/{self.component_name}",
                dimension=COPIES,
                dimensions={"InferenceComponentName": self.component_name},
                waking_metric=ScalingMetric(
                    metric_name="NoCapacityInvocationFailures", statistic="Sum"
                ),
            ),
            min_capacity=min_capacity,
            max_capacity=max_capacity,
        )
        scaling.node.add_dependency(self._resource)
        return scaling


class ComponentAdapter(Construct):
    """Weights such as a LoRA's, laid over the model of an `InferenceComponent`, which makes it.

    Callers name it as they name a component. It has no copies: it is loaded into those of its base,
    and their role reads it. That it is this role is inferred. Its base comes first and goes last.

    Source: botocore InferenceComponentSpecification.BaseInferenceComponentName.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        base: InferenceComponent,
        endpoint: AnyEndpoint,
        adapter_name: str,
        model_data: ModelData,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        archive = model_data.bind(self, base.role)
        if archive.is_prefix:
            raise Mistake(
                f"{self.node.path}: the adapter is not packed; an adapter is one .tar.gz; use a "
                "ModelData that packs, or names an archive"
            )
        members = {
            "InferenceComponentName": adapter_name,
            "EndpointName": endpoint.endpoint_name,
            "Specification": {
                "BaseInferenceComponentName": base.component_name,
                "Container": {"ArtifactUrl": archive.url},
            },
        }
        resource = sagemaker.CfnInferenceComponent(self, "Resource", **properties_of(members))
        add_extra(resource, {} if extra is None else extra)
        resource.node.add_dependency(base.node.default_child)
        archive.grant.apply_before(resource)
        self._endpoint = endpoint
        self.component_name = adapter_name
        """The adapter's name."""

    def grant_invoke(
        self, grantee: iam.IGrantable, *, with_bearer_token: bool = False
    ) -> iam.Grant:
        """Lets ``grantee`` call this adapter, as `InferenceComponent.grant_invoke` does."""
        if with_bearer_token:
            grant_bearer_token(grantee)
        return _grant_invoke(grantee, self._endpoint, _component_arn(self, self.component_name))


def _component_arn(scope: Construct, name: str) -> str:
    """SageMaker writes names in ARNs in lower case."""
    return stack_of(scope).format_arn(
        service="sagemaker", resource="inference-component", resource_name=in_lower_case(name)
    )


def _grant_invoke(grantee: iam.IGrantable, endpoint: AnyEndpoint, component_arn: str) -> iam.Grant:
    ways = ["sagemaker:InvokeEndpoint", "sagemaker:InvokeEndpointWithResponseStream"]
    return grant(grantee, ways, endpoint.endpoint_arn, component_arn)

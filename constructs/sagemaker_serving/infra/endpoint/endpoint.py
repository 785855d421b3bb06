"""An endpoint: a stable name that answers, whatever it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving import log_groups
from sagemaker_serving.catalog.names import is_name
from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.endpoint.config import EndpointConfig
from sagemaker_serving.infra.endpoint.guardrails import Guardrails
from sagemaker_serving.infra.roles.container_grants import grant_logs_and_metrics
from sagemaker_serving.infra.scaling.values import Scaled, ScalingMetric, pascal
from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.fields import add_extra, add_unknown, properties_of
from sagemaker_serving.infra.synth.granting import grant
from sagemaker_serving.infra.synth.tokens import in_lower_case, is_token, must_be_written, stack_of
from sagemaker_serving.spec.scaling import INSTANCES, PROVISIONED

if TYPE_CHECKING:
    from aws_cdk import aws_cloudwatch as cloudwatch

    from sagemaker_serving.infra.model.model import Model
    from sagemaker_serving.infra.monitoring.metrics import EndpointMetrics
    from sagemaker_serving.infra.monitoring.monitoring import EndpointMonitoring
    from sagemaker_serving.infra.scaling.scaling import Scaling

_INVOKE_ACTIONS = [
    "sagemaker:InvokeEndpoint",
    "sagemaker:InvokeEndpointAsync",
    "sagemaker:InvokeEndpointWithBidirectionalStream",
    "sagemaker:InvokeEndpointWithResponseStream",
]
"""Source: AWS service authorization reference, Amazon SageMaker AI."""


def grant_bearer_token(grantee: iam.IGrantable) -> iam.Grant:
    """Lets ``grantee`` present bearer tokens, which the OpenAI route takes and nothing else.

    The action knows no resource; what a token may call is bounded by InvokeEndpoint. Source:
    SageMaker developer guide, "Invoke endpoints with OpenAI-compatible APIs", IAM permissions.
    """
    acknowledge_wildcard(
        grantee, "*", "CallWithBearerToken knows no resource; InvokeEndpoint bounds what it calls"
    )
    return grant(grantee, ["sagemaker:CallWithBearerToken"], "*")


NOT_RETAINED = ("DesiredWeight", "DataCaptureConfig")
"""What follows the template where an update keeps the instance counts."""


def keep_instance_counts_of(endpoint: sagemaker.CfnEndpoint) -> None:
    """An update of it keeps the number of instances that each variant has then."""
    endpoint.retain_all_variant_properties = True
    endpoint.exclude_retained_variant_properties = [
        sagemaker.CfnEndpoint.VariantPropertyProperty(variant_property_type=kind)
        for kind in NOT_RETAINED
    ]


class AnyEndpoint(Construct):
    """What can be done with an endpoint, whether it was made here or elsewhere."""

    _plain_name: str

    @property
    def plain_name(self) -> str:
        """The endpoint's name as it was given, which waits for nothing."""
        return self._plain_name

    @property
    def endpoint_name(self) -> str:
        """The endpoint's name (of one made here: a token that holds until it is in service)."""
        return self._plain_name

    @property
    def endpoint_arn(self) -> str:
        """The endpoint's ARN; SageMaker writes names in ARNs in lower case.

        Of a name that only a deploy knows, one made here has its own; any other has to be in lower
        case.
        """
        return self.plain_arn

    @property
    def plain_arn(self) -> str:
        """The ARN by the name as it was given, which waits for nothing."""
        return stack_of(self).format_arn(
            service="sagemaker", resource="endpoint", resource_name=in_lower_case(self._plain_name)
        )

    def grant_invoke(
        self, grantee: iam.IGrantable, *, with_bearer_token: bool = False
    ) -> iam.Grant:
        """Lets ``grantee`` call the endpoint in all four ways that SageMaker offers.

        ``with_bearer_token`` lets clients of OpenAI's API call it, too: `grant_bearer_token`.
        """
        if with_bearer_token:
            grant_bearer_token(grantee)
        return grant(grantee, _INVOKE_ACTIONS, self.endpoint_arn)

    def scale_instances(
        self, variant_name: str, *, min_capacity: int, max_capacity: int
    ) -> Scaling:
        """Bounds for the instances of a variant; policies on what is returned move them between.

        0 is for asynchronous endpoints: their backlog leads out of there by itself. Updates
        then keep the number of instances that scaling set.
        """
        scaled = Scaled(
            resource_id=self._resource_id(variant_name),
            dimension=INSTANCES,
            dimensions={"EndpointName": self._plain_name, "VariantName": variant_name},
            waking_metric=ScalingMetric(
                metric_name="HasBacklogWithoutCapacity",
                dimensions={"EndpointName": self._plain_name},
            ),
        )
        return self._scale(variant_name, scaled, min_capacity, max_capacity)

    def scale_provisioned_concurrency(
        self, variant_name: str, *, min_capacity: int, max_capacity: int
    ) -> Scaling:
        """Bounds for the warm workers of a serverless variant that was given some."""
        scaled = Scaled(
            resource_id=self._resource_id(variant_name),
            dimension=PROVISIONED,
            dimensions={"EndpointName": self._plain_name, "VariantName": variant_name},
        )
        return self._scale(variant_name, scaled, min_capacity, max_capacity)

    def _scale(
        self, variant_name: str, scaled: Scaled, min_capacity: int, max_capacity: int
    ) -> Scaling:
        """Its id has the name's letters and digits; the name itself where another has them, too."""
        from sagemaker_serving.infra.scaling.scaling import Scaling

        must_be_written(self, "variant_name", [variant_name])
        taken = self.node.try_find_child(f"{pascal(variant_name)}Scaling") is not None
        return Scaling(
            self,
            f"{variant_name if taken else pascal(variant_name)}Scaling",
            scaled=scaled,
            min_capacity=min_capacity,
            max_capacity=max_capacity,
        )

    def _resource_id(self, variant_name: str) -> str:
        return f"endpoint/{self.endpoint_name}/variant/{variant_name}"

    def metrics(self, variant_name: str, *, period: cdk.Duration | None = None) -> EndpointMetrics:
        """The metrics of one variant; ``period`` is a minute unless given."""
        from sagemaker_serving.infra.monitoring.metrics import EndpointMetrics

        return EndpointMetrics(
            endpoint_name=self._plain_name, variant_name=variant_name, period=period
        )

    def metric_invocations(self, variant_name: str) -> cloudwatch.Metric:
        """Requests that reached a variant (sum)."""
        return self.metrics(variant_name).invocations()

    def metric_invocation_5xx_errors(self, variant_name: str) -> cloudwatch.Metric:
        """Requests that a variant failed on (sum)."""
        return self.metrics(variant_name).invocation_5xx_errors()

    def metric_model_latency(self, variant_name: str, statistic: str = "p99") -> cloudwatch.Metric:
        """Microseconds that a variant's container took."""
        return self.metrics(variant_name).model_latency(statistic)


class MovedEndpoint(AnyEndpoint):
    """An endpoint that a stack moves from one of its configs to the next.

    What it does beside any other is common to those made here and those that were there.
    """

    def scale_instances(
        self, variant_name: str, *, min_capacity: int, max_capacity: int
    ) -> Scaling:
        """As of any endpoint; updates keep the number of instances that scaling set."""
        self._keep_instance_counts()
        return super().scale_instances(
            variant_name, min_capacity=min_capacity, max_capacity=max_capacity
        )

    _config: EndpointConfig

    def host(self, variant_name: str, model: Model) -> None:
        """As `EndpointConfig.host`."""
        self._config.host(variant_name, model)

    def _serve(
        self,
        config: EndpointConfig,
        guardrails: Guardrails | None,
        monitoring: EndpointMonitoring | None,
    ) -> None:
        """Lets the roles of ``config`` write log and metrics, and look at alarms, once there is
        where they write to."""
        self._config = config
        for group in [] if monitoring is None else monitoring.log_groups:
            self.node.add_dependency(group)

        def serving(role: iam.IRole) -> None:
            log_group = log_groups.endpoint_log_group(self._plain_name)
            grant_logs_and_metrics(role, log_group, log_groups.ENDPOINTS)
            if guardrails is not None:
                guardrails.grant_watching(self, role)

        config.grant_to_roles(serving)

    def _keep_instance_counts(self) -> None:
        raise NotImplementedError


class Endpoint(MovedEndpoint):
    """An endpoint on an `EndpointConfig`, whose roles may write its log and its metrics.

    :param endpoint_name: its stable name, 1 to 63 letters, digits and single
        hyphens; callers know it by this name across every update.
    :param keep_instance_counts: whether an update keeps the number of
        instances that each variant has then, as scaling left it. Weights and
        data capture follow the template all the same. By default counts follow
        the template, until `scale_instances` is called.
    :param guardrails: how it moves to a new config, and what takes that back; absent, all at
        once, and nothing does.
    :param monitoring: its alarms take an update back, too, so far as there is room for them beside
        those of ``guardrails``; its log groups are made before the endpoint is.
    :param keep_replaced: whether the config and the Models that a deploy replaces are kept, and
        those that there are when the stack goes. ``sagemaker-serving rollback`` goes back to them,
        and so does SageMaker, which may take an update back after it seemed to be done. Absent:
        where there are guardrails. Archives are kept by `ModelData`'s ``kept_below``.
    :param extra: properties by CloudFormation's own names, laid over these.

    Raises `Mistake` for a name that SageMaker does not take.
    Source: API reference, UpdateEndpoint.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        endpoint_config: EndpointConfig,
        keep_instance_counts: bool = False,
        guardrails: Guardrails | None = None,
        monitoring: EndpointMonitoring | None = None,
        keep_replaced: bool | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        self._plain_name = endpoint_name_of(self, endpoint_name)
        if guardrails is not None and monitoring is not None:
            guardrails = guardrails.watching_of(monitoring.rollback_alarm_names)
        if keep_replaced if keep_replaced is not None else guardrails is not None:
            endpoint_config.keep_replaced(endpoint_name)
        members = {
            "EndpointName": endpoint_name,
            "EndpointConfigName": endpoint_config.endpoint_config_name,
            **({} if guardrails is None else {"DeploymentConfig": guardrails.members}),
        }
        self._resource = sagemaker.CfnEndpoint(self, "Resource", **properties_of(members))
        add_unknown(self._resource, members)
        extra = extra if extra is not None else {}
        add_extra(self._resource, extra)
        self._serve(endpoint_config, guardrails, monitoring)
        self._update: dict[str, Any] = {
            "DeploymentConfig": members.get("DeploymentConfig"),
            "extra": extra,
        }
        self._told: list[Callable[[str], None]] = []
        if keep_instance_counts:
            self._keep_instance_counts()

    def on_update(self, tell: Callable[[str], None]) -> None:
        """Tells, now and as it changes, what beside its config an update of this endpoint is of."""
        self._told.append(tell)
        self._tell([tell])

    def _tell(self, told: Iterable[Callable[[str], None]]) -> None:
        for tell in told:
            update = {**self._update, "Tags": self._resource.tags.rendered_tags}
            tell(stack_of(self).to_json_string(update))

    def _keep_instance_counts(self) -> None:
        self._update["RetainAllVariantProperties"] = True
        self._tell(self._told)
        keep_instance_counts_of(self._resource)

    @cached_property
    def endpoint_name(self) -> str:
        """The endpoint's name, as a token that holds until it is in service."""
        return str(self._resource.attr_endpoint_name)

    @property
    def endpoint_arn(self) -> str:
        """The endpoint's ARN; a token where a deploy alone knows the name."""
        return self._resource.ref if is_token(self._plain_name) else self.plain_arn

    @staticmethod
    def from_endpoint_name(scope: Construct, construct_id: str, endpoint_name: str) -> AnyEndpoint:
        """An endpoint of the stack's account and region that something else made."""
        return _NamedEndpoint(scope, construct_id, endpoint_name)


class _NamedEndpoint(AnyEndpoint):
    def __init__(self, scope: Construct, construct_id: str, endpoint_name: str) -> None:
        super().__init__(scope, construct_id)
        self._plain_name = endpoint_name_of(self, endpoint_name)


def endpoint_name_of(endpoint: AnyEndpoint, name: str) -> str:
    """``name``, which SageMaker takes; raises `Mistake` for another."""
    if is_token(name) or is_name(name):
        return name
    raise Mistake(
        f"{endpoint.node.path}: endpoint_name is {name!r}; names are 1 to 63 letters, digits and "
        "hyphens, and begin and end with a letter or digit"
    )

"""An endpoint: a stable name that answers, whatever it runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.errors import Mistake
from sagemaker_serving.infra.endpoint_config import EndpointConfig
from sagemaker_serving.infra.tokens import is_token

if TYPE_CHECKING:
    from aws_cdk import aws_cloudwatch as cloudwatch

    from sagemaker_serving.infra.endpoint_metrics import EndpointMetrics

_INVOKE_ACTIONS = [
    "sagemaker:InvokeEndpoint",
    "sagemaker:InvokeEndpointAsync",
    "sagemaker:InvokeEndpointWithBidirectionalStream",
    "sagemaker:InvokeEndpointWithResponseStream",
]
"""Source: AWS service authorization reference, Amazon SageMaker AI; read 2026-11-21."""


class AnyEndpoint(Construct):
    """What can be done with an endpoint, whether it was made here or elsewhere."""

    endpoint_name: str
    """The endpoint's name (of one made here: a token that holds until it is in service)."""
    _plain_name: str

    @property
    def endpoint_arn(self) -> str:
        """The endpoint's ARN; SageMaker writes names in ARNs in lower case."""
        return cdk.Stack.of(self).format_arn(
            service="sagemaker", resource="endpoint", resource_name=self._plain_name.lower()
        )

    def grant_invoke(self, grantee: iam.IGrantable) -> iam.Grant:
        """Lets ``grantee`` call the endpoint in all four ways that SageMaker offers."""
        return iam.Grant.add_to_principal(
            grantee=grantee, actions=_INVOKE_ACTIONS, resource_arns=[self.endpoint_arn]
        )

    def metrics(self, variant_name: str, *, period: cdk.Duration | None = None) -> EndpointMetrics:
        """The metrics of one variant; ``period`` is a minute unless given."""
        from sagemaker_serving.infra.endpoint_metrics import EndpointMetrics

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


class Endpoint(AnyEndpoint):
    """A real-time endpoint on an `EndpointConfig`.

    :param endpoint_name: its stable name, 1 to 63 letters, digits and single
        hyphens; callers know it by this name across every update.
    :param keep_instance_counts: whether an update keeps the number of
        instances that each variant has then, as scaling left it. Weights and
        data capture follow the template all the same. By default counts follow
        the template too.

    Raises `Mistake` for a name that SageMaker does not take.
    Source: API reference, UpdateEndpoint; read 2026-11-21.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        endpoint_config: EndpointConfig,
        keep_instance_counts: bool = False,
    ) -> None:
        super().__init__(scope, construct_id)
        self._plain_name = _name_of(self, endpoint_name)
        resource = sagemaker.CfnEndpoint(
            self,
            "Resource",
            endpoint_name=endpoint_name,
            endpoint_config_name=endpoint_config.endpoint_config_name,
            **(_keeping_counts() if keep_instance_counts else {}),
        )
        self.endpoint_name = resource.attr_endpoint_name

    @staticmethod
    def from_endpoint_name(scope: Construct, construct_id: str, endpoint_name: str) -> AnyEndpoint:
        """An endpoint of the stack's account and region that something else made."""
        return _ExistingEndpoint(scope, construct_id, endpoint_name)


class _ExistingEndpoint(AnyEndpoint):
    def __init__(self, scope: Construct, construct_id: str, endpoint_name: str) -> None:
        super().__init__(scope, construct_id)
        self._plain_name = _name_of(self, endpoint_name)
        self.endpoint_name = endpoint_name


def _keeping_counts() -> dict[str, Any]:
    return {
        "retain_all_variant_properties": True,
        "exclude_retained_variant_properties": [
            sagemaker.CfnEndpoint.VariantPropertyProperty(variant_property_type=kind)
            for kind in ("DesiredWeight", "DataCaptureConfig")
        ],
    }


def _name_of(endpoint: AnyEndpoint, name: str) -> str:
    if is_token(name) or re.fullmatch(r"(?=.{1,63}$)[a-zA-Z0-9](-*[a-zA-Z0-9])*", name):
        return name
    raise Mistake(
        f"{endpoint.node.path}: endpoint_name is {name!r}; names are 1 to 63 letters, digits and "
        "hyphens, and begin and end with a letter or digit"
    )

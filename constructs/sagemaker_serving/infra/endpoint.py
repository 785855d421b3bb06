"""An endpoint: a stable name that answers, whatever it runs."""

from __future__ import annotations

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sagemaker as sagemaker
from constructs import Construct

from sagemaker_serving.infra.endpoint_config import EndpointConfig

_INVOKE_ACTIONS = [
    "sagemaker:InvokeEndpoint",
    "sagemaker:InvokeEndpointAsync",
    "sagemaker:InvokeEndpointWithBidirectionalStream",
    "sagemaker:InvokeEndpointWithResponseStream",
]
"""Source: AWS service authorization reference, Amazon SageMaker AI; read 2026-11-21."""


class Endpoint(Construct):
    """A real-time endpoint on an `EndpointConfig`.

    :param endpoint_name: its stable name, 1 to 63 letters, digits and single
        hyphens; callers know it by this name across every update.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        endpoint_name: str,
        endpoint_config: EndpointConfig,
    ) -> None:
        super().__init__(scope, construct_id)
        resource = sagemaker.CfnEndpoint(
            self,
            "Resource",
            endpoint_name=endpoint_name,
            endpoint_config_name=endpoint_config.endpoint_config_name,
        )
        self.endpoint_name = resource.attr_endpoint_name
        """The endpoint's name (a token that holds until it is in service)."""
        self.endpoint_arn = cdk.Stack.of(self).format_arn(
            service="sagemaker", resource="endpoint", resource_name=endpoint_name.lower()
        )
        """The endpoint's ARN; SageMaker writes names in ARNs in lower case."""

    def grant_invoke(self, grantee: iam.IGrantable) -> iam.Grant:
        """Lets ``grantee`` call the endpoint in all four ways that SageMaker offers."""
        return iam.Grant.add_to_principal(
            grantee=grantee, actions=_INVOKE_ACTIONS, resource_arns=[self.endpoint_arn]
        )

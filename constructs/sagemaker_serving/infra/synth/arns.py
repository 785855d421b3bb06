"""ARNs that services write with a colon before the name, where most have a slash."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import IConstruct

from sagemaker_serving.infra.synth.tokens import stack_of


def colon_arn(scope: IConstruct, service: str, resource: str, name: str) -> str:
    """``arn:…:<resource>:<name>`` in partition, region and account of the stack of ``scope``."""
    return stack_of(scope).format_arn(
        service=service,
        resource=resource,
        resource_name=name,
        arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
    )

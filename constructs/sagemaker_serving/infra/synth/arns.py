"""ARNs that services write with a colon before the name, where most have a slash."""

from __future__ import annotations

from constructs import IConstruct

from sagemaker_serving.infra.synth.tokens import region_of, remembered, stack_of


def colon_arn(scope: IConstruct, service: str, resource: str, name: str) -> str:
    """``arn:…:<resource>:<name>`` in partition, region and account of the stack of ``scope``."""
    stack = stack_of(scope)
    partition = remembered(stack, "partition", lambda: stack.partition)
    account = remembered(stack, "account", lambda: stack.account)
    return f"arn:{partition}:{service}:{region_of(stack)}:{account}:{resource}:{name}"

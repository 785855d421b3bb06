"""Variants that Application Auto Scaling scales: an update may neither change nor remove them."""

from __future__ import annotations

from collections.abc import Mapping

from local_aws.context import LocalContext
from local_aws.permissions.identities import Developer
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from sagemaker_serving.catalog.instances import variant_types
from sagemaker_serving.local_sagemaker.common.store import Resource


def refuse_registered_variants(
    serving: Mapping[str, str | None], config: Resource, registered: set[str]
) -> None:
    """Raise `AwsError` for a scalable target that the config lacks, or has on another type.

    ``serving`` is the instance type of each variant that serves. (Developer guide, "Update
    endpoints that use auto scaling", tells the rule for instance types. That it
    holds for variants that go, and the words, are documented nowhere and unverified.)
    """
    new: dict[str, list[str | None]] = {
        each["VariantName"]: [*variant_types(each)] or [None]
        for each in config["ProductionVariants"]
    }
    refused = [
        name
        for name, instance_type in serving.items()
        if name in registered and (name not in new or instance_type not in new[name])
    ]
    if refused:
        raise AwsError(
            "ValidationException",
            f'The variant(s) "[{", ".join(refused)}]" must be deregistered as scalable target with '
            "AWS Auto Scaling before they can be removed or have their instance type updated.",
        )


def registered_variants(context: LocalContext, region: str, endpoint: str) -> set[str]:
    """The variants of an endpoint that are scalable targets now, asked of Application Auto Scaling
    through the gateway."""
    return {
        target["ResourceId"].rpartition("/")[2] for target in _targets(context, region, endpoint)
    }


def refuse_who_may_not_deregister(context: LocalContext, call: Call) -> None:
    """Raise `AwsError` for a DeleteEndpoint whose caller may not take a variant's target away.

    In SageMaker's words (awslabs/stable-diffusion-aws-extension#161); the developer guide, "Delete
    endpoints configured for auto scaling", says that the endpoint stays.
    """
    if call.caller is None or isinstance(call.caller, Developer):
        return
    for target in _targets(context, call.region, call.parameters["EndpointName"]):
        arn = target["ScalableTargetARN"]
        if not context.evaluator.allows(call.caller, f"application-autoscaling:{_DEREGISTER}", arn):
            raise AwsError(
                "ValidationException",
                "An Application AutoScaling scalable target exists for a variant being deleted, "
                "and the IAM identity used to invoke DeleteEndpoint does not have "
                f"application-autoscaling:{_DEREGISTER} permission to deregister the scalable "
                "target.",
            )


_DEREGISTER = "DeregisterScalableTarget"


def deregister(context: LocalContext, region: str, endpoint: str) -> None:
    """Take the scalable targets of an endpoint's variants away, as DeleteEndpoint does."""
    scaling = context.client("application-autoscaling", region)
    for target in _targets(context, region, endpoint):
        scaling.deregister_scalable_target(
            **{
                name: target[name]
                for name in ("ServiceNamespace", "ResourceId", "ScalableDimension")
            }
        )


def _targets(context: LocalContext, region: str, endpoint: str) -> list[Mapping[str, str]]:
    pages = (
        context.client("application-autoscaling", region)
        .get_paginator("describe_scalable_targets")
        .paginate(ServiceNamespace="sagemaker")
    )
    prefix = f"endpoint/{endpoint}/variant/"
    targets = [target for page in pages for target in page["ScalableTargets"]]
    return [target for target in targets if target["ResourceId"].startswith(prefix)]

"""Application Auto Scaling's targets and policies of endpoints as facts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sagemaker_serving.rules.facts import ABSENT, Fact, Token
from sagemaker_serving.rules.resource_facts import ScalingFacts
from sagemaker_serving.rules.template.intrinsics import MARK, text_with_marks
from sagemaker_serving.rules.template.resources import Resource, Resources
from sagemaker_serving.rules.template.serving import config_facts

_TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
_POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
_ENDPOINT = "AWS::SageMaker::Endpoint"
_CONFIG = "AWS::SageMaker::EndpointConfig"
_RESOURCE = re.compile(rf"endpoint/{MARK}?([^/{MARK}]*){MARK}?/variant/([^/{MARK}]*)")


def scaling_facts(resources: Resources) -> Iterator[ScalingFacts]:
    """One fact for each scalable target of SageMaker's, and for each policy on one."""
    targets = {
        target.logical_id: target
        for target in resources.of(_TARGET)
        if (target.properties.get("ScalableDimension").text or "").startswith("sagemaker:")
    }
    for target in targets.values():
        yield _target(target, resources)
    for policy in resources.of(_POLICY):
        reference = policy.properties.get("ScalingTargetId").value
        if isinstance(reference, Token) and reference.target in targets:
            yield _policy(policy, resources)


def _target(target: Resource, resources: Resources) -> ScalingFacts:
    numbers = resources.numbered(target.properties)
    instance_type, asynchronous = _variant(target, resources)
    return ScalingFacts(
        where=target.properties.where,
        minimum=numbers.get("MinCapacity"),
        maximum=numbers.get("MaxCapacity"),
        resource_id=target.properties.get("ResourceId"),
        dimension=target.properties.get("ScalableDimension"),
        instance_type=instance_type,
        asynchronous=asynchronous,
    )


def _policy(policy: Resource, resources: Resources) -> ScalingFacts:
    tracking = resources.numbered(policy.properties).get("TargetTrackingScalingPolicyConfiguration")
    return ScalingFacts(
        where=policy.properties.where,
        minimum=ABSENT,
        maximum=ABSENT,
        resource_id=ABSENT,
        dimension=ABSENT,
        target=tracking.get("TargetValue"),
        scale_in_cooldown=tracking.get("ScaleInCooldown"),
        scale_out_cooldown=tracking.get("ScaleOutCooldown"),
    )


def _variant(target: Resource, resources: Resources) -> tuple[Fact, bool]:
    """The type of the variant that a target scales, and whether its endpoint is asynchronous.

    An endpoint that this template does not hold may be asynchronous.
    """
    raw = target.raw.get("ResourceId") if isinstance(target.raw, dict) else None
    text = text_with_marks(raw, resources.region.text)
    found = _RESOURCE.fullmatch(text if text is not None else "")
    if found is None:
        return ABSENT, True
    named = Fact(found[1], target.properties.where)
    referred = Fact(Token(found[1]), target.properties.where)
    endpoint = resources.referred(referred, _ENDPOINT, "EndpointName")
    if endpoint is None:
        endpoint = resources.referred(named, _ENDPOINT, "EndpointName")
    config = endpoint and resources.referred(
        endpoint.properties.get("EndpointConfigName"), _CONFIG, "EndpointConfigName"
    )
    if not config:
        return ABSENT, True
    facts = config_facts(config.properties, resources)
    for variant in facts.variants:
        if variant.name.text == found[2]:
            return variant.instance_type, facts.asynchronous.given
    return ABSENT, facts.asynchronous.given

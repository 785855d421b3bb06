"""Application Auto Scaling's targets and policies of endpoints as facts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from local_aws.schedules import EVENTS, SCALING
from local_aws.template import Unknown
from sagemaker_serving.catalog.endpoint_metrics import OF_WAITING
from sagemaker_serving.rules.facts import ABSENT, EndpointConfigFacts, Fact
from sagemaker_serving.rules.facts.kinds import (
    EventScheduleFacts,
    MetricFacts,
    ScalingStepsFacts,
    ScheduleFacts,
    SchedulesFacts,
)
from sagemaker_serving.rules.facts.resources import ScalingFacts
from sagemaker_serving.rules.scaling.targets import keeps_one
from sagemaker_serving.rules.template.marks import MARK, text_with_marks
from sagemaker_serving.rules.template.resources import ALARM, TARGET, Resource, Resources
from sagemaker_serving.rules.template.serving import config_facts, used_config
from sagemaker_serving.spec.members import ENDPOINT
from sagemaker_serving.spec.scaling import INSTANCES

POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"
SCHEDULED = "AWS::ApplicationAutoScaling::ScheduledAction"
"""What PutScheduledAction makes: Terraform's, or a call's. A template has it in its target."""
_DIMENSION, _BOUNDS = "ScalableDimension", "ScalableTargetAction"
_RESOURCE = re.compile(rf"endpoint/{MARK}?([^/{MARK}]*){MARK}?/variant/([^/{MARK}]*)")


def target_facts(target: Resource, resources: Resources) -> Iterator[object]:
    """A scalable target of SageMaker's, and its schedules."""
    if _is_of_sagemaker(target):
        facts = _target(target, resources)
        yield facts
        yield _schedules(target, facts, resources)


def policy_facts(policy: Resource, resources: Resources) -> Iterator[object]:
    """A policy on a scalable target of SageMaker's, which the template has or the policy names."""
    target = resources.referred(policy.properties.get("ScalingTargetId"), TARGET, "")
    target = target or _target_of(policy, resources) or policy
    if _is_of_sagemaker(target):
        yield _policy(policy, target, resources)
        stepping = resources.numbered(policy.properties).get("StepScalingPolicyConfiguration")
        if stepping.given:
            yield ScalingStepsFacts(members=stepping, unused=_is_unused(policy, resources))
        yield _metric(policy, target, resources)


def scheduled_facts(action: Resource, resources: Resources) -> Iterator[object]:
    """What PutScheduledAction is told. A target beside it tells it with its own, but not a call's,
    which is no resource."""
    told = bool(action.logical_id) and _target_of(action, resources) is not None
    if not told and _is_of_sagemaker(action):
        unknown = Fact(Unknown(), action.properties.where)
        yield SchedulesFacts(
            minimum=unknown,
            maximum=unknown,
            keeps_one=keeps_one(action.properties.get("ScalableDimension"), asynchronous=None),
            each=(ScheduleFacts(resources.numbered_in(action.properties, _BOUNDS)),),
        )


def _target_of(resource: Resource, resources: Resources) -> Resource | None:
    """The scalable target that a policy or a scheduled action names by what it scales."""
    named, dimension = (resource.properties.get(name) for name in ("ResourceId", _DIMENSION))
    target = resources.referred(named, TARGET) if named.given else None
    known = target is not None and target.properties.get(_DIMENSION).text == dimension.text
    return target if known else None


def _is_of_sagemaker(target: Resource) -> bool:
    return (target.properties.get("ScalableDimension").text or "").startswith("sagemaker:")


def _target(target: Resource, resources: Resources) -> ScalingFacts:
    numbers = resources.numbered(target.properties)
    variant, endpoint, config = _variant(target, resources)
    variants = config.variants if config is not None else ()
    types = (one.instance_type for one in variants if one.name.text == variant)
    return ScalingFacts(
        where=target.properties.where,
        retained=None if endpoint is None else _retained(endpoint),
        endpoint="" if endpoint is None else endpoint.logical_id,
        minimum=numbers.get("MinCapacity"),
        maximum=numbers.get("MaxCapacity"),
        resource_id=target.properties.get("ResourceId"),
        namespace=target.properties.get("ServiceNamespace"),
        dimension=target.properties.get("ScalableDimension"),
        instance_type=next(types, ABSENT),
        asynchronous=config.asynchronous.given if config is not None else None,
        variant=variant,
        config=config,
        above=_same_above(target, resources),
        wakes=_wakes(resources),
    )


def _same_above(target: Resource, resources: Resources) -> str:
    """The target above of the same dimension of the same resource; a call may change it."""
    for other in resources.above(target, "ResourceId") if target.logical_id else ():
        if other.properties.get(_DIMENSION).text == target.properties.get(_DIMENSION).text:
            return other.logical_id
    return ""


def _wakes(resources: Resources) -> bool:
    """Whether an alarm of the template may watch for what waits without an instance."""
    alarms = (one.properties for one in resources.of_types(ALARM))
    watched = ((one, *one.get("Metrics").items()) for one in alarms)
    names = [
        place.get("MetricName")
        for each in watched
        for one in each
        for place in (one, one.get("MetricStat").get("Metric"))
    ]
    return any(one.text in OF_WAITING if one.text else one.given for one in names)


def _schedules(target: Resource, facts: ScalingFacts, resources: Resources) -> SchedulesFacts:
    written = list(target.properties.get("ScheduledActions").items())
    for action in resources.of_types(SCHEDULED):
        of = _target_of(action, resources)
        if of is not None and of.logical_id == target.logical_id:
            written.append(action.properties)
    return SchedulesFacts(
        minimum=facts.minimum,
        maximum=facts.maximum,
        keeps_one=keeps_one(facts.dimension, asynchronous=facts.asynchronous),
        each=tuple(ScheduleFacts(resources.numbered_in(one, _BOUNDS)) for one in written),
    )


def _metric(policy: Resource, target: Resource, resources: Resources) -> MetricFacts:
    tracking = resources.numbered(policy.properties).get("TargetTrackingScalingPolicyConfiguration")
    _, _, config = _variant(target, resources)
    metric = tracking.get("CustomizedMetricSpecification")
    return MetricFacts(
        where=metric.where,
        name=metric.get("MetricName"),
        namespace=metric.get("Namespace"),
        dimensions=tuple(
            (each.get("Name"), each.get("Value")) for each in metric.get("Dimensions").items()
        ),
        statistic=metric.get("Statistic"),
        bound=tracking.get("TargetValue"),
        config=config,
    )


def _policy(policy: Resource, target: Resource, resources: Resources) -> ScalingFacts:
    tracking = resources.numbered(policy.properties).get("TargetTrackingScalingPolicyConfiguration")
    predefined = tracking.get("PredefinedMetricSpecification").get("PredefinedMetricType")
    customized = tracking.get("CustomizedMetricSpecification").get("MetricName")
    _, _, config = _variant(target, resources)
    return ScalingFacts(
        where=policy.properties.where,
        dimension=target.properties.get("ScalableDimension"),
        target=tracking.get("TargetValue"),
        metric=predefined if predefined.given else customized,
        scale_in_cooldown=tracking.get("ScaleInCooldown"),
        scale_out_cooldown=tracking.get("ScaleOutCooldown"),
        asynchronous=config.asynchronous.given if config is not None else None,
        doubled=predefined.text is not None and _is_doubled(policy, predefined.text, resources),
        unregistered=_unregistered(policy, resources),
    )


def _unregistered(policy: Resource, resources: Resources) -> str:
    """The endpoint of the template that a policy is for, where no target there may be of it."""
    variant, endpoint = _scaled(policy, resources)
    if endpoint is None or policy.properties.get("ScalingTargetId").given:
        return ""
    for target in resources.of_types(TARGET):
        name, scaled = _scaled(target, resources)
        if scaled is None or name is None:
            return ""
        if name == variant and scaled.logical_id == endpoint.logical_id:
            return ""
    return endpoint.logical_id


def _is_doubled(policy: Resource, metric: str, resources: Resources) -> bool:
    """Whether a policy above tracks the same metric of the same target."""
    by_id = policy.properties.get("ScalingTargetId").given
    for other in resources.above(policy, "ScalingTargetId" if by_id else "ResourceId"):
        tracking = other.properties.get("TargetTrackingScalingPolicyConfiguration")
        predefined = tracking.get("PredefinedMetricSpecification").get("PredefinedMetricType")
        if predefined.text == metric:
            return True
    return False


def _is_unused(policy: Resource, resources: Resources) -> bool:
    """Whether nothing of the template, its outputs included, may set a policy off."""
    document = resources.template.document
    if document is None or policy.logical_id not in resources:
        return False
    used = any(resources.waits(other, policy.logical_id) for other in resources)
    return not used and policy.logical_id not in repr(document.get("Outputs"))


def _variant(
    target: Resource, resources: Resources
) -> tuple[str | None, Resource | None, EndpointConfigFacts | None]:
    """The name of the variant that a target scales, its endpoint, and that one's config.

    Of an endpoint that this template does not hold, there is none.
    """
    name, endpoint = _scaled(target, resources)
    return name, endpoint, config_of(endpoint, resources)


def _scaled(target: Resource, resources: Resources) -> tuple[str | None, Resource | None]:
    """The name of the variant that a target scales, and its endpoint."""
    text = text_with_marks(target.properties.get("ResourceId").value)
    found = _RESOURCE.fullmatch(text if text is not None else "")
    if found is None:
        return None, None
    named = Fact(found[1], target.properties.where)
    referred = Fact(Unknown(found[1]), target.properties.where)
    endpoint = resources.referred(referred, ENDPOINT)
    if endpoint is None:
        endpoint = resources.referred(named, ENDPOINT)
    return found[2], endpoint


def scaled_variants(endpoint: Resource, resources: Resources) -> Iterator[str]:
    """The names of the variants of ``endpoint`` whose instances scale."""
    for target in resources.of_types(TARGET):
        name, scaled = _scaled(target, resources)
        by_instances = target.properties.get("ScalableDimension").text == INSTANCES
        of_this = scaled is not None and scaled.logical_id == endpoint.logical_id
        if name and by_instances and of_this:
            yield name


def config_of(endpoint: Resource | None, resources: Resources) -> EndpointConfigFacts | None:
    """What an endpoint runs, where this template tells it."""
    config = used_config(endpoint, resources)
    return config_facts(config.properties, resources) if config is not None else None


def _retained(endpoint: Resource) -> bool | None:
    """Whether an update keeps the number of instances; None where that is not told."""
    retains = endpoint.properties.get("RetainAllVariantProperties")
    if retains.unknown:
        return None
    excluded = endpoint.properties.get("ExcludeRetainedVariantProperties").items()
    kinds = [one.get("VariantPropertyType").text for one in excluded]
    return retains.flag is True and "DesiredInstanceCount" not in kinds


def event_schedules(resource: Resource) -> Iterator[EventScheduleFacts]:
    """The schedule of a rule of EventBridge's, or of its Scheduler."""
    if resource.type == "AWS::Events::Rule":
        yield EventScheduleFacts(
            schedule=resource.properties.get("ScheduleExpression"), kinds=EVENTS, zone=ABSENT
        )
    elif resource.type == "AWS::Scheduler::Schedule":
        yield EventScheduleFacts(
            schedule=resource.properties.get("ScheduleExpression"),
            kinds=SCALING,
            zone=resource.properties.get("ScheduleExpressionTimezone"),
        )

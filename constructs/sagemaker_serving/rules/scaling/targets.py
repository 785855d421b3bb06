"""Rules on autoscaling: bounds, cooldowns, and variants that can't scale."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.engine.numbers import at_least, not_below
from sagemaker_serving.rules.facts import Fact, VariantFacts
from sagemaker_serving.rules.facts.resources import ScalingFacts
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.spec.scaling import COPIES, INSTANCES, PROVISIONED

_GUIDE = "AWS SageMaker developer guide, automatic scaling"
_ZERO = "AWS SageMaker developer guide, scale an endpoint to zero instances"
_FORMS = {
    INSTANCES: "endpoint/<endpoint>/variant/<variant>",
    PROVISIONED: "endpoint/<endpoint>/variant/<variant>",
    COPIES: "inference-component/<component>",
}
"""How each dimension's resource is named."""


@rule(source=_GUIDE, example="MinCapacity: 4, MaxCapacity: 2")
def scaling_bounds(scaling: ScalingFacts) -> Iterator[Finding]:
    """`min` is 0 or more, and `max` at least 1 and at least `min`.

    Registering the target is refused otherwise, after the endpoint was made.
    """
    if not keeps_one(scaling.dimension, asynchronous=scaling.asynchronous):
        yield from at_least(scaling.minimum, 0)
    yield from at_least(scaling.maximum, 1)
    yield from not_below(scaling.maximum, scaling.minimum)


@rule(
    refused=True,
    source="botocore application-autoscaling RegisterScalableTarget",
    example="ServiceNamespace: ecs, ScalableDimension: sagemaker:variant:DesiredInstanceCount",
)
def scaling_namespace(scaling: ScalingFacts) -> Iterator[Finding]:
    """A target's dimension is one of its own service namespace.

    A dimension begins with its namespace. RegisterScalableTarget refuses another.
    """
    dimension, namespace = scaling.dimension.text, scaling.namespace.text
    known = dimension is not None and namespace is not None
    if known and str(dimension).partition(":")[0] != namespace:
        yield scaling.namespace.finding(
            f"ServiceNamespace is {namespace!r}, and ScalableDimension is {dimension!r}; both must "
            "name the same service"
        )


@rule(source=_ZERO, example="MinCapacity: 0   # of a real-time variant")
def scaling_zero(scaling: ScalingFacts) -> Iterator[Finding]:
    """A variant's instances scale to zero only behind an asynchronous endpoint.

    Without instances nothing answers a request; asynchronous requests wait in S3. A real-time
    endpoint gets to zero with inference components and managed instance scaling.
    """
    if not keeps_one(scaling.dimension, asynchronous=scaling.asynchronous):
        return
    if scaling.minimum.number is not None and scaling.minimum.number < 1:
        yield scaling.minimum.says(
            f"is {scaling.minimum.value}; a real-time variant keeps at least 1 instance; use 1, or "
            "an asynchronous endpoint"
        )


@warning(source=_ZERO, example="MinCapacity: 0   # of an inference component, without an alarm")
def scaling_wakes(scaling: ScalingFacts) -> Iterator[Finding]:
    """An alarm starts a copy of a component that was scaled to zero.

    Its requests are refused then, and a policy that tracks a metric of its copies has no data. A
    policy of steps, on an alarm on NoCapacityInvocationFailures, starts the first one.
    """
    if scaling.dimension.text == COPIES and scaling.minimum.number == 0 and not scaling.wakes:
        yield scaling.minimum.says(
            "is 0, and no alarm is on NoCapacityInvocationFailures, so nothing starts a copy "
            "again; add one whose action is a policy of type StepScaling"
        )


@note(
    source="AWS SageMaker developer guide, autoscale an asynchronous endpoint",
    example="MinCapacity: 0   # of an asynchronous endpoint, without an alarm",
)
def scaling_wakes_late(scaling: ScalingFacts) -> Iterator[Finding]:
    """An asynchronous endpoint without instances starts one for its first request.

    A policy that tracks the backlog does so once more wait than its target. Fewer wait until their
    time is over.
    """
    of_instances = scaling.dimension.text == INSTANCES and scaling.asynchronous
    if of_instances and scaling.minimum.number == 0 and not scaling.wakes:
        yield scaling.minimum.says(
            "is 0, and no alarm is on HasBacklogWithoutCapacity, so that requests wait until there "
            "are more than the tracking policy's target; add one whose action is a policy of type "
            "StepScaling"
        )


@rule(refused=True, source=_GUIDE, example="a scalable target on ml.t2.medium")
def scaling_burstable(scaling: ScalingFacts) -> Iterator[Finding]:
    """A scaled variant is not on a burstable type.

    AWS refuses to register the target, because such types already adapt by their credits.
    """
    kind = known(scaling.instance_type)
    if kind is not None and kind.burstable:
        yield scaling.finding(
            f"the variant runs on {kind.name}; burstable types can't be scaled; use ml.c5 or ml.m5 "
            "of a like size"
        )


@rule(source=_GUIDE, example="ScaleInCooldown: -1")
def scaling_cooldown(scaling: ScalingFacts) -> Iterator[Finding]:
    """Cooldowns are 0 seconds or more.

    The default is 300 seconds.
    """
    yield from at_least(scaling.scale_in_cooldown, 0)
    yield from at_least(scaling.scale_out_cooldown, 0)


@rule(source=_GUIDE, example="TargetValue: 0")
def scaling_target(scaling: ScalingFacts) -> Iterator[Finding]:
    """The value that a metric is held at is over 0.

    A metric is divided by it to find how many instances are wanted.
    """
    value = scaling.target.number
    if value is not None and value <= 0:
        yield scaling.target.says(
            f"is {scaling.target.value}; it must be over 0; use the load that one instance carries"
        )


@rule(
    refused=True,
    source=_GUIDE,
    example="ResourceId: my-endpoint/AllTraffic",
    silent={"environment files": "scaling-named says it"},
)
def scaling_resource(scaling: ScalingFacts) -> Iterator[Finding]:
    """A scalable target names a variant that its endpoint has: ``endpoint/<name>/variant/<name>``.

    An inference component is ``inference-component/<name>``. RegisterScalableTarget refuses what it
    cannot find, after the endpoint was made.
    """
    name, form = scaling.resource_id, _FORMS.get(scaling.dimension.text or "")
    if name.pieces and form is not None and not _has_form(name, form):
        of = "a component" if form.startswith("inference") else "a variant"
        yield name.says(f"is {name.shown!r}; {of}'s is {form}; write it so")
    names = scaling.config.names if scaling.config is not None else None
    if names is not None and scaling.variant not in names:
        yield name.says(
            f"names the variant {scaling.variant!r}; the endpoint's variants are "
            f"{', '.join(names)}; name one of them"
        )


def _has_form(name: Fact, form: str) -> bool:
    """Whether a name can be of the form; what is not known of it may have more parts in it."""
    parts, wanted = name.shown.split("/"), form.split("/")
    if name.text is None and len(parts) < len(wanted):
        return True
    return len(parts) == len(wanted) and all(
        part == want or want.startswith("<") or "…" in part
        for part, want in zip(parts, wanted, strict=True)
    )


@rule(
    refused=True,
    source="AWS SageMaker developer guide, serverless-endpoints-autoscale",
    example="ScalableDimension: sagemaker:variant:DesiredInstanceCount   # of a serverless variant",
)
def scaling_dimension(scaling: ScalingFacts) -> Iterator[Finding]:
    """Instances scale by their number, a serverless variant by its provisioned concurrency.

    RegisterScalableTarget refuses the other dimension.
    """
    variants = scaling.config.variants if scaling.config is not None else ()
    for variant in variants:
        wanted = PROVISIONED if variant.is_serverless else INSTANCES
        given = scaling.dimension.text
        if variant.name.text == scaling.variant and given in _FORMS and given != wanted:
            what = "serverless" if variant.is_serverless else "on instances"
            yield scaling.dimension.says(f"is {given}, and the variant is {what}; use {wanted}")


@warning(
    source="aws/aws-cdk issue 23151; botocore UpdateEndpoint.RetainAllVariantProperties",
    example="a ScalableTarget, and an Endpoint without RetainAllVariantProperties",
)
def scaling_retained(scaling: ScalingFacts) -> Iterator[Finding]:
    """An endpoint whose instances scale keeps their number when it is updated.

    Otherwise each update puts a variant back to its InitialInstanceCount, under full load, too.
    """
    if scaling.retained is False and scaling.dimension.text == INSTANCES:
        yield scaling.resource_id.says(
            f"is a variant of {scaling.endpoint}, whose updates put it back to "
            f"InitialInstanceCount; set RetainAllVariantProperties of {scaling.endpoint} to true, "
            "without DesiredInstanceCount in ExcludeRetainedVariantProperties"
        )


@warning(
    source="botocore application-autoscaling RegisterScalableTarget",
    example="two ScalableTargets with one ResourceId and one ScalableDimension",
)
def scaling_twice(scaling: ScalingFacts) -> Iterator[Finding]:
    """What scales is registered once.

    A second registration changes the first one's bounds, so that the last made has its way, and
    when one of the two is deleted nothing scales any more.
    """
    if scaling.above:
        yield scaling.resource_id.says(
            f"is what {scaling.above} registers, too, by the same dimension; keep one of them"
        )


@rule(
    source="botocore ProductionVariantManagedInstanceScaling",
    example="ManagedInstanceScaling: {MinInstanceCount: 3, MaxInstanceCount: 2}",
    shapes=(
        "ManagedInstanceScalingMinInstanceCount",
        "ManagedInstanceScalingMaxInstanceCount",
        "ManagedInstanceScalingMaximumStepSize",
        "ManagedInstanceScalingCooldownInMinutes",
    ),
)
def managed_scaling_bounds(variant: VariantFacts) -> Iterator[Finding]:
    """Managed scaling keeps at most as many instances as it may have.

    With none the endpoint hosts inference components and starts empty.
    """
    least = variant.get("ManagedInstanceScaling").get("MinInstanceCount")
    most = variant.get("ManagedInstanceScaling").get("MaxInstanceCount")
    yield from not_below(most, least)


def keeps_one(dimension: Fact, *, asynchronous: bool | None) -> bool:
    """Whether what is scaled has an instance at all times; not told where that is not known."""
    return dimension.text == INSTANCES and asynchronous is False

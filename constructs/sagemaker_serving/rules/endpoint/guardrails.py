"""Rules on deployment guardrails: how an endpoint moves from old instances to new ones."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.suggest import nearest
from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.catalog.endpoint_metrics import OF_REQUESTS
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.engine.numbers import at_least
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.resources import UpdateFacts
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.spec import InstanceVariant, Model

_SOURCE = "botocore DeploymentConfig"
_EXCLUDED = "AWS SageMaker developer guide, deployment guardrails exclusions"
_SIZES = {"CANARY": ("CanarySize", 1, 50), "LINEAR": ("LinearStepSize", 10, 50)}
"""Each kind of traffic shifting: what says its step, and the least and most percent of it."""


def takes_guardrails(instance_type: str | None, accelerator: Accelerator | None = None) -> bool:
    """Whether SageMaker has guardrails for a variant on ``instance_type``; None is serverless.

    Where it has none, it moves all traffic at once and watches nothing.
    Source: SageMaker developer guide, "Deployment guardrails", "Exclusions".
    """
    if instance_type is None or accelerator is not None:
        return False
    return not instance_type.startswith("ml.inf1.")


def can_be_guarded(model: Model) -> bool:
    """Whether SageMaker has guardrails for every variant of ``model``."""
    return all(
        isinstance(variant, InstanceVariant)
        and takes_guardrails(variant.instance_type, Accelerator.named(variant.accelerator_type))
        for variant in model.variants
    )


def is_guarded(model: Model, *, production: bool) -> bool:
    """Whether the endpoint of ``model`` has a DeploymentConfig: where its file says how it is
    updated, and in production where it can. Inference components have guardrails of their own."""
    if model.inference_components:
        return False
    return model.move is not None or (production and can_be_guarded(model))


@rule(refused=True, source=_SOURCE, example="BlueGreenUpdatePolicy, RollingUpdatePolicy")
def guardrail_one_policy(update: UpdateFacts) -> Iterator[Finding]:
    """An update is blue/green or rolling, not both.

    UpdateEndpoint refuses both.
    """
    if update.blue_green.certain and update.rolling.certain:
        yield update.rolling.says(
            f"stands beside {update.blue_green.name}; an update follows one of them; remove the "
            "other"
        )


@rule(
    refused=True,
    source=_SOURCE,
    example="Type: CANARY   # without CanarySize",
    shapes=("TrafficRoutingConfigType", "BlueGreenUpdatePolicy", "TrafficRoutingConfig"),
    silent=dict.fromkeys(("environment files", "constructs"), "both have defaults"),
)
def guardrail_traffic(update: UpdateFacts) -> Iterator[Finding]:
    """Traffic shifts at once, by canary or in linear steps; the last two have a size and a wait.

    CloudFormation's schema asks for neither, the API for both.
    """
    routing = update.blue_green.get("TrafficRoutingConfiguration")
    kind = routing.get("Type")
    if kind.text in _SIZES:
        for name in (_SIZES[kind.text][0], "WaitIntervalInSeconds"):
            if not routing.get(name).given:
                yield routing.finding(f"{name} is missing; {kind.text} needs it; add it")


@rule(refused=True, source=_SOURCE, example="CanarySize: {Type: CAPACITY_PERCENT, Value: 90}")
def guardrail_step(update: UpdateFacts) -> Iterator[Finding]:
    """A canary is at most 50 %, a linear step 10 to 50 %, a rolling batch 5 to 50 % of capacity.

    The API refuses larger steps.
    """
    routing = update.blue_green.get("TrafficRoutingConfiguration")
    for kind, (name, low, high) in _SIZES.items():
        if routing.get("Type").text == kind:
            yield from _percent(routing.get(name), low, high)
    yield from _percent(update.rolling.get("MaximumBatchSize"), 5, 50)
    yield from _percent(update.rolling.get("RollbackMaximumBatchSize"), 1, 100)


@warning(
    refused=True,
    source="botocore TrafficRoutingConfig.CanarySize, RollingUpdatePolicy",
    example="CanarySize: {Type: INSTANCE_COUNT, Value: 2}   # of InitialInstanceCount: 3",
    silent={"environment files": "they count in percent"},
)
def guardrail_instances(update: UpdateFacts) -> Iterator[Finding]:
    """A step that is counted in instances is at most half of those that a variant starts with.

    UpdateEndpoint refuses more than half of what there is then. Scaling may have made more of them,
    so this warns.
    """
    routing = update.blue_green.get("TrafficRoutingConfiguration")
    steps = (
        *(routing.get("CanarySize"), routing.get("LinearStepSize")),
        update.rolling.get("MaximumBatchSize"),
    )
    variants = update.config.variants if update.config is not None else ()
    counts = [variant.get("InitialInstanceCount").number for variant in variants]
    fewest = min((count for count in counts if count is not None), default=None)
    for step in steps if fewest is not None else ():
        value = step.get("Value").number if step.get("Type").text == "INSTANCE_COUNT" else None
        if value is not None and 2 * value > max(fewest or 0, 2):
            yield step.says(
                f"is {value} instances, and a variant starts with {fewest}; a step is at most half "
                "of them; use fewer, or CAPACITY_PERCENT"
            )


@rule(source=_SOURCE, example="four waits of 600 s in 1800 s")
def guardrail_time(update: UpdateFacts) -> Iterator[Finding]:
    """The whole update may take longer than its waits together.

    Otherwise its own waits exceed the time, and it is rolled back.
    """
    limit = update.blue_green.get("MaximumExecutionTimeoutInSeconds")
    waits = _blue_green_waits(update.blue_green)
    if limit.number is None:
        limit = update.rolling.get("MaximumExecutionTimeoutInSeconds")
        waits = _rolling_waits(update.rolling)
    if limit.number is not None and waits is not None and waits >= limit.number:
        yield limit.says(
            f"is {limit.value}, but the update waits {waits:g} seconds in all; use more than "
            f"{waits:g}, or shorter waits"
        )


_LONG_SECONDS = 1800
"""Of an update without scaling; this project's choice."""


@note(
    source="AWS SageMaker developer guide, Update endpoints that use auto scaling; the half hour "
    "is this project's",
    example="update: {canary_percent: 10, wait_seconds: 3600}   # of a variant with scaling",
)
def guardrail_scaling(update: UpdateFacts) -> Iterator[Finding]:
    """An update of a scaled endpoint waits less than half an hour in all.

    Auto scaling is blocked until it has ended: variants keep the instances that they had when it
    began, whatever their load.
    """
    waits = waits_of(update.blue_green, update.rolling)
    if update.scaled and waits is not None and waits >= _LONG_SECONDS:
        yield update.finding(
            f"the update waits {waits:g} seconds in all, and until it has ended nothing scales "
            f"{', '.join(update.scaled)}; wait less, or raise the instances before each update as "
            "their load may need"
        )


@rule(
    source="CloudFormation user guide, custom resources, ServiceTimeout",
    example="endpoint: {existing: digits}, update: {canary_percent: 10, wait_seconds: 3600}",
)
def existing_time(update: UpdateFacts) -> Iterator[Finding]:
    """An endpoint that is there is moved in less than 3,000 seconds.

    CloudFormation waits an hour for what moves it, and fails the deploy then.
    """
    most = update.most_seconds
    if most is None:
        return
    policy = update.rolling if update.rolling.given else update.blue_green
    waits = waits_of(update.blue_green, update.rolling)
    limit = policy.get("MaximumExecutionTimeoutInSeconds")
    if limit.number is not None and limit.number > most:
        yield limit.says(
            f"is {limit.value}, and a deploy waits at most {most} seconds for an endpoint that is "
            f"there; use {most}, or less"
        )
    if waits is not None and waits >= most:
        yield update.finding(
            f"the update waits {waits:g} seconds in all, and a deploy waits less than {most} for "
            "an endpoint that is there; use shorter waits"
        )


@warning(source=_SOURCE, example="Alarms: [{AlarmName: digits-5x}]   # beside an alarm digits-5xx")
def guardrail_alarm_known(update: UpdateFacts) -> Iterator[Finding]:
    """A rollback watches alarms that there are.

    One that is misspelt never goes off. A name that is like none of the template's may be of
    another stack, and passes where no other alarm of the list is here.
    """
    here = any(watched.found for watched in update.watched)
    for watched in update.watched:
        name = watched.named.text
        near = nearest(name, watched.others) if name is not None else None
        if name is not None and not watched.found and watched.others and (here or near):
            meant = f"did you mean {near}?" if near else f"there are {', '.join(watched.others)}"
            yield watched.named.says(f"names {name!r}, and the template has no such alarm; {meant}")


@warning(
    source="CloudWatch user guide, how alarms treat missing data; AWS SageMaker developer guide, "
    "auto-rollback configuration",
    example="TreatMissingData: breaching   # of an alarm on Invocation5XXErrors",
)
def guardrail_missing_data(update: UpdateFacts) -> Iterator[Finding]:
    """An alarm that rolls an update back does not take a minute without requests for a fault.

    Metrics of requests have no data without any. A new fleet has none before its traffic, nor has a
    quiet endpoint, so that each update would be rolled back.
    """
    for watched in update.watched:
        metrics = [name for name in watched.metrics if name in OF_REQUESTS]
        if watched.missing_data.text == "breaching" and metrics:
            yield watched.missing_data.says(
                f"is breaching, and {metrics[0]} has no data in a minute without requests, which "
                "would roll an update back; use notBreaching"
            )
        elif watched.without_data.given and metrics:
            yield watched.without_data.says(
                f"goes off without data, and {metrics[0]} has none in a minute without requests, "
                "which would roll an update back; ask for ALARM"
            )


@warning(
    source=_SOURCE, example="EndpointName: digit, of an alarm that rolls back the endpoint digits"
)
def guardrail_alarm_endpoint(update: UpdateFacts) -> Iterator[Finding]:
    """An alarm that rolls an endpoint's update back watches this endpoint.

    Otherwise no fault of the update makes it go off.
    """
    for watched in update.watched:
        for name in watched.elsewhere:
            yield name.finding(
                f"an update is rolled back by this alarm, and it watches {name.shown}, which is "
                "another endpoint; name the one that is updated"
            )


@note(
    source="AWS SageMaker developer guide, auto-rollback configuration and monitoring",
    example="MetricName: Invocation5XXErrors, Dimensions: [EndpointName, VariantName]",
)
def guardrail_old_fleet(update: UpdateFacts) -> Iterator[Finding]:
    """An alarm that rolls an update back watches the new instances alone.

    One on all of them goes off for a fault of the old version, and so ends the update that mends
    it. A canary's errors are a small share of all. Metrics of one config's instances have the
    dimension EndpointConfigName.
    """
    for watched in update.watched:
        for where in watched.both_fleets:
            yield (
                where,
                "an update is rolled back by this alarm, and it watches the old instances, too, so "
                "that a fault of theirs ends the update that mends it; add the dimension "
                "EndpointConfigName with the name of the new config",
            )


@warning(source=_EXCLUDED, example="BlueGreenUpdatePolicy with CANARY   # on ml.inf1.xlarge")
def guardrail_excluded(update: UpdateFacts) -> Iterator[Finding]:
    """Only endpoints on instances have guardrails, without Inf1 and accelerators.

    SageMaker does not refuse them. It moves all traffic at once without a baking time, so the
    guardrail has no effect.
    """
    traffic = update.blue_green.get("TrafficRoutingConfiguration")
    for variant in update.config.variants if update.config is not None else ():
        kind = known(variant.instance_type)
        if variant.is_serverless:
            what = "is serverless; there"
        elif variant.accelerator_type.given:
            what = "has an Elastic Inference accelerator; with one"
        elif kind is not None and kind.family == "inf1":
            what = f"runs on {kind.name}; on Inf1"
        else:
            continue
        if update.rolling.given or traffic.get("Type").text in _SIZES:
            yield update.finding(
                f"the endpoint {what} SageMaker moves all traffic at once, whatever the policy "
                "says; remove the policy, or use other instances"
            )


@rule(source=_EXCLUDED, example="RollingUpdatePolicy, two variants")
def guardrail_rolling_excluded(update: UpdateFacts) -> Iterator[Finding]:
    """A rolling update is for one variant on instances.

    Several variants, and serverless ones, are replaced by blue/green only.
    """
    config = update.config
    if not update.rolling.given or config is None:
        return
    if config.variants_fact.size is not None and config.variants_fact.size > 1:
        yield update.rolling.finding(
            f"the endpoint has {config.variants_fact.size} variants; a rolling update is of one; "
            "use blue/green"
        )
    elif any(variant.is_serverless for variant in config.variants):
        yield update.rolling.finding(
            "the endpoint is serverless; a rolling update is of instances; remove it"
        )


def _percent(size: Fact, low: int, high: int) -> Iterator[Finding]:
    value = size.get("Value")
    if size.get("Type").text == "CAPACITY_PERCENT" and value.number is not None:
        if not low <= value.number <= high:
            nearest = low if value.number < low else high
            yield value.finding(
                f"{size.name} is {value.value} percent; it must be {low} to {high}; use {nearest}"
            )
    else:
        yield from at_least(value, 1)


def waits_of(blue_green: Fact, rolling: Fact) -> float | None:
    """Seconds that an update by one of these policies waits at least; None while that is not
    known."""
    return _rolling_waits(rolling) if rolling.given else _blue_green_waits(blue_green)


def _blue_green_waits(policy: Fact) -> float | None:
    """Seconds that a blue/green update waits at least; None while something is not known."""
    routing = policy.get("TrafficRoutingConfiguration")
    wait = routing.get("WaitIntervalInSeconds").number
    if not policy.given or (wait is None and routing.get("Type").text != "ALL_AT_ONCE"):
        return None
    times = {"ALL_AT_ONCE": 1, "CANARY": 1}.get(routing.get("Type").text or "")
    if times is None:
        times = _steps(routing.get("LinearStepSize"))
    ending = policy.get("TerminationWaitInSeconds").number
    if times is None:
        return None
    return times * (wait if wait is not None else 0) + (ending if ending is not None else 0)


def _rolling_waits(policy: Fact) -> float | None:
    wait, steps = policy.get("WaitIntervalInSeconds").number, _steps(policy.get("MaximumBatchSize"))
    return None if wait is None or steps is None else steps * wait


def _steps(size: Fact) -> int | None:
    percent = size.get("Value").number
    if size.get("Type").text != "CAPACITY_PERCENT" or percent is None or percent <= 0:
        return None
    return -int(-100 // percent)

"""Rules on scaling policies: metrics, steps, schedules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from local_aws.suggest import did_you_mean
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.engine.numbers import at_least, between
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.kinds import KindFacts, MetricFacts, ScalingStepsFacts
from sagemaker_serving.rules.facts.resources import ScalingFacts
from sagemaker_serving.rules.facts.shapes import ShapeFacts
from sagemaker_serving.spec.scaling import BACKLOG, DIMENSION_OF, HELD, INSTANCES

_GUIDE = "AWS SageMaker developer guide, automatic scaling"
_API = "botocore application-autoscaling"
_LOWER, _UPPER = (f"MetricInterval{end}Bound" for end in ("Lower", "Upper"))
_POLICIES = (*HELD, "tracked_metrics", "step_policies", "schedules")


@rule(source="this project", example="scaling: {gpuu: {min: 1, max: 2}}")
def scaling_named(kind: KindFacts) -> Iterator[Finding]:
    """An entry of scaling names a variant or an inference component of the model.

    A misspelt name would leave the variant as it is, and be refused by the deploy.
    """
    components = [name for name, _ in kind.model.get("inference_components").entries()]
    variants = [variant.get("name").text for variant in kind.model.get("variants").items()]
    known = components if components else list(dict.fromkeys(filter(None, variants)))
    if not components and None in variants:
        return  # that a variant has no name is named already
    for name, scaling in kind.model.get("scaling").entries():
        if not known:
            hint = "the model has no variants; remove scaling, or add them"
            yield scaling.finding(f"{name!r} is nothing that scales here; {hint}")
        elif name not in known:
            hint = did_you_mean(name, known) or f"use {', '.join(known)}"
            yield scaling.finding(f"{name!r} is nothing that scales here; {hint}")


@warning(source="this project", example="scaling: {gpu: {min: 1, max: 8}}   # and no policy")
def scaling_moves(kind: KindFacts) -> Iterator[Finding]:
    """Bounds that differ come with a policy or a schedule.

    Without one the capacity stays where it starts, whatever the load.
    """
    for _, scaling in kind.model.get("scaling").entries():
        least, most = scaling.get("min").number, scaling.get("max").number
        if least is None or most is None or most < least:
            continue  # that is named already
        if least != most and not any(scaling.get(name).value for name in _POLICIES):
            yield scaling.finding(
                f"min is {least} and max is {most}, and nothing moves it between; add one of "
                f"{', '.join(_POLICIES)}, or make them the same"
            )


@rule(
    refused=True,
    source=_GUIDE,
    example="backlog_per_instance: 5   # of a real-time variant",
    silent={"environment files": "there is a field for each of SageMaker's metrics, and no other"},
)
def scaling_metric(scaling: ScalingFacts) -> Iterator[Finding]:
    """A metric suits what is scaled: instances, copies of components, or warm workers.

    PutScalingPolicy refuses other predefined metrics, of other services, too; only asynchronous
    endpoints have a backlog.
    """
    name, dimension = scaling.metric.text, scaling.dimension.text
    closed = scaling.metric.where.path[-1:] == ("PredefinedMetricType",)
    if name is None or dimension not in DIMENSION_OF.values():
        return
    if name not in DIMENSION_OF and not closed:
        return
    fitting = [one for one, of in DIMENSION_OF.items() if of == dimension and one != BACKLOG]
    if DIMENSION_OF.get(name) != dimension or (name == BACKLOG and scaling.asynchronous is False):
        yield scaling.metric.says(
            f"follows {name}, which {_scaled(scaling)} does not have; use "
            f"{' or '.join([BACKLOG] if scaling.asynchronous else fitting)}"
        )


_CONFIGURATIONS = {
    f"{kind}Scaling": f"{kind}ScalingPolicyConfiguration"
    for kind in ("TargetTracking", "Step", "Predictive")
}


@rule(
    refused=True,
    source="Application Auto Scaling API reference, PutScalingPolicy, "
    "TargetTrackingScalingPolicyConfiguration, CustomizedMetricSpecification",
    example="PolicyType: TargetTrackingScaling   # with StepScalingPolicyConfiguration",
    silent={"environment files": "the deploy writes the configuration of each field"},
)
def scaling_policy_form(facts: ShapeFacts) -> Iterator[Finding]:
    """A policy has the configuration of its type and no other; tracking follows one metric.

    PutScalingPolicy refuses it otherwise; neither its model nor CloudFormation's schema does.
    """
    policy = facts.value
    if not facts.shape.endswith(("::ScalingPolicy", ".PutScalingPolicyRequest")):
        return
    kind = policy.get("PolicyType").text
    for of, name in _CONFIGURATIONS.items() if kind in _CONFIGURATIONS else ():
        configuration = policy.get(name)
        if of == kind and not configuration.given:
            yield policy.finding(f"PolicyType is {kind} and {name} is missing; add it")
        elif of != kind and isinstance(configuration.value, Mapping):
            yield configuration.says(
                f"is given and PolicyType is {kind}; remove it, or write PolicyType: {of}"
            )
    tracking = policy.get(_CONFIGURATIONS["TargetTrackingScaling"])
    ways = [tracking.get(f"{one}MetricSpecification") for one in ("Predefined", "Customized")]
    if isinstance(tracking.value, Mapping) and not any(way.given for way in ways):
        yield tracking.says(f"has no metric; add {ways[0].name} or {ways[1].name}")
    if all(isinstance(way.value, Mapping) for way in ways):
        yield ways[1].says(f"stands beside {ways[0].name}; keep one of them")


@warning(
    source="AWS SageMaker developer guide, monitor asynchronous endpoints",
    example="invocations_per_instance: 70   # of an asynchronous variant",
)
def scaling_metric_published(scaling: ScalingFacts) -> Iterator[Finding]:
    """An asynchronous endpoint is scaled by its backlog.

    It publishes neither invocations per instance nor concurrent requests, so such a policy would
    never act.
    """
    of_instances = DIMENSION_OF.get(scaling.metric.text or "") == INSTANCES
    if scaling.asynchronous and of_instances and scaling.metric.text != BACKLOG:
        instead = "backlog_per_instance" if scaling.metric.name.islower() else BACKLOG
        yield scaling.metric.says(
            f"follows {scaling.metric.text}, which asynchronous endpoints do not publish; use "
            f"{instead}"
        )


@rule(
    refused=True,
    source="Application Auto Scaling user guide, target tracking; "
    "hashicorp/terraform-provider-aws#41179",
    example="two policies on SageMakerVariantInvocationsPerInstance of one target",
)
def scaling_metric_once(scaling: ScalingFacts) -> Iterator[Finding]:
    """A target has one policy that tracks a metric.

    PutScalingPolicy refuses a second one, even at another value.
    """
    if scaling.doubled:
        yield scaling.metric.says(
            f"is {scaling.metric.text}, which a policy above tracks for the same target; remove "
            "one of them"
        )


@rule(source=_GUIDE, example="provisioned_concurrency_utilization: 70")
def scaling_utilization(scaling: ScalingFacts) -> Iterator[Finding]:
    """The busy share of warm workers is over 0 and up to 1.

    Written as a percentage it is never reached.
    """
    share = scaling.target.number
    of_workers = scaling.metric.text == "SageMakerVariantProvisionedConcurrencyUtilization"
    if of_workers and share is not None and share > 1:
        yield scaling.target.says(
            f"is {scaling.target.value}; it must be over 0 and up to 1; use {min(share / 100, 1):g}"
        )


@rule(refused=True, source=_API, example="steps: [{lower: 5, upper: 2, change: 1}]")
def scaling_steps(policy: ScalingStepsFacts) -> Iterator[Finding]:
    """A policy has 1 to 20 steps; each begins where the last one ends.

    Each rises from its lower to its upper bound. All steps of one alarm either add or remove, from
    a first bound on.
    """
    if policy.steps.size is not None and not 1 <= policy.steps.size <= 20:
        yield policy.steps.says(
            f"has {policy.steps.size} entries; a policy takes 1 to 20; "
            f"{'add one' if policy.steps.size == 0 else 'remove some'}"
        )
    for step in policy.steps.items():
        lower, upper = step.get(_LOWER), step.get(_UPPER)
        if lower.number is not None and upper.number is not None and upper.number <= lower.number:
            yield upper.says(
                f"is {upper.value} and {lower.name} is {lower.value}; a step rises from its lower "
                "to its upper bound; exchange them"
            )
    yield from _not_adjacent(policy)
    if policy.one_alarm:
        yield from _ways(policy)


@note(
    source="Application Auto Scaling user guide, step scaling policies",
    example="PolicyType: StepScaling   # and no alarm with it in AlarmActions",
)
def scaling_alarm(policy: ScalingStepsFacts) -> Iterator[Finding]:
    """A step policy is set off by an alarm, which has it among its actions.

    Unlike a policy that tracks a metric it makes none, so that nothing ever scales. An alarm of
    another stack may, so that this is a note.
    """
    if policy.unused:
        yield policy.finding(
            "no alarm of the template has this policy in its AlarmActions, and nothing else sets "
            "it off; add an alarm with the policy's !Ref there, or track a metric"
        )


@warning(
    source="botocore application-autoscaling PutScalingPolicy; ansible/ansible#40237",
    example="a policy with ResourceId, and no scalable target",
)
def scaling_unregistered(scaling: ScalingFacts) -> Iterator[Finding]:
    """What a policy scales is registered as a scalable target.

    Of an endpoint that the template makes there is none before: "No scalable target registered".
    """
    if scaling.unregistered:
        yield scaling.finding(
            f"the policy scales {scaling.unregistered}, and no scalable target of the template is "
            "of that variant; add an AWS::ApplicationAutoScaling::ScalableTarget, and name it by "
            "ScalingTargetId"
        )


@rule(refused=True, source=_API, example="PolicyType: StepScaling   # no AdjustmentType")
def scaling_adjustment(policy: ScalingStepsFacts) -> Iterator[Finding]:
    """A step policy says what its changes count in.

    PutScalingPolicy needs it of a new policy, though CloudFormation's schema does not.
    """
    if policy.steps.given and not policy.adjustment.given:
        yield policy.adjustment.says(
            "is missing; give ChangeInCapacity, PercentChangeInCapacity or ExactCapacity"
        )


@rule(
    source="botocore application-autoscaling Cooldown, cloudwatch PutMetricAlarm",
    example="step_policies: [{evaluation_minutes: 0 …}]",
)
def scaling_evaluation(policy: ScalingStepsFacts) -> Iterator[Finding]:
    """An alarm looks at 1 to 1440 minutes in a row, and a policy's cooldown is 0 or more seconds.

    CloudWatch takes no alarm that looks at nothing, nor at more than a day.
    """
    yield from between(policy.evaluation, 1, 1440)
    yield from at_least(policy.cooldown, 0)


@rule(
    source="botocore cloudwatch MetricName, Namespace, Dimensions",
    example="dimensions: {thirty-one of them}",
)
def scaling_metric_form(metric: MetricFacts) -> Iterator[Finding]:
    """A metric has a name and a namespace of 1 to 255 characters, and at most 30 dimensions.

    A dimension's name has 1 to 255 characters, its value 1 to 1024, and both at least one that is
    no blank. No namespace, and no dimension's name, begins with a colon.
    """
    facts = [(metric.name, 255), (metric.namespace, 255)]
    for name, value in metric.dimensions:
        facts += [(name, 255), (value, 1024)]
    for fact, most in facts:
        text = fact.text
        if text is None:
            continue
        printable = text.isascii() and text.isprintable() and text.strip()
        if not 1 <= len(text) <= most or not printable:
            yield fact.says(
                f"is {text[:40]!r} ({len(text)} characters); CloudWatch takes 1 to {most} ASCII "
                "characters on one line, not only blanks; shorten or fill it"
            )
        elif text.startswith(":") and fact is not metric.name and most == 255:
            yield fact.says(f"is {text!r}; it must not begin with a colon; remove it")
    if len(metric.dimensions) > 30:
        yield metric.dimensions[0][0].finding(
            f"there are {len(metric.dimensions)} dimensions; a metric takes 30; remove some"
        )


def _scaled(scaling: ScalingFacts) -> str:
    dimension = scaling.dimension.text or ""
    if dimension.endswith("DesiredCopyCount"):
        return "an inference component"
    if dimension.endswith("DesiredProvisionedConcurrency"):
        return "a serverless variant"
    return "an asynchronous variant" if scaling.asynchronous else "a real-time variant"


def _not_adjacent(policy: ScalingStepsFacts) -> Iterator[Finding]:
    bounded = [
        (step, _or(step.get(_LOWER), float("-inf")), _or(step.get(_UPPER), float("inf")))
        for step in policy.steps.items()
    ]
    if any(low >= high for _, low, high in bounded):
        return
    for (_, _, upper), (step, lower, _) in pairwise(sorted(bounded, key=lambda one: one[1])):
        if lower < upper:
            yield step.finding("the step overlaps another one; let each begin where the last ends")
        elif lower > upper:
            yield step.finding(
                f"no step is taken from {upper:g} to {lower:g}; let each begin where the last ends"
            )


def _ways(policy: ScalingStepsFacts) -> Iterator[Finding]:
    steps = list(policy.steps.items())
    changes = [step.get("ScalingAdjustment").number or 0 for step in steps]
    adds = all(change >= 0 for change in changes)
    if not adds and not all(change <= 0 for change in changes):
        yield policy.finding("some steps add and others remove; write two policies, one for each")
        return
    edge, of = ("lower", _LOWER) if adds else ("upper", _UPPER)
    if steps and not any(step.get(of).given for step in steps):
        yield policy.finding(
            f"no step has {edge}, so nothing says when the first step applies; give it"
        )


def _or(fact: Fact, default: float) -> float:
    return default if fact.number is None else float(fact.number)

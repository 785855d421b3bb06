"""Rules on what ``production: true`` demands: bounds, guardrails, alarms, a second instance."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.catalog.accelerators import Accelerator
from sagemaker_serving.rules.endpoint.guardrails import takes_guardrails
from sagemaker_serving.rules.engine import Finding, note, rule, warning
from sagemaker_serving.rules.facts import EnvironmentFacts, Fact
from sagemaker_serving.rules.facts.kinds import KindFacts, host_type
from sagemaker_serving.s3_address import is_s3

_EXCLUDED = "AWS SageMaker developer guide, deployment guardrails exclusions"


@rule(source="this project", example="production: true   # without scaling")
def production_scaling(kind: KindFacts) -> Iterator[Finding]:
    """In production every variant on instances, and every component but an adapter, has scaling
    bounds.

    An unexpected load is met by more instances, up to a limit that you set. For a fixed number, set
    the same min and max. A transition that releases the scaling is an exception.
    """
    if not kind.production:
        return
    released = kind.model.get("transition").get("keep")
    scaled = {name for fact in (kind.model.get("scaling"), released) for name, _ in fact.entries()}
    components = [
        each
        for each in kind.model.get("inference_components").entries()
        if not each[1].get("base_inference_component_name").given
    ]
    named = [(variant.get("name").text, variant) for variant in kind.on_instances]
    for name, fact in components if components else named:
        if name is not None and name not in scaled:
            yield fact.finding(
                f"{name!r} has no scaling, which production demands; add scaling: {{{name}: {{min: "
                "2, max: 4, invocations_per_instance: <load of one>}}, or the same min and max for "
                "a fixed number"
            )


@rule(source="this project", example="update: {all_at_once: true}")
def production_update(kind: KindFacts) -> Iterator[Finding]:
    """In production an endpoint moves to a new version step by step, where SageMaker can.

    All at once, a broken version has every request before any alarm goes off.
    """
    if kind.production and _guardable(kind) and kind.model.get("update").get("all_at_once").given:
        yield kind.model.get("update").says(
            "is all_at_once, and production demands guardrails; use canary_percent, linear_percent "
            "or rolling_percent, or leave update out for a canary of 10 percent"
        )


@rule(source="this project", example="monitoring: {alarms: false}")
def production_alarms(kind: KindFacts) -> Iterator[Finding]:
    """In production there are alarms that roll an update back.

    Without alarms a canary only delays a fault.
    """
    own = kind.model.get("update").get("alarms").value
    if kind.production and not kind.alarmed and not own:
        yield kind.model.get("monitoring").finding(
            "alarms are off, and production demands some to roll an update back; remove alarms: "
            "false, or name your own in update.alarms"
        )


@note(
    source="this project",
    example="production: true   # and artifact: {s3: s3://mine/digits/7.tar.gz}",
)
def production_versions(kind: KindFacts) -> Iterator[Finding]:
    """In production a version that a deploy leaves can be started again, by ``rollback`` too.

    One that you have put into S3 stays where it is, and the role may read what the file names.
    ``versions`` is the prefix of all of them.
    """
    for artifact in _served_artifacts(kind.model) if kind.production else ():
        uri = artifact.get("s3") if isinstance(artifact.value, dict) else artifact
        if is_s3(uri.text or "") and not artifact.get("versions").given:
            yield uri.says(
                f"is {uri.text!r}; once a deploy has left it, rollback cannot start it again, "
                f"since the role may read only what the file names; write {{s3: {uri.text}, "
                "versions: s3://<bucket>/<prefix that all versions share>/}"
            )


def _served_artifacts(model: Fact) -> list[Fact]:
    """What endpoints serve as it is written; what is compiled is served from elsewhere."""
    components = [each for _, each in model.get("inference_components").entries()]
    served = [*model.get("variants").items(), *model.get("shadow_variants").items(), *components]
    parts = [each for each in served if not each.get("compile").given]
    own = [each.get("artifact") for each in parts]
    used = [each if each.given else model.get("artifact") for each in own]
    used += [each.get("artifact") for each in model.get("containers").items() if served]
    return list({each.where: each for each in used}.values())


@rule(source="this project", example="storage: {at_destroy: empty}")
def production_data(environment: EnvironmentFacts) -> Iterator[Finding]:
    """In production the bucket outlives its stack.

    What was captured, and what batches have written, is nowhere else.
    """
    said = environment.storage.get("at_destroy")
    if environment.production and said.value in ("empty", "stop"):
        yield said.says(
            f"is {said.value!r}, and production demands that the bucket stays; use keep, or leave "
            "it out"
        )


@warning(
    source="AWS SageMaker developer guide, best practices for endpoints",
    example="production: true   # with initial_instance_count: 1",
)
def production_instances(kind: KindFacts) -> Iterator[Finding]:
    """In production a real-time variant with traffic has two instances or more.

    SageMaker spreads instances over zones; a single one fails with its zone, and a canary needs a
    part of the instances.
    """
    shares_instances = kind.model.get("inference_components").value
    if not kind.production or shares_instances or kind.model.get("asynchronous").given:
        return
    for variant in kind.on_instances:
        count, weight = variant.get("initial_instance_count"), variant.get("weight")
        if (count.number is None or count.number == 1) and weight.number != 0:
            yield count.or_else(variant).finding(
                "the variant starts with 1 instance; in production use at least 2, which SageMaker "
                "puts into different zones"
            )


@note(source=_EXCLUDED, example="production: true   # with a serverless variant")
def guardrail_none(kind: KindFacts) -> Iterator[Finding]:
    """In production, a note names endpoints without guardrails: serverless, Inf1, accelerators.

    There all traffic moves at once, whatever the file says.
    """
    if kind.production and kind.model.get("variants").value and not _guardable(kind):
        yield kind.model.finding(
            "SageMaker has no guardrails for this endpoint (serverless, Inf1 or Elastic "
            "Inference): an update moves all traffic at once, and no alarm rolls it back"
        )


def _guardable(kind: KindFacts) -> bool:
    return kind.model.get("variants").size == len(kind.on_instances) and all(
        takes_guardrails(
            host_type(variant).text or "", Accelerator.named(variant.get("accelerator_type").value)
        )
        for variant in kind.on_instances
    )

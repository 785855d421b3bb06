"""Rules on the steps of a change that takes several deploys."""

from __future__ import annotations

from collections.abc import Iterator

from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts.kinds import KindFacts, is_serverless
from sagemaker_serving.rules.hardware.instance_types import known
from sagemaker_serving.spec.transition import SERVERLESS

_SCALED = "AWS SageMaker developer guide, update endpoints that use auto scaling"


@rule(source=_SCALED, example="transition: {step: release_scaling}")
def transition_keep(kind: KindFacts) -> Iterator[Finding]:
    """A step that releases scaling names variants of the file, each with the type it keeps.

    SageMaker refuses to change the instance type of a variant that is a scalable target, and to
    remove such a variant. So a variant stays in the file until a deploy has released its scaling.
    """
    transition = kind.model.get("transition")
    step, keep = transition.get("step").text, transition.get("keep")
    if step == "change_variants" and keep.value:
        yield keep.says("is of release_scaling; take that step first, or remove keep")
    if step != "release_scaling":
        return
    if kind.model.get("inference_components").value:
        yield transition.finding(
            "release_scaling is of variants, and here inference components are scaled, which do "
            "not hinder an update; remove transition"
        )
    elif not keep.value:
        yield transition.finding(
            "keep is missing; name each variant whose scaling is released and the instance type "
            "that it keeps: {step: release_scaling, keep: {<variant>: <instance type>}}"
        )
    variants = {each.get("name").text: each for each in kind.model.get("variants").items()}
    for name, kept in keep.entries():
        if name not in variants:
            yield kept.finding(
                f"{name!r} is no variant of the file, and SageMaker refuses to remove a scalable "
                "target; put its entry back for this deploy, and remove it after"
            )
        elif is_serverless(variants[name]):
            if kept.text != SERVERLESS:
                yield kept.says(f"is {kept.value!r}; the variant is serverless; use {SERVERLESS}")
        elif kept.text is not None and known(kept) is None:
            yield kept.says(
                f"is {kept.value!r}; it must be an instance type; use the one that is deployed"
            )


@warning(source="this project", example="transition: {step: change_variants}")
def transition_left(kind: KindFacts) -> Iterator[Finding]:
    """A transition is for one deploy: the next step restores what it leaves out.

    If it stays in the file, the endpoint keeps having no scaling, or no guardrails.
    """
    transition = kind.model.get("transition")
    kept = [f"{name} on {fact.text}" for name, fact in transition.get("keep").entries()]
    does = {
        "release_scaling": f"releases the scaling of {', '.join(kept)}, which serves on meanwhile",
        "change_variants": "moves the endpoint to the variants of the file without guardrails, "
        "all traffic at once",
    }.get(transition.get("step").text or "")
    if does is not None:
        file = transition.where.file
        yield transition.finding(
            f"this deploy {does}; after it, `sagemaker-serving diff {file} --write` writes the "
            "next step"
        )

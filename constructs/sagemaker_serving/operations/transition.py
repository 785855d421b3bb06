"""The next step of a change that takes several deploys: the file, held against what is deployed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.catalog.instances import variant_types
from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.operations.account import Account, are_hosts
from sagemaker_serving.rules import is_guarded
from sagemaker_serving.spec import Environment, InstanceVariant, Model, Transition, Variant
from sagemaker_serving.spec.transition import SERVERLESS


@dataclass(frozen=True, kw_only=True)
class NextStep:
    """What the file has to say for the next deploy of a model, and why.

    ``transition`` is None where the file needs none; ``written`` is what it says now. ``refused``:
    SageMaker takes no such change of this endpoint in any number of steps.
    """

    model: str
    written: Transition | None
    transition: Transition | None
    why: str
    refused: bool = False


@dataclass(frozen=True, kw_only=True)
class DeployedVariants:
    """The production variants of a deployed template: instance types by name (`SERVERLESS` where
    there is none), the names of those that are scalable targets, and whether they are for inference
    components."""

    types: Mapping[str, str]
    scaled: frozenset[str]
    hosts: bool = False


def next_steps(environment: Environment, aws: Aws) -> Iterator[NextStep]:
    """The next step of every model that is deployed and in a transition, or has to go into one.

    Reads the stacks' templates (`cloudformation:GetTemplate`). Raises as AWS's calls do.
    """
    cloudformation = aws.client("cloudformation")
    for name, model in environment.models.items():
        deployed = _deployed(cloudformation, environment.stack_name(name))
        if deployed is None:
            continue
        serverless = SERVERLESS in deployed.types.values()
        severity, between = _between_kinds(model, serverless=serverless, hosts=deployed.hosts)
        if severity is Severity.ERROR:
            yield NextStep(
                model=name, written=model.transition, transition=None, why=between, refused=True
            )
        else:
            guarded = is_guarded(model, production=environment.production)
            transition, why = next_transition(model, deployed, guarded=guarded)
            if transition is None and model.transition is None:
                why = ""
            why = "; ".join(filter(None, (why, between)))
            if why:
                yield NextStep(model=name, written=model.transition, transition=transition, why=why)


def kind_problems(environment: Environment, account: Account, where: Where) -> Iterator[Problem]:
    """An error for each endpoint of the account that is on instances and serverless in the file,
    and a warning for the way that has no way back, and for one on which callers have to change."""
    for name, model in environment.models.items():
        endpoint = environment.endpoint_name(name)
        serverless = endpoint in account.serverless
        if not model.variants or not (serverless or endpoint in account.endpoints):
            continue
        hosts = endpoint in account.hosts
        severity, between = _between_kinds(model, serverless=serverless, hosts=hosts)
        if between:
            yield Problem(
                rule="account-endpoint",
                where=where / "models" / name / "variants",
                severity=severity,
                message=f"{endpoint} is there: {between}",
            )


def _between_kinds(model: Model, *, serverless: bool, hosts: bool) -> tuple[Severity, str]:
    """What a move to another kind of endpoint comes to; nothing where there is none.

    ``serverless`` and ``hosts`` (of inference components) are what the endpoint is now. Source:
    developer guide, "Serverless endpoint operations", on updates; for components
    aws-samples/amazon-kendra-langchain-extensions#64. The way back is inferred.
    """
    wanted = SERVERLESS in map(_type, model.variants)
    if wanted and not serverless:
        return Severity.ERROR, (
            "the endpoint serves on instances, and SageMaker refuses to make it serverless; give "
            "the model another name, which makes another endpoint, move its callers there, and "
            "remove this one"
        )
    if serverless and not wanted:
        return Severity.WARNING, (
            "from instances there is no way back: SageMaker refuses to make them serverless again, "
            "so neither rollback nor CloudFormation's own can undo this deploy; under another name "
            "the model gets an endpoint beside this one"
        )
    if bool(model.inference_components) is not hosts:
        changes = (
            "requests name an inference component now, which this deploy removes: they must name "
            "none after it"
            if hosts
            else "requests must name an inference component after this deploy, which none does "
            "now: SageMaker refuses them without InferenceComponentName"
        )
        return Severity.WARNING, (
            f"{changes}; change the callers with it, or give the model another name, which makes "
            "another endpoint, move them there, and remove this one"
        )
    return Severity.NOTE, ""


def next_transition(
    model: Model, deployed: DeployedVariants, *, guarded: bool
) -> tuple[Transition | None, str]:
    """What the next deploy of ``model`` has to name, and why; ``guarded``: by a DeploymentConfig.

    First the scaling is released of every target that goes or gets another instance type, then
    the variants change, then the file is what is deployed.
    """
    wanted = {variant.name: _type(variant) for variant in model.variants}
    held = {
        name: kept
        for name, kept in deployed.types.items()
        if name in deployed.scaled and wanted.get(name) != kept
    }
    if held:
        return Transition(step="release_scaling", keep=held), _why_held(held, wanted)
    written = model.transition
    as_before = [
        name
        for name in (written.keep if written is not None else {})
        if name in wanted and wanted[name] == deployed.types.get(name)
    ]
    if as_before and wanted.keys() == deployed.types.keys():
        return written, _why_as_before(as_before, deployed)
    if guarded and wanted.keys() != deployed.types.keys():
        return Transition(step="change_variants"), (
            f"{', '.join(deployed.types)} is deployed, the file has {', '.join(wanted)}: one "
            "deploy moves there without guardrails, all traffic at once"
        )
    return None, (
        "the step is deployed: without transition the next deploy has the file's variants, their "
        "scaling and guardrails"
    )


def _type(variant: Variant) -> str:
    return variant.instance_type if isinstance(variant, InstanceVariant) else SERVERLESS


def _why_held(held: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    told = [
        f"{name} is a scalable target on {kept}, and the file has it on {wanted[name]}"
        if name in wanted
        else f"{name} is a scalable target, and the file has no such variant: put its entry back "
        "for this deploy"
        for name, kept in held.items()
    ]
    return f"{'; '.join(told)}; SageMaker refuses this change until its scaling is released"


def _why_as_before(names: list[str], deployed: DeployedVariants) -> str:
    if deployed.scaled & set(names):
        return f"this deploy releases the scaling of {', '.join(names)}"
    return (
        f"the scaling of {', '.join(names)} is released: change its instance_type, rename or "
        "remove it in the file, or remove transition to scale it again"
    )


def _deployed(cloudformation: Any, stack: str) -> DeployedVariants | None:
    """What the template of ``stack`` says; None where there is no such stack, or no endpoint."""
    with aws_failures():
        try:
            body = cloudformation.get_template(StackName=stack)["TemplateBody"]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
    resources = [] if isinstance(body, str) else list(body["Resources"].values())
    variants = [
        variant
        for found in _of(resources, "AWS::SageMaker::EndpointConfig")
        for variant in found["ProductionVariants"]
    ]
    if not variants:
        return None
    targets = [
        re.search(r"/variant/([^\"]+)", str(found["ResourceId"]).replace("'", '"'))
        for found in _of(resources, "AWS::ApplicationAutoScaling::ScalableTarget")
    ]
    return DeployedVariants(
        types={
            each["VariantName"]: next(iter(variant_types(each)), SERVERLESS) for each in variants
        },
        scaled=frozenset(target[1] for target in targets if target is not None),
        hosts=are_hosts(variants),
    )


def _of(resources: list[Any], kind: str) -> Iterator[Any]:
    return (found["Properties"] for found in resources if found["Type"] == kind)

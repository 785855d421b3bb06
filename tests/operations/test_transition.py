"""Which step comes next: the file, held against the template that is deployed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sagemaker_serving.errors import Where
from sagemaker_serving.operations.account import Account
from sagemaker_serving.operations.transition import (
    DeployedVariants,
    NextStep,
    kind_problems,
    next_steps,
    next_transition,
)
from sagemaker_serving.spec import Environment, Model, Transition
from tests.cli.conftest import run_in
from tests.local_aws.aws import Aws, address_of, client_of
from tests.local_aws.conftest import aws as aws
from tests.local_aws.conftest import settings as settings
from tests.local_aws.services.cloudformation.templates import get_att, resource, template
from tests.local_aws.stacks import Deployments

CHANGE = Transition(step="change_variants")


def model(transition: Transition | None = None, **types: str) -> Model:
    """A model with these variants; ``serverless`` is no type."""
    serverless = {"memory_size_in_mb": 1024, "max_concurrency": 5}
    return Model.model_validate(
        {
            "variants": [
                {"name": name, **(serverless if kind == "serverless" else {"instance_type": kind})}
                for name, kind in types.items()
            ],
            "transition": None if transition is None else transition.model_dump(),
        }
    )


def of_kind(kind: str) -> Model:
    """A model on one variant, or on a component that is put there."""
    if kind != "component":
        return model(a=kind)
    component = {"artifact": "half", "min_memory_required_in_mb": 1024}
    variant = {"name": "a", "instance_type": "ml.c5.large"}
    return Model.model_validate({"variants": [variant], "inference_components": {"h": component}})


CALLERS = (
    "requests must name an inference component after this deploy, which none does now: SageMaker "
    "refuses them without InferenceComponentName; change the callers with it, or give the model "
    "another name, which makes another endpoint, move them there, and remove this one"
)


def deployed(*scaled: str, **types: str) -> DeployedVariants:
    return DeployedVariants(types=types, scaled=frozenset(scaled))


def release(**keep: str) -> Transition:
    return Transition(step="release_scaling", keep=keep)


@pytest.mark.parametrize(
    ("file", "there", "wanted", "why"),
    [
        # nothing that SageMaker refuses
        (model(a="ml.c5.large"), deployed("a", a="ml.c5.large"), None, ""),
        (model(a="ml.m5.large"), deployed(a="ml.c5.large"), None, ""),
        # another type of a scaled variant, step by step
        (model(a="ml.m5.large", b="ml.c5.large"),
         deployed("a", "b", a="ml.c5.large", b="ml.c5.large"), release(a="ml.c5.large"),
         "a is a scalable target on ml.c5.large, and the file has it on ml.m5.large; SageMaker"),
        (model(release(a="ml.c5.large"), a="ml.m5.large"), deployed(a="ml.c5.large"), None,
         "without transition the next deploy has the file's variants"),
        # a scaled variant that goes: its entry stays until its scaling is released
        (model(a="ml.c5.large"), deployed("b", a="ml.c5.large", b="ml.c5.large"),
         release(b="ml.c5.large"),
         "b is a scalable target, and the file has no such variant: put its entry back"),
        (model(release(b="ml.c5.large"), a="ml.c5.large", b="ml.c5.large"),
         deployed("b", a="ml.c5.large", b="ml.c5.large"), release(b="ml.c5.large"),
         "this deploy releases the scaling of b"),
        (model(release(b="ml.c5.large"), a="ml.c5.large", b="ml.c5.large"),
         deployed(a="ml.c5.large", b="ml.c5.large"), release(b="ml.c5.large"),
         "the scaling of b is released: change its instance_type, rename or remove it"),
        (model(release(b="ml.c5.large"), a="ml.c5.large"),
         deployed(a="ml.c5.large", b="ml.c5.large"), CHANGE,
         "a, b is deployed, the file has a: one deploy moves there without guardrails"),
        (model(CHANGE, a="ml.c5.large"), deployed(a="ml.c5.large"), None, "the step is deployed"),
        (model(release(b="ml.c5.large"), a="ml.c5.large"), deployed(a="ml.c5.large"), None,
         "the step is deployed"),
        # a variant that comes, and one that is renamed
        (model(a="ml.c5.large", b="ml.c5.large"), deployed("a", a="ml.c5.large"), CHANGE,
         "a is deployed, the file has a, b"),
        (model(c="ml.c5.large"), deployed("a", a="ml.c5.large"), release(a="ml.c5.large"),
         "put its entry back"),
        # serverless with provisioned concurrency
        (model(s="ml.c5.large"), deployed("s", s="serverless"), release(s="serverless"),
         "s is a scalable target on serverless"),
    ],
)  # fmt: skip
def test_the_next_step_of_a_guarded_endpoint(
    file: Model, there: DeployedVariants, wanted: Transition | None, why: str
) -> None:
    transition, told = next_transition(file, there, guarded=True)
    assert transition == wanted
    assert why in told


def test_variants_of_an_endpoint_without_guardrails_change_in_one_deploy() -> None:
    file, there = model(a="ml.c5.large", b="ml.c5.large"), deployed(a="ml.c5.large")
    assert next_transition(file, there, guarded=False)[0] is None


FILE = """\
name: prod
region: eu-west-1
production: true
models:
  half:                 # the one
    variants:
      - {name: a, instance_type: ml.m5.large}
      - {name: b, instance_type: ml.m5.large}
"""
WHY = (
    "a is a scalable target on ml.c5.large, and the file has it on ml.m5.large; SageMaker refuses "
    "this change until its scaling is released"
)
RELEASED = (
    "half\tno transition\ttransition: {step: release_scaling, keep: {a: ml.c5.large}}\t" + WHY
)


def told(file: Path, aws: Aws, *options: str) -> tuple[int, str]:
    """How `sagemaker-serving diff` of one file ends, and what it prints."""
    shell = address_of(aws.gateway).environment("eu-west-1")
    ended = run_in(file.parent)("diff", str(file), *options, **shell)
    return ended.returncode, ended.stdout.strip()


def test_what_is_deployed_is_read_from_the_template(aws: Aws, tmp_path: Path) -> None:
    aws.model("one")
    variants = [
        {"VariantName": name, "ModelName": "one", "InitialInstanceCount": 1, "InstanceType": kind}
        for name, kind in (("a", "ml.c5.large"), ("b", "ml.c5.large"))
    ]
    body = template(
        Config=resource(
            "SageMaker::EndpointConfig",
            ProductionVariants=[{**each, "InitialVariantWeight": 1} for each in variants],
        ),
        Endpoint=resource(
            "SageMaker::Endpoint",
            EndpointName="prod-half",
            EndpointConfigName=get_att("Config", "EndpointConfigName"),
        ),
        Target=resource(
            "ApplicationAutoScaling::ScalableTarget",
            ServiceNamespace="sagemaker",
            ScalableDimension="sagemaker:variant:DesiredInstanceCount",
            ResourceId={"Fn::Sub": "endpoint/${Endpoint.EndpointName}/variant/a"},
            MinCapacity=1,
            MaxCapacity=2,
        ),
    )
    stacks = Deployments(aws.client("cloudformation"))
    assert stacks.create("prod-half", body)["StackStatus"] == "CREATE_COMPLETE"
    models = {
        "half": model(a="ml.m5.large", b="ml.m5.large"),
        "not-deployed": model(a="ml.c5.large"),
    }
    environment = Environment(name="prod", region="eu-west-1", production=True, models=models)
    (found,) = next_steps(environment, client_of(aws.gateway))
    assert found == NextStep(
        model="half",
        written=None,
        transition=release(a="ml.c5.large"),
        why=WHY,
    )
    serverless = {"models": {"half": model(a="serverless")}}
    (found,) = next_steps(environment.model_copy(update=serverless), client_of(aws.gateway))
    assert found.refused
    components = {"models": {"half": of_kind("component")}}
    (held,) = next_steps(environment.model_copy(update=components), client_of(aws.gateway))
    assert not held.refused
    assert held.why.endswith(CALLERS)
    assert "SageMaker refuses to make it serverless; give the model another name" in found.why
    file = tmp_path / "prod.yaml"
    file.write_text(FILE)
    assert told(file, aws, "--exit-code") == (1, RELEASED)
    assert file.read_text() == FILE
    assert told(file, aws, "--write") == (0, RELEASED)
    released = "    transition: {step: release_scaling, keep: {a: ml.c5.large}}\n    variants:"
    assert file.read_text() == FILE.replace("    variants:", released)
    assert told(file, aws, "--exit-code")[0] == 0, "the file says so"
    stacks.delete("prod-half")


@pytest.mark.parametrize(
    ("there", "file", "severity"),
    [
        ({"endpoints": {"prod-half": {"ml.c5.large": 1}}}, "serverless", "error"),
        ({"serverless": {"prod-half": 5}}, "ml.c5.large", "warning"),
        ({"serverless": {"prod-half": 5}}, "serverless", None),
        ({"serverless": {"another": 5}}, "ml.c5.large", None),
        ({"endpoints": {"prod-half": {"ml.c5.large": 1}}}, "component", "warning"),
        ({"endpoints": {"prod-half": {"ml.c5.large": 1}}, "hosts": ["prod-half"]},
         "ml.c5.large", "warning"),
        ({"endpoints": {"prod-half": {"ml.c5.large": 1}}, "hosts": ["prod-half"]},
         "component", None),
    ],
)  # fmt: skip
def test_an_account_tells_which_endpoint_cannot_become_what_the_file_says(
    there: dict[str, Any], file: str, severity: str | None
) -> None:
    account = Account(account="1", region="eu-west-1", read="", quotas={}, **there)
    environment = Environment(name="prod", region="eu-west-1", models={"half": of_kind(file)})
    found = list(kind_problems(environment, account, Where("prod.yaml")))
    assert [each.severity.value for each in found] == ([severity] if severity else [])
    for each in found:
        assert str(each.where) == "prod.yaml models.half.variants"
        assert each.message.startswith("prod-half is there: ")

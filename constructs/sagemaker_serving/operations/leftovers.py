"""Models whose stacks run on although no file has them: CDK deletes no stack that left the app."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.environment import parameter_name

_SHARED = ("storage", "network")


def deployed_models(aws: Aws) -> list[str] | None:
    """What stacks in a region publish of: ``<environment>/<model>``, ``<environment>/storage``.

    None where these credentials may not read it: ``ssm:GetParametersByPath`` on
    ``parameter/sagemaker-serving/*``.
    """
    pages = aws.client("ssm").get_paginator("get_parameters_by_path")
    root = parameter_name("", "", "").split("//")[0]
    found: set[str] = set()
    try:
        for page in pages.paginate(Path=root, Recursive=True):
            found |= {each["Name"].removeprefix(f"{root}/") for each in page["Parameters"]}
    except ClientError as error:
        if error.response["Error"]["Code"].startswith("AccessDenied"):
            return None
        raise
    return sorted({name.rpartition("/")[0] for name in found})


def leftovers(environment: Environment, deployed: Sequence[str], region: str) -> list[str]:
    """The models that are deployed in a region, and that ``environment`` has not, or not there."""
    ours = (name.split("/", 1) for name in deployed)
    is_here = region == environment.region
    return [
        model
        for name, model in ours
        if name == environment.name
        and model not in _SHARED
        and not (is_here and model in environment.models)
    ]


def leftover_problems(
    environment: Environment, deployed: Sequence[str] | None, region: str, where: Where
) -> Iterator[Problem]:
    """A warning for each model that runs on without a file; a note where nobody may tell."""
    if deployed is None:
        yield Problem(
            rule="account-leftover",
            where=where,
            severity=Severity.NOTE,
            message=not_read(region),
        )
        return
    for model in leftovers(environment, deployed, region):
        yield Problem(
            rule="account-leftover",
            where=where / "models",
            severity=Severity.WARNING,
            message=why_left(environment, model, region),
        )


def not_read(region: str) -> str:
    """What is told where `deployed_models` finds nothing out."""
    return (
        f"whether stacks of no file run on in {region} is not checked: these credentials may not "
        "ssm:GetParametersByPath below /sagemaker-serving"
    )


def why_left(environment: Environment, model: str, region: str) -> str:
    """What runs on, and the command that ends it."""
    stack = environment.stack_name(model)
    return (
        f"the stack {stack} runs on in {region}, and is billed, although the file has no model "
        f"{model} there; once nobody calls it: aws cloudformation delete-stack "
        f"--stack-name {stack} --region {region}"
    )

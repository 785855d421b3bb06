"""Stacks that run on although no file has them: CDK deletes no stack that left the app."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError, HTTPClientError

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.spec import Environment, PrivateNetwork
from sagemaker_serving.spec.environment import parameter_name

_SHARED = ("network", "storage")
_REFUSED = ("AccessDenied", "Unauthorized", "UnrecognizedClient", "InvalidClientTokenId")
"""A session of STS's global endpoint is not known in regions that an account opts into (IAM user
guide, "Manage AWS STS in an AWS Region")."""


@dataclass(frozen=True, kw_only=True)
class Deployed:
    """What stacks of an account publish of, by region, and where that could not be read.

    It is ``<environment>/<model>``, ``<environment>/storage`` or ``<environment>/network``.
    """

    found: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unread: Sequence[str] = field(default_factory=list)


def deployed_stacks(aws: Aws) -> Deployed:
    """Reads it in each region that is enabled for the account.

    Needs ``ssm:GetParametersByPath`` on ``parameter/sagemaker-serving/*`` and
    ``ec2:DescribeRegions``, and does without. Source: EC2 API reference, DescribeRegions.
    """
    ec2 = aws.client("ec2")
    here, unread = ec2.meta.region_name, []
    try:
        regions = {each["RegionName"] for each in ec2.describe_regions()["Regions"]} | {here}
    except ClientError as error:
        if not error.response["Error"]["Code"].startswith(_REFUSED):
            raise
        regions, unread = {here}, ["every other region"]
    clients = aws.clients("ssm", sorted(regions), connect_seconds=5)
    with ThreadPoolExecutor(max_workers=8) as pool:
        found = dict(zip(sorted(regions), pool.map(_published, clients), strict=True))
    return Deployed(
        found={region: names for region, names in found.items() if names},
        unread=[*(region for region, names in found.items() if names is None), *unread],
    )


def _published(client: Any) -> list[str] | None:
    root = parameter_name("", "", "").split("//")[0]
    names: set[str] = set()
    try:
        for page in client.get_paginator("get_parameters_by_path").paginate(
            Path=root, Recursive=True
        ):
            names |= {each["Name"].removeprefix(f"{root}/") for each in page["Parameters"]}
    except HTTPClientError:
        return None
    except ClientError as error:
        if error.response["Error"]["Code"].startswith(_REFUSED):
            return None
        raise
    return sorted({name.rpartition("/")[0] for name in names})


def leftovers(environment: Environment, deployed: Deployed) -> Iterator[tuple[str, str]]:
    """What of ``environment`` runs on, and why that is told; models before what they stand in."""
    for region, names in sorted(deployed.found.items()):
        ours = [each.partition("/")[2] for each in names if each.startswith(f"{environment.name}/")]
        for of in sorted(ours, key=lambda of: (of in _SHARED, of)):
            if region != environment.region or not _has(environment, of):
                yield of, _why_left(environment, of, region)


def _has(environment: Environment, of: str) -> bool:
    if of == "network":
        return isinstance(environment.network, PrivateNetwork)
    return of == "storage" or of in environment.models


def leftover_problems(
    environment: Environment, deployed: Deployed, where: Where
) -> Iterator[Problem]:
    """A warning for each stack that runs on without a file; a note where nobody may tell."""
    for _, why in leftovers(environment, deployed):
        yield Problem(
            rule="account-leftover",
            where=where / "models",
            severity=Severity.WARNING,
            message=why,
        )
    if deployed.unread:
        yield Problem(
            rule="account-leftover",
            where=where,
            severity=Severity.NOTE,
            message=not_read(deployed),
        )


def unnamed_problems(known: set[str], deployed: Deployed, where: Where) -> Iterator[Problem]:
    """A note for each environment that none of the app's files is named like, region by region.

    It may be one whose file was removed or has another name now, or another app's.
    """
    for region, names in sorted(deployed.found.items()):
        for name in sorted({each.partition("/")[0] for each in names} - known):
            stacks = sorted(
                (each.partition("/")[2] for each in names if each.startswith(f"{name}/")),
                key=lambda of: (of in _SHARED, of),
            )
            told = ", ".join(f"{name}-{of.title() if of in _SHARED else of}" for of in stacks)
            yield Problem(
                rule="account-leftover",
                where=where,
                severity=Severity.NOTE,
                message=(
                    f"the environment {name} runs in {region}, and is billed, although no file "
                    f"has that name; unless another app deploys it, delete its stacks once nobody "
                    f"uses it, in this order: {told}"
                ),
            )


def not_read(deployed: Deployed) -> str:
    """What is told where `deployed_stacks` finds nothing out."""
    return (
        f"whether stacks of no file run on in {', '.join(deployed.unread)} is not checked: these "
        "credentials may not ec2:DescribeRegions, or ssm:GetParametersByPath below "
        "/sagemaker-serving there"
    )


def _why_left(environment: Environment, of: str, region: str) -> str:
    """What runs on, and the commands that end it."""
    stack = environment.stack_name(of.title() if of in _SHARED else of)
    named = f"--stack-name {stack} --region {region}"
    protected = (
        f"aws cloudformation update-termination-protection --no-enable-termination-protection "
        f"{named} && "
    )
    return (
        f"the stack {stack} runs on in {region}, and is billed, although the file has no "
        f"{of if of in _SHARED else f'model {of}'} there; once nobody uses it: "
        f"{protected if environment.production else ''}aws cloudformation delete-stack {named}"
    )

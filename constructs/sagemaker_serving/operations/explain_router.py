"""Whom an inference router asks, and whether a file says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from botocore.exceptions import ClientError

from sagemaker_serving.client.aws import Aws, aws_failures
from sagemaker_serving.errors import NotFound
from sagemaker_serving.operations.explain import Deviation
from sagemaker_serving.spec import Environment


@dataclass(frozen=True, kw_only=True)
class Target:
    """A routing target; ``destinations`` are RoutingStatuses by ARN, in the router's order."""

    name: str
    asynchronous: bool
    preference: str
    destinations: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class RouterExplanation:
    """An inference router, and all that it may send requests to."""

    router: str
    arn: str
    status: str
    changed: str
    targets: tuple[Target, ...]

    def as_dict(self) -> dict[str, Any]:
        """All of it, for programs."""
        return asdict(self)


def explain_router(name: str, aws: Aws) -> RouterExplanation | None:
    """Asks SageMaker whom the router ``name`` asks; None where there is none.

    Needs ``sagemaker:DescribeInferenceRouter``, and boto3 1.44.5: without either there is none.
    A destination that the caller may not describe is Unknown.
    """
    client = aws.client("sagemaker")
    if not hasattr(client, "describe_inference_router"):
        return None
    with aws_failures():
        try:
            found = client.describe_inference_router(InferenceRouterName=name)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code != "ResourceNotFound" and "AccessDenied" not in code:
                raise
            return None
    return RouterExplanation(
        router=name,
        arn=found["InferenceRouterArn"],
        status=found["Status"],
        changed=found["LastModifiedTime"].isoformat(timespec="seconds"),
        targets=tuple(
            Target(
                name=target["Name"],
                asynchronous="AsyncInferenceConfig" in target,
                preference=target.get("RoutingPreference", "LocalRegionFirst"),
                destinations={
                    each["ResourceArn"]: each.get("RoutingStatus", "Unknown")
                    for each in target["Destinations"]
                },
            )
            for target in found["RoutingTargets"]
        ),
    )


def router_deviations(found: RouterExplanation, environment: Environment) -> list[Deviation]:
    """What is not as the file says, by routing target. Raises `NotFound` where it has no such
    router."""
    prefix, name = f"{environment.name}-", found.router
    router = environment.routers.get(name.removeprefix(prefix))
    if router is None or not name.startswith(prefix):
        known = ", ".join(f"{prefix}{each}" for each in environment.routers) or "none"
        raise NotFound(f"the file has no router {name!r}; it has {known}")
    place = found.arn.rpartition(":")[0]
    said = {
        target: (
            spec.asynchronous,
            {
                each if each.startswith("arn:") else f"{place}:{environment.destination(each)}"
                for each in spec.destinations
            },
        )
        for target, spec in router.routing_targets.items()
    }
    runs = {each.name: (each.asynchronous, set(each.destinations)) for each in found.targets}
    return list(_compared(said, runs))


_Targets = Mapping[str, tuple[bool, set[str]]]


def _compared(said: _Targets, runs: _Targets) -> Iterator[Deviation]:
    for name in [*said, *(each for each in runs if each not in said)]:
        if name not in runs or name not in said:
            file, there = ("is there", "is not there")[:: 1 if name in said else -1]
            yield Deviation(variant=name, what="routing target", file=file, runs=there)
            continue
        for what, of_file, there in (
            ("asynchronous", *(str(each[name][0]) for each in (said, runs))),
            ("destinations", *(", ".join(sorted(each[name][1])) for each in (said, runs))),
        ):
            if of_file != there:
                yield Deviation(variant=name, what=what, file=of_file, runs=there)

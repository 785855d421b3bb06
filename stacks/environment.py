"""One environment: its storage, its network if it has one, a stack per model, then its routers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra import InferenceRouter, RoutingTarget, S3Prefix
from sagemaker_serving.spec import Environment, PrivateNetwork
from sagemaker_serving.spec.places import ROUTED
from sagemaker_serving.spec.routers import RoutingTarget as RoutingTargetSpec
from stacks.network import NetworkStack
from stacks.organization import obey, take_existing_roles
from stacks.own_stack import OwnStack
from stacks.provenance import tag_provenance
from stacks.serving import ServingStack
from stacks.storage import StorageStack, data_bucket, data_key

_MOST_TAGS = 48
"""Of the 50 that a resource of SageMaker's may have (botocore TagList), two are a config's own:
`spec.provenance.ENDPOINT_TAG`, and what its endpoint served before. Then the file's come first."""


class EnvironmentStage(cdk.Stage):
    """Everything that ``environments/<name>.yaml`` asks for, as a Stage of its own.

    Parameters are those of `add_environment`.
    """

    def __init__(
        self,
        scope: Construct,
        environment: Environment,
        *,
        folder: Path,
        account: str | None = None,
        provenance: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(scope, environment.name)
        add_environment(self, environment, folder=folder, account=account, provenance=provenance)


def add_environment(
    scope: Construct,
    environment: Environment,
    *,
    folder: Path,
    account: str | None = None,
    provenance: Mapping[str, str] | None = None,
) -> None:
    """Adds the stacks of ``environment`` to ``scope``: a Stage, or anything within the app.

    Stacks are named ``<environment>-<model>``, ``<environment>-Storage``,
    ``<environment>-Network`` and ``<environment>-Routers`` wherever they stand. ``folder`` is where
    the file's relative paths start; ``account`` is deployed to instead of the one that the file
    names; ``provenance`` are tags of what is served, as `provenance_of` tells them, where the
    file's own leave room. Models in a ``transition`` become what they are in this step of it.
    """
    environment = environment.in_transition()
    where = cdk.Environment(
        account=account if account is not None else environment.account,
        region=environment.region,
    )
    take_existing_roles(scope, environment.organization)
    storage = StorageStack(scope, "Storage", environment=environment, env=where)
    before: list[cdk.Stack] = [storage]
    if isinstance(environment.network, PrivateNetwork):
        before.append(
            NetworkStack(
                scope,
                "Network",
                environment=environment,
                network=environment.network,
                env=where,
            )
        )
    models = []
    for name in environment.models:
        serving = ServingStack(
            scope,
            name,
            environment=environment,
            model=name,
            folder=folder,
            env=where,
        )
        for stack in before:
            serving.add_stack_dependency(stack)
        models.append(serving)
    if environment.routers:
        routers = RoutersStack(
            scope,
            "Routers",
            environment=environment,
            env=where,
        )
        for each in (storage, *models):
            routers.add_stack_dependency(each)
    obey(scope, environment.organization)
    for key, value in environment.tags.items():
        cdk.Tags.of(scope).add(key, value)
    if provenance is not None and len(environment.tags) + len(provenance) <= _MOST_TAGS:
        tag_provenance(scope, provenance)


class RoutersStack(OwnStack):
    """A router for each that the file names, ``<environment>-<router>``; deployed after the models
    that it sends requests to."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        env: cdk.Environment,
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            environment=environment,
            env=env,
            description=f"Sends requests to endpoints of {environment.name} and others",
        )
        for name, router in environment.routers.items():
            InferenceRouter(
                self,
                name,
                router_name=f"{environment.name}-{name}",
                routing_targets={
                    target: self._target(environment, f"{name}/{target}", spec)
                    for target, spec in router.routing_targets.items()
                },
                retain_logs=environment.production,
                encryption_key=data_key(self, environment),
            )

    def _target(
        self, environment: Environment, place: str, spec: RoutingTargetSpec
    ) -> RoutingTarget:
        prefix = None
        if spec.asynchronous:
            bucket = data_bucket(self, environment)
            prefix = S3Prefix(bucket=bucket, prefix=f"{ROUTED}/{place}")
        return RoutingTarget(
            destinations=[self._arn(environment, each) for each in spec.destinations],
            asynchronous_output=prefix,
            max_time_in_backlog_seconds=spec.max_time_in_backlog_seconds,
        )

    def _arn(self, environment: Environment, destination: str) -> str:
        if destination.startswith("arn:"):
            return destination
        kind, _, name = environment.destination(destination).partition("/")
        return self.format_arn(service="sagemaker", resource=kind, resource_name=name)

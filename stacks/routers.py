"""The inference routers of an environment, over the endpoints of its models and others."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra import InferenceRouter, RoutingTarget, S3Prefix
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.places import ROUTED
from sagemaker_serving.spec.routers import RoutingTarget as RoutingTargetSpec
from stacks.own_stack import OwnStack
from stacks.storage import data_bucket, data_key


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

"""One environment as a Stage: its storage, then one stack per model."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.spec import Environment
from stacks.serving import ServingStack
from stacks.storage import StorageStack


class EnvironmentStage(cdk.Stage):
    """Everything that ``environments/<name>.yaml`` asks for.

    :param environment: the typed file; ``folder`` is where its relative paths start.
    """

    def __init__(self, scope: Construct, environment: Environment, *, folder: Path) -> None:
        super().__init__(
            scope,
            environment.name,
            env=cdk.Environment(account=environment.account, region=environment.region),
        )
        storage = StorageStack(self, "Storage", environment=environment)
        for name in environment.models:
            serving = ServingStack(self, name, environment=environment, model=name, folder=folder)
            serving.add_stack_dependency(storage)
        for key, value in environment.tags.items():
            cdk.Tags.of(self).add(key, value)

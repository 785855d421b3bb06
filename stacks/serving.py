"""The stateless stack of one model: role, models, endpoint, batch pipeline."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.spec import Environment
from stacks.batch import add_batch_transform
from stacks.endpoints import add_endpoint
from stacks.kept_versions import read_earlier_archives
from stacks.own_stack import OwnStack
from stacks.serving_scope import ServingScope


class ServingStack(OwnStack):
    """One model of an environment, as its file describes it.

    Outputs ``EndpointName`` and, with a batch pipeline, ``StateMachineArn`` and
    the prefixes that it reads and writes; the same leave as SSM parameters
    under ``/sagemaker-serving/<environment>/<model>/``.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        model: str,
        folder: Path,
        env: cdk.Environment,
    ) -> None:
        super().__init__(
            scope,
            construct_id,
            environment=environment,
            env=env,
            description=f"Serves {model} in {environment.name}",
        )
        serving = ServingScope(self, environment=environment, model=model, folder=folder)
        if serving.spec.variants:
            add_endpoint(serving)
        if serving.spec.batch_transform is not None:
            add_batch_transform(serving, serving.spec.batch_transform)
        read_earlier_archives(environment, model, serving.role)

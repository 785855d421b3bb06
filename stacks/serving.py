"""The stateless stack of one model: role, models, endpoint, batch pipeline."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra.synth.granting import KEY_WARNING, TOPIC_WARNING
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
        _vouch_for_policies(self)
        serving = ServingScope(self, environment=environment, model=model, folder=folder)
        if serving.spec.variants:
            add_endpoint(serving)
        if serving.spec.batch_transform is not None:
            add_batch_transform(serving, serving.spec.batch_transform)
        read_earlier_archives(environment, model, serving.role)


def _vouch_for_policies(stack: cdk.Stack) -> None:
    """The policies of key and topic are made right where these are made, in the storage stack."""
    warnings = cdk.Annotations.of(stack)
    warnings.acknowledge_warning(KEY_WARNING, "DataBucket lets CloudWatch Logs use its key")
    warnings.acknowledge_warning(
        TOPIC_WARNING,
        "AlarmTopic lets alarms publish; what a topic that the file names needs is in "
        "sagemaker-serving docs environment-files",
    )

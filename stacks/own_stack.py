"""What every stack of an environment has: its name, its place, and what keeps it from deletion."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra.synth.granting import KEY_WARNING, TOPIC_WARNING
from sagemaker_serving.spec import Environment


class OwnStack(cdk.Stack):
    """``<environment>-<construct_id>``, deployed to ``env``; in production it is protected.

    It finds the bootstrap that the environment's organization names, else the app's.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        environment: Environment,
        env: cdk.Environment,
        description: str,
    ) -> None:
        bootstrap = environment.organization.bootstrap
        super().__init__(
            scope,
            construct_id,
            env=env,
            synthesizer=None
            if bootstrap is None
            else cdk.DefaultStackSynthesizer(**bootstrap.model_dump(exclude_none=True)),
            stack_name=environment.stack_name(construct_id),
            description=description,
            termination_protection=environment.production,
        )
        # The policies of key and topic are made right where these are made, in the storage stack.
        warnings = cdk.Annotations.of(self)
        warnings.acknowledge_warning(KEY_WARNING, "DataBucket lets CloudWatch Logs use its key")
        warnings.acknowledge_warning(
            TOPIC_WARNING,
            "AlarmTopic lets alarms publish; what a topic that the file names needs is in "
            "sagemaker-serving docs environment-files",
        )

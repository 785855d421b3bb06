"""The stateless stack of one model: role, models, endpoint, batch pipeline."""

from __future__ import annotations

from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from sagemaker_serving.infra import BatchTransform
from sagemaker_serving.spec import BatchTransform as BatchTransformSpec
from sagemaker_serving.spec import Environment
from sagemaker_serving.spec.places import BATCH_PLACES
from stacks.endpoints import add_endpoint
from stacks.kept_versions import read_earlier_archives
from stacks.monitoring import alarm_topic
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
            _add_batch_transform(serving, serving.spec.batch_transform)
        read_earlier_archives(environment, model, serving.role)


def _add_batch_transform(serving: ServingScope, spec: BatchTransformSpec) -> None:
    """Adds the pipeline; its state machine and its prefixes leave as outputs and parameters."""
    stack, environment = serving.stack, serving.environment
    places = {kind: serving.prefix(below) for kind, below in BATCH_PLACES.items()}
    topic = serving.topic("BatchTopic", spec.notification_topic)
    batch = BatchTransform(
        stack,
        "BatchTransform",
        model=serving.model(stack, "BatchModel", None, spec.instance_type),
        job_role=serving.role,
        settings=spec,
        inputs=places["input"],
        outputs=places["output"],
        work=places["work"],
        reports=places["reports"],
        retain_logs=environment.production,
        encryption_key=serving.key,
        topic=topic,
        topic_key=serving.key if spec.notification_topic == "new" else None,
    )
    serving.publish("StateMachineArn", "state-machine-arn", batch.state_machine.state_machine_arn)
    for kind in places:
        serving.publish(f"Batch{kind.title()}", f"batch-{kind}", f"{places[kind].uri}/")
    monitoring = environment.monitoring_of(serving.name)
    if monitoring is not None and monitoring.alarms:
        batch.add_alarms(
            stack,
            "Batch",
            topic=alarm_topic(stack, environment, monitoring),
            alarm_name=f"{environment.endpoint_name(serving.name)}-batch",
            of=serving.name,
        )
    if spec.schedule is not None:
        batch.start_on_schedule(stack, "BatchSchedule", spec.schedule)
    if spec.arrivals is not None:
        batch.start_on_arrivals(stack, "BatchArrivals", spec.arrivals)

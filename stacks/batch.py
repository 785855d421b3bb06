"""The batch half of a model's stack: the pipeline, what starts it, and who hears of it."""

from __future__ import annotations

from sagemaker_serving.infra import BatchTransform
from sagemaker_serving.spec import BatchTransform as BatchTransformSpec
from sagemaker_serving.spec.places import BATCH_PLACES
from stacks.monitoring import alarm_topic
from stacks.serving_scope import ServingScope


def add_batch_transform(serving: ServingScope, spec: BatchTransformSpec) -> None:
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

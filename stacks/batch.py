"""The batch half of a model's stack: the pipeline, what starts it, and who hears of it."""

from __future__ import annotations

from typing import Any

from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam

from sagemaker_serving.infra import BatchTransform
from sagemaker_serving.infra.monitoring.topic import let_alarms_publish
from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy
from sagemaker_serving.spec import BatchTransform as BatchTransformSpec
from sagemaker_serving.spec.places import BATCH_PLACES
from stacks.kept_versions import keep_batch_model
from stacks.monitoring import alarm_topic
from stacks.serving_scope import ServingScope


def add_batch_transform(serving: ServingScope, spec: BatchTransformSpec) -> None:
    """Adds the pipeline; its state machine and its prefixes leave as outputs and parameters."""
    places = {kind: serving.prefix(below) for kind, below in BATCH_PLACES.items()}
    topic = serving.topic("BatchTopic", spec.notification_topic)
    model = serving.model(serving.stack, "BatchModel", None, spec.instance_type)
    keep_batch_model(model)
    batch = BatchTransform(
        serving.stack,
        "BatchTransform",
        model=model,
        job_role=serving.role,
        settings=spec,
        inputs=places["input"],
        outputs=places["output"],
        work=places["work"],
        reports=places["reports"],
        retain_logs=serving.environment.production,
        encryption_key=serving.key,
        topic=topic,
        topic_key=serving.key if spec.notification_topic == "new" else None,
    )
    serving.publish("StateMachineArn", "state-machine-arn", batch.state_machine.state_machine_arn)
    for kind in places:
        serving.publish(f"Batch{kind.title()}", f"batch-{kind}", f"{places[kind].uri}/")
    _watch(serving, batch)
    if spec.schedule is not None:
        _start(
            serving,
            batch,
            "BatchSchedule",
            {"schedule_expression": spec.schedule},
            {"input": f"{places['input'].uri}/", "output": f"{places['output'].uri}/scheduled/"},
        )
    if spec.arrivals is not None:
        _on_arrivals(serving, batch, spec, places["input"].uri, places["output"].uri)


def _watch(serving: ServingScope, batch: BatchTransform) -> None:
    """Alarms on executions that fail, and on ends that nobody was told of, where the file asks
    for alarms."""
    monitoring = serving.environment.monitoring_of(serving.name)
    if monitoring is None or not monitoring.alarms:
        return
    topic = alarm_topic(serving.stack, serving.environment, monitoring)
    let_alarms_publish(topic, serving.stack)
    name = f"{serving.environment.endpoint_name(serving.name)}-batch"
    for construct_id, ending, metric, what in (
        (
            *("BatchFailures", "failures", batch.metric_failures()),
            "a batch failed, ran out of time, or was stopped",
        ),
        (
            *("BatchUntold", "untold", batch.metric_untold()),
            "a batch ended, and its topic could not be told",
        ),
    ):
        if metric is None:
            continue
        alarm = cloudwatch.Alarm(
            serving.stack,
            construct_id,
            alarm_name=f"{name}-{ending}",
            alarm_description=f"{serving.name}: {what}",
            metric=metric,
            threshold=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            # A period is looked at twice: metrics come late, and what had none counts as 0.
            evaluation_periods=2,
            datapoints_to_alarm=1,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(topic))


def _on_arrivals(
    serving: ServingScope, batch: BatchTransform, spec: BatchTransformSpec, source: str, output: str
) -> None:
    arriving = f"{serving.name}/{BATCH_PLACES['input']}/arriving/"
    ending = ".manifest" if spec.arrivals == "manifests" else ""
    bucket = serving.bucket.bucket_name
    key = "<key>"
    _start(
        serving,
        batch,
        "BatchArrivals",
        {
            "event_pattern": {
                "source": ["aws.s3"],
                "detail-type": ["Object Created"],
                "detail": {
                    "bucket": {"name": [bucket]},
                    "object": {"key": [{"wildcard": f"{arriving}*{ending}"}]},
                },
            }
        },
        {
            "input": f"s3://{bucket}/{key}",
            "output": f"{output}/arrived/{key}/",
            "input_type": "ManifestFile" if spec.arrivals == "manifests" else "S3Prefix",
        },
        transformed=True,
    )


def _start(
    serving: ServingScope,
    batch: BatchTransform,
    construct_id: str,
    when: dict[str, Any],
    given: dict[str, str],
    *,
    transformed: bool = False,
) -> None:
    """A rule that starts an execution, in the name of a role that may do that only."""
    role = iam.Role(
        serving.stack,
        f"{construct_id}Role",
        assumed_by=iam.ServicePrincipal("events.amazonaws.com"),
        description="Starts executions of the batch pipeline",
    )
    acknowledge_own_policy(role)
    batch.grant_start(role)
    text = serving.stack.to_json_string(given)
    target: dict[str, Any] = {"input": text}
    if transformed:
        target = {
            "input_transformer": events.CfnRule.InputTransformerProperty(
                input_paths_map={"key": "$.detail.object.key"}, input_template=text
            )
        }
    events.CfnRule(
        serving.stack,
        construct_id,
        **when,
        targets=[
            events.CfnRule.TargetProperty(
                id="StateMachine",
                arn=batch.state_machine.state_machine_arn,
                role_arn=role.role_arn,
                **target,
            )
        ],
    )

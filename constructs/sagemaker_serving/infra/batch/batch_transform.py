"""The batch pipeline: a state machine that runs SageMaker transform jobs until all is done."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_iam as iam
from constructs import Construct

from sagemaker_serving import log_groups
from sagemaker_serving.catalog import instances
from sagemaker_serving.catalog.gpu_hosts import ami_for
from sagemaker_serving.infra.batch.definition import NAMESPACE, asks_for_jobs, batch_definition
from sagemaker_serving.infra.batch.events import let_publish, start_on, tell_of_other_ends
from sagemaker_serving.infra.batch.settings import transform_settings
from sagemaker_serving.infra.functions.own_function import OwnFunction
from sagemaker_serving.infra.functions.own_machine import add_machine
from sagemaker_serving.infra.monitoring.topic import let_alarms_publish
from sagemaker_serving.infra.roles.container_grants import grant_logs_and_metrics
from sagemaker_serving.infra.storage.data_bucket import DataBucket
from sagemaker_serving.infra.storage.s3_prefix import S3Prefix
from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy, acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import (
    grant,
    grant_apart,
    grant_key_grants,
    grant_within,
)
from sagemaker_serving.infra.synth.tokens import colon_arn, is_token, partition, stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_events as events
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs
    from aws_cdk import aws_s3 as s3
    from aws_cdk import aws_sns as sns
    from aws_cdk import aws_stepfunctions_tasks as tasks

    from sagemaker_serving.infra.model.model import Model
    from sagemaker_serving.spec import BatchTransformSettings

WORK_DAYS = 30
"""How long work is kept: it is of use while a batch runs, and for a look at what happened."""
_MANAGED_RULE = "StepFunctionsGetEventsForSageMakerTransformJobsRule"
"""Step Functions learns of a job's end through this rule, which it makes itself.
Source: AWS Step Functions developer guide, SageMaker integration."""


class BatchTransform(Construct):
    """A state machine whose executions each transform every object of an input.

    ::

        batch = BatchTransform(
            stack,
            "Batch",
            model=model,
            settings=BatchTransformSettings(instance_type="ml.m5.xlarge", split_type="Line"),
        )

    An execution's input is ``{"input": "s3://bucket/prefix/", "output":
    "s3://bucket/prefix/"}``, with any field of ``settings`` beside them to override it. It cuts the
    input into shards and runs a transform job for each. What failed is run again where that may
    help, and taken apart when it fails twice. It ends with a report: every object has an output, or
    stands with its reason in the ``quarantine.jsonl`` of that output below ``reports``.
    Started again on the same output it does what is missing.

    The machine's role may run transform jobs and call its function; CreateTransformJob passes no
    role, the Model has its own. That role is granted what jobs need, with VolumeKmsKeyId also
    kms:CreateGrant. The caller needs it only where that role has it not. Source: SageMaker
    developer guide, "API Permissions".

    :param model: what answers. Jobs run as its role. A deploy that replaces it keeps it: an
        execution that runs meanwhile names it for every job that it is still to start.
    :param settings: what every job has in common, and how inputs are cut and tried again.
    :param bucket: has those of the four that follow which are not given, below the
        construct's path; a `DataBucket` that outlives the stack unless given.
    :param inputs: what may be read.
    :param outputs: what may be written.
    :param work: where manifests, chunks and plans lie while an execution runs.
    :param reports: where each output's lock, quarantine and reports lie, in a folder of its own.
        Inputs and outputs overlap neither this nor ``work``.
    :param job_role: the model's role, where that is not known to it.
    :param function_role: what the pipeline's function runs as; made here unless given.
    :param state_machine_role: what the state machine runs as; made here unless given.
    :param notification_role: what EventBridge publishes as where an execution could not tell
        ``topic`` itself; made here unless given.
    :param log_group: what both write to; made here, one for each, unless given.
    :param retain_logs: whether the logs made here outlive the stack.
    :param encryption_key: encrypts these logs, which CloudWatch Logs is let use it for, and, if
        settings ask for it, jobs' volumes. Absent, AWS's own keys do.
    :param topic: is told of every end; `topic_key` is its key, if it is one's own and the topic
        does not tell it.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        model: Model,
        settings: BatchTransformSettings,
        bucket: s3.IBucket | None = None,
        inputs: S3Prefix | None = None,
        outputs: S3Prefix | None = None,
        work: S3Prefix | None = None,
        reports: S3Prefix | None = None,
        job_role: iam.IRole | None = None,
        function_role: iam.IRole | None = None,
        state_machine_role: iam.IRole | None = None,
        notification_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool = True,
        encryption_key: kms.IKey | None = None,
        topic: sns.ITopic | None = None,
        topic_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        model.keep_replaced()
        if settings.transform_ami_version is None:
            types = settings.instance_types or [settings.instance_type]
            needed = ami_for("transform", types, model.images)
            settings = settings.model_copy(update={"transform_ami_version": needed})
        self._settings = settings
        self._bucket, self._key = bucket, encryption_key
        self.inputs = inputs if inputs is not None else self._below("input")
        """What executions may read."""
        self.outputs = outputs if outputs is not None else self._below("output")
        """What they may write."""
        self._work = work if work is not None else self._below("work")
        self.reports = reports if reports is not None else self._below("reports")
        """Where locks, quarantines and reports lie, in a folder for each output."""
        self.function = OwnFunction(
            self,
            "Function",
            package="batch_transform",
            handler="handler.handler",
            shares=("functions/custom_resource",),
            timeout=cdk.Duration.minutes(15),
            memory_size_mb=1024,
            role=function_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        """The function that plans, settles, isolates and reports."""
        volume_key = _volume_key(settings, encryption_key)
        given = transform_settings(
            settings,
            model_name=model.model_name,
            work=f"{self._work.uri}/",
            reports=f"{self.reports.uri}/",
            requests_alone=model.requests_alone,
            is_batching=model.is_batching,
            output_key=self.outputs.key_arn,
            volume_key=None if volume_key is None else volume_key.key_arn,
        )
        self._asks = asks_for_jobs(given["job"])
        definition = batch_definition(
            partition=partition(),
            function_arn=self.function.function.function_arn,
            settings=given,
            topic_arn=None if topic is None else topic.topic_arn,
        )
        self.state_machine = add_machine(
            self,
            "Resource",
            definition,
            role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        """The state machine."""
        self._other_ends: events.CfnRule | None = None
        self._machine_role = self.state_machine.role
        self._given_roles = [] if state_machine_role is None else [state_machine_role]
        acknowledge_own_policy(self)
        self._grant_jobs()
        self._grant_map()
        self._grant_publishing(topic, topic_key)
        if topic is not None:
            self._other_ends = tell_of_other_ends(
                self, self.state_machine.state_machine_arn, topic, topic_key, notification_role
            )
        self._grant_function()
        self._grant_job_role(job_role if job_role is not None else model.role, volume_key)

    def start_on_schedule(
        self, scope: Construct, construct_id: str, schedule: str
    ) -> events.CfnRule:
        """Starts an execution for what is new among ``inputs``, by the clock.

        Its answers go below ``scheduled/`` of ``outputs``. ``schedule`` is ``rate(1 day)``, or
        ``cron(0 4 * * ? *)`` in UTC (EventBridge user guide, "Creating a scheduled rule").
        """
        what = {"input": f"{self.inputs.uri}/", "output": f"{self.outputs.uri}/scheduled/"}
        machine = self.state_machine.state_machine_arn
        return start_on(scope, construct_id, machine, what, schedule_expression=schedule)

    def start_on_arrivals(
        self, scope: Construct, construct_id: str, arrivals: Literal["objects", "manifests"]
    ) -> events.CfnRule:
        """Starts an execution for each object, or each ``*.manifest``, that arrives below
        ``arriving/`` of ``inputs``; its answers go below ``arrived/<its key>/`` of ``outputs``.

        The bucket has to tell EventBridge of its objects. That of a `DataBucket` of this app does
        so from now on. For any other, call its ``enable_event_bridge_notification``.
        """
        above = self.inputs.bucket.node.scope
        if isinstance(above, DataBucket):
            above.tell_of_objects()
        arriving = f"{self.inputs.prefix.strip('/')}/arriving/*"
        bucket, in_manifests = self.inputs.bucket.bucket_name, arrivals == "manifests"
        key = {"wildcard": f"{arriving}.manifest" if in_manifests else arriving}
        return start_on(
            scope,
            construct_id,
            self.state_machine.state_machine_arn,
            {
                "input": f"s3://{bucket}/<key>",
                "output": f"{self.outputs.uri}/arrived/<key>/",
                "input_type": "ManifestFile" if in_manifests else "S3Prefix",
            },
            key="$.detail.object.key",
            event_pattern={
                "source": ["aws.s3"],
                "detail-type": ["Object Created"],
                "detail": {"bucket": {"name": [bucket]}, "object": {"key": [key]}},
            },
        )

    def add_alarms(
        self,
        scope: Construct,
        construct_id: str,
        *,
        topic: sns.ITopic,
        alarm_name: str | None = None,
        of: str | None = None,
    ) -> None:
        """Alarms ``<id>Failures``, on executions that fail, and ``<id>Untold``, on ends that the
        pipeline's own topic could not be told of.

        :param topic: is told when one goes off; its policy and its key let CloudWatch do so.
        :param alarm_name: their names are this and ``-failures``, this and ``-untold``;
            CloudFormation's own unless given.
        :param of: what they are described as being of; the pipeline's path unless given.
        """
        from aws_cdk import aws_cloudwatch_actions as actions

        let_alarms_publish(topic, scope)
        for ending, metric, what in (
            (
                *("failures", self.metric_failures()),
                "a batch failed, ran out of time, or was stopped",
            ),
            (*("untold", self.metric_untold()), "a batch ended, and its topic could not be told"),
        ):
            if metric is not None:
                cloudwatch.Alarm(
                    scope,
                    f"{construct_id}{ending.title()}",
                    alarm_name=None if alarm_name is None else f"{alarm_name}-{ending}",
                    alarm_description=f"{of if of is not None else self.node.path}: {what}",
                    metric=metric,
                    threshold=1,
                    comparison_operator=(
                        cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD
                    ),
                    # A period is looked at twice: metrics come late, and what had none counts as 0.
                    evaluation_periods=2,
                    datapoints_to_alarm=1,
                    treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
                ).add_alarm_action(actions.SnsAction(topic))

    def as_task(
        self,
        scope: Construct,
        construct_id: str,
        *,
        input: str | None = None,
        output: str | None = None,
        fields: Mapping[str, Any] | None = None,
        **props: Any,
    ) -> tasks.StepFunctionsStartExecution:
        """A task of one's own state machine: it starts an execution and waits for its end.

        The machine that has it is granted that. It fails as the execution does, and its result is
        DescribeExecution's: ``$.Output.counts`` has the report's counts.

        :param input: what is transformed, ``s3://…``, or where the state has it, as
            ``JsonPath.string_at("$.input")``: all that lies below ``inputs`` unless given.
        :param output: where answers go, ``s3://…/``; ``outputs`` unless given.
        :param fields: fields of `BatchTransformSettings` for this execution alone.
        :param props: those of every task of aws_cdk: ``result_path``, ``task_timeout``,
            ``query_language`` and others.
        """
        from sagemaker_serving.infra.batch.task import RunBatch

        given = {
            "input": input if input is not None else f"{self.inputs.uri}/",
            "output": output if output is not None else f"{self.outputs.uri}/",
            **(fields if fields is not None else {}),
        }
        return RunBatch(scope, construct_id, self.state_machine, given, **props)

    def metric(self, metric_name: str, *, period: cdk.Duration | None = None) -> cloudwatch.Metric:
        """A count of the executions that ended (sum): ``Objects``, ``Answered``, ``Quarantined``,
        ``Records``, ``AnsweredRecords``, ``QuarantinedRecords`` or ``Unaccounted``.

        ``period`` is five minutes unless given.
        """
        return cloudwatch.Metric(
            namespace=NAMESPACE,
            metric_name=metric_name,
            dimensions_map={"StateMachine": self.state_machine.state_machine_name},
            statistic="Sum",
            period=period,
        )

    def metric_failures(self, *, period: cdk.Duration | None = None) -> cloudwatch.IMetric:
        """A count of the executions that failed, ran out of time, or were stopped by somebody.

        Step Functions publishes it, also where the pipeline itself could tell nobody. ``period`` is
        five minutes unless given. One that has no data counts as 0: whether a sum has a value
        without it is unverified. Sources: Step Functions developer guide, "Execution metrics";
        CloudWatch user guide, "Using math expressions with CloudWatch metrics", FILL.
        """
        machine = self.state_machine
        return cloudwatch.MathExpression(
            label="executions that did not end well",
            expression="FILL(failed, 0) + FILL(timedOut, 0) + FILL(aborted, 0)",
            using_metrics={
                "failed": machine.metric_failed(period=period),
                "timedOut": machine.metric_timed_out(period=period),
                "aborted": machine.metric_aborted(period=period),
            },
            period=period,
        )

    def metric_untold(self, *, period: cdk.Duration | None = None) -> cloudwatch.Metric | None:
        """A count of the ends that the topic could not be told of, in no way; None without a topic.

        ``period`` is five minutes unless given. There is none while it is zero. Source:
        EventBridge user guide, "Monitoring Amazon EventBridge", FailedInvocations.
        """
        if self._other_ends is None:
            return None
        return cloudwatch.Metric(
            namespace="AWS/Events",
            metric_name="FailedInvocations",
            dimensions_map={"RuleName": self._other_ends.ref},
            statistic="Sum",
            period=period,
        )

    def grant_start(self, grantee: iam.IGrantable) -> iam.Grant:
        """Lets ``grantee`` start executions."""
        return grant(grantee, ["states:StartExecution"], self.state_machine.state_machine_arn)

    def _below(self, kind: str) -> S3Prefix:
        own = re.sub(r"[^\w/.-]+", "-", self.node.path)
        if self._bucket is None:
            data = DataBucket(
                self, "Data", encryption_key=self._key, expires={f"{own}/work/": WORK_DAYS}
            )
            self._bucket = data.bucket
        return S3Prefix(bucket=self._bucket, prefix=f"{own}/{kind}")

    def _grant_jobs(self) -> None:
        stack = stack_of(self)
        jobs = stack.format_arn(service="sagemaker", resource="transform-job", resource_name="*")
        rule = stack.format_arn(service="events", resource="rule", resource_name=_MANAGED_RULE)
        # Step Functions tags each job that it waits for (aws/aws-cdk#26012).
        run = ["CreateTransformJob", "AddTags", "DescribeTransformJob"]
        run += [] if self._asks else ["StopTransformJob"]
        self._let_machine([f"sagemaker:{action}" for action in run], jobs)
        if not self._asks:
            self._let_machine(["events:PutTargets", "events:PutRule", "events:DescribeRule"], rule)
        call = (["lambda:InvokeFunction"], self.function.function.function_arn)
        grant_within(self, "MachinePolicy", self._machine_role, call)
        self._acknowledge(
            jobs, "Jobs are named after executions, which are not known before they start"
        )
        self._acknowledge(
            "*",
            "X-Ray's, metrics' and log delivery's actions know no resources; metrics are bound to "
            "one namespace by a condition",
        )

    def _grant_map(self) -> None:
        """What a Distributed Map needs: its plan, its results, and executions of itself.

        The last is a policy of its own, since the machine waits for its role's other one
        (Step Functions developer guide, "IAM policies for using Distributed Map states").
        """
        self._let_machine(["s3:GetObject"], self._work_objects("*/plan.jsonl"))
        self._let_machine(
            [
                *("s3:GetObject", "s3:PutObject"),
                *("s3:ListMultipartUploadParts", "s3:AbortMultipartUpload"),
            ],
            self._work_objects("*/map/*"),
        )
        if self._work.key_arn is not None:
            self._let_machine(["kms:Decrypt", "kms:GenerateDataKey"], self._work.key_arn)
        # A redriven execution redrives its Map's children in the machine's own name (Step Functions
        # developer guide, "Redriving Map Runs").
        children = ["DescribeExecution", "RedriveExecution", "StopExecution"]
        grant_apart(
            self,
            "MapPolicy",
            self._machine_role,
            (["states:StartExecution"], self.state_machine.state_machine_arn),
            ([f"states:{action}" for action in children], self._executions("/*")),
        )
        self._acknowledge(
            self._executions("/*"),
            "Children of a Distributed Map are named by Step Functions",
        )

    def _grant_publishing(self, topic: sns.ITopic | None, key: kms.IKey | None) -> None:
        stack = stack_of(self)
        grant(
            self._machine_role,
            ["cloudwatch:PutMetricData"],
            "*",
            conditions={"StringEquals": {"cloudwatch:namespace": NAMESPACE}},
        )
        bus = stack.format_arn(service="events", resource="event-bus", resource_name="default")
        self._let_machine(["events:PutEvents"], bus)
        if topic is not None:
            let_publish(self._machine_role, topic, key)

    def _grant_function(self) -> None:
        role = self.function.role
        self.inputs.grant_read(role, of="Inputs of batch jobs")
        self.outputs.grant_list(role)
        self.outputs.grant_write(role, of="Outputs of batch jobs")
        for place, of in (
            (self._work, "What batch jobs have between"),
            (self.reports, "Locks, quarantines and reports of batch jobs"),
        ):
            place.grant_read(role, of=of)
            place.grant_write(role, of=of)
        self.reports.grant_delete(role, of="Locks, quarantines and reports of batch jobs")
        streams = colon_arn(self, "logs", "log-group", f"{log_groups.TRANSFORM_JOBS}:*")
        grant(role, ["logs:DescribeLogStreams", "logs:GetLogEvents"], streams)
        acknowledge_wildcard(role, streams, "Jobs' data logs are named by SageMaker")
        described = (["states:DescribeExecution"], self._executions(":*"))
        grant_apart(self, "LockPolicy", role, described)
        self._acknowledge(self._executions(":*"), "A lock is held by any execution of this machine")

    def _grant_job_role(self, role: iam.IRole, volume_key: kms.IKey | None) -> None:
        grant_logs_and_metrics(role, log_groups.TRANSFORM_JOBS, log_groups.TRANSFORM_JOBS)
        self.inputs.grant_read(role, of="Inputs of batch jobs")
        self.outputs.grant_write(role, of="Outputs of batch jobs")
        self._work.grant_read(role, of="Manifests and chunks of batch jobs")
        self._work.grant_write(role, of="Answers to chunks of batch jobs")
        if volume_key is not None:
            grant_key_grants(role, volume_key.key_arn)

    def _let_machine(self, actions: list[str], resource: str) -> None:
        grant(self._machine_role, actions, resource)

    def _acknowledge(self, resource: str, reason: str) -> None:
        """Of its own roles, and of the machine's where that was given."""
        acknowledge_wildcard(self, resource, reason)
        for role in self._given_roles:
            acknowledge_wildcard(role, resource, reason)

    def _work_objects(self, below: str) -> str:
        arn = self._work.bucket.arn_for_objects(f"{self._work.prefix.strip('/')}/{below}")
        self._acknowledge(arn, "The plans and results of all executions")
        return arn

    def _executions(self, which: str) -> str:
        return colon_arn(
            self, "states", "execution", f"{self.state_machine.state_machine_name}{which}"
        )


def _volume_key(settings: BatchTransformSettings, key: kms.IKey | None) -> kms.IKey | None:
    """The key of jobs' volumes; SageMaker takes none where instances have storage of their own."""
    types = (settings.instance_type, *settings.instance_types)
    known = not any(is_token(name) or instances.instance_type(name).nvme_gb for name in types)
    wanted = settings.encrypt_volumes if settings.encrypt_volumes is not None else known
    return key if wanted else None

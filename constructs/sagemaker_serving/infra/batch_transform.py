"""The batch pipeline: a state machine that runs SageMaker transform jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from sagemaker_serving.infra.acknowledge import (
    INLINE_POLICY,
    NO_KEY_ON_LOGS,
    acknowledge,
    acknowledge_wildcard,
)
from sagemaker_serving.infra.model import Model

_MANAGED_RULE = "StepFunctionsGetEventsForSageMakerTransformJobsRule"
"""Step Functions learns of a job's end through this rule, which it makes itself.
Source: AWS Step Functions developer guide, SageMaker integration; read 2026-11-21."""


class BatchTransform(Construct):
    """A state machine whose executions each run one transform job.

    An execution's input is ``{"input": "s3://bucket/prefix/", "output":
    "s3://bucket/prefix/"}``; its name becomes the job's name, so at most 63
    letters, digits and hyphens. It ends when the job ends: as succeeded, or as
    failed with the job's own reason as the cause. Throttling is retried with
    full jitter.

    Its role may run transform jobs and nothing else: CreateTransformJob passes
    no role, the Model has its own.

    :param job: what every job has in common, in the words of CreateTransformJob.
    :param retain_logs: whether the executions' log outlives the stack.
    :param encryption_key: encrypts that log; its policy has to let CloudWatch
        Logs use it, as `DataBucket`'s does. Absent, CloudWatch's own key does.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        model: Model,
        job: Mapping[str, Any],
        retain_logs: bool,
        encryption_key: kms.IKey | None = None,
    ) -> None:
        super().__init__(scope, construct_id)
        removal = cdk.RemovalPolicy.RETAIN if retain_logs else cdk.RemovalPolicy.DESTROY
        run_job = sfn.CustomState(
            self, "RunTransformJob", state_json=_run_transform_job(model.model_name, job)
        )
        log = logs.LogGroup(
            self,
            "Log",
            retention=logs.RetentionDays.ONE_YEAR,
            removal_policy=removal,
            encryption_key=encryption_key,
        )
        if encryption_key is None:
            acknowledge(
                log, NO_KEY_ON_LOGS, "No key was asked for; CloudWatch encrypts with its own"
            )
        self.state_machine = sfn.StateMachine(
            self,
            "Resource",
            definition_body=sfn.DefinitionBody.from_chainable(run_job),
            tracing_enabled=True,
            logs=sfn.LogOptions(
                destination=log,
                level=sfn.LogLevel.ALL,
            ),
        )
        """The state machine."""
        acknowledge(
            self, INLINE_POLICY, "It is of use to this role only, and comes and goes with it"
        )
        self._grant_jobs()

    def _grant_jobs(self) -> None:
        stack = cdk.Stack.of(self)
        jobs = stack.format_arn(service="sagemaker", resource="transform-job", resource_name="*")
        rule = stack.format_arn(service="events", resource="rule", resource_name=_MANAGED_RULE)
        for actions, resource in (
            (
                [
                    "sagemaker:CreateTransformJob",
                    "sagemaker:DescribeTransformJob",
                    "sagemaker:StopTransformJob",
                ],
                jobs,
            ),
            (["events:PutTargets", "events:PutRule", "events:DescribeRule"], rule),
        ):
            self.state_machine.add_to_role_policy(
                iam.PolicyStatement(actions=actions, resources=[resource])
            )
        acknowledge_wildcard(
            self, jobs, "Jobs are named after executions, which are not known before they start"
        )
        acknowledge_wildcard(
            self,
            "*",
            "X-Ray's and log delivery's actions know no resources; Step Functions asks for both",
        )


def _run_transform_job(model_name: str, job: Mapping[str, Any]) -> dict[str, Any]:
    transform_input = {
        **job.get("TransformInput", {}),
        "DataSource": {"S3DataSource": {"S3DataType": "S3Prefix", "S3Uri.$": "$.input"}},
    }
    transform_output = {**job.get("TransformOutput", {}), "S3OutputPath.$": "$.output"}
    return {
        "Type": "Task",
        "Resource": f"arn:{cdk.Aws.PARTITION}:states:::sagemaker:createTransformJob.sync",
        "Parameters": {
            **job,
            "TransformJobName.$": "$$.Execution.Name",
            "ModelName": model_name,
            "TransformInput": transform_input,
            "TransformOutput": transform_output,
        },
        "ResultSelector": {
            "TransformJobName.$": "$.TransformJobName",
            "TransformJobStatus.$": "$.TransformJobStatus",
            "TransformOutput.$": "$.TransformOutput",
        },
        "Retry": [
            {
                "ErrorEquals": ["ThrottlingException", "SageMaker.AmazonSageMakerException"],
                "IntervalSeconds": 2,
                "MaxAttempts": 3,
                "BackoffRate": 2,
                "MaxDelaySeconds": 60,
                "JitterStrategy": "FULL",
            }
        ],
    }

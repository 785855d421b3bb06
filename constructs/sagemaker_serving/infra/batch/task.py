"""The batch pipeline as a task of somebody's own state machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsii
from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from sagemaker_serving.infra.synth.acknowledge import acknowledge_wildcard
from sagemaker_serving.infra.synth.tokens import colon_arn, stack_of

_MANAGED_RULE = "StepFunctionsGetEventsForStepFunctionsExecutionRule"


class RunBatch(tasks.StepFunctionsStartExecution):
    """Starts an execution of a pipeline's machine and waits for its end.

    The machine that it is a task of may start that one, and see and stop its executions: those of
    no other, where aws_cdk's own task lets it do so with all whose names begin alike. Source: Step
    Functions developer guide, "Start a new AWS Step Functions state machine from a running
    execution", its policies.
    """

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        machine: sfn.IStateMachine,
        given: Mapping[str, Any],
        **props: Any,
    ) -> None:
        self._machine = machine
        self._executions = colon_arn(
            scope, "states", "execution", f"{machine.state_machine_name}:*"
        )
        super().__init__(
            scope,
            construct_id,
            state_machine=machine,
            input=sfn.TaskInput.from_object(dict(given)),
            integration_pattern=sfn.IntegrationPattern.RUN_JOB,
            associate_with_parent=True,
            **props,
        )
        acknowledge_wildcard(
            scope, self._executions, "Executions of a batch pipeline are named as they start"
        )

    @property
    @jsii.member(jsii_name="taskPolicies")
    def _task_policies(self) -> list[iam.PolicyStatement]:
        rule = stack_of(self).format_arn(
            service="events", resource="rule", resource_name=_MANAGED_RULE
        )
        return [
            iam.PolicyStatement(actions=list(actions), resources=[resource])
            for actions, resource in (
                (["states:StartExecution"], self._machine.state_machine_arn),
                (["states:DescribeExecution", "states:StopExecution"], self._executions),
                (["events:PutTargets", "events:PutRule", "events:DescribeRule"], rule),
            )
        ]

"""A state machine of this project's own: its definition, its log, and what it may do for these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aws_cdk import aws_iam as iam
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from sagemaker_serving.infra.functions.own_function import add_log
from sagemaker_serving.infra.synth.granting import takes_policies, warn_of
from sagemaker_serving.infra.synth.tokens import stack_of

if TYPE_CHECKING:
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs

REFUSED_CALLS = ("Lambda.AWSLambdaException",)
"""What a machine is told that may not call its function, perhaps not yet
(awslabs/aws-deployment-framework#460)."""

_LOGGING = [
    *("logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery"),
    *("logs:DeleteLogDelivery", "logs:ListLogDeliveries", "logs:PutResourcePolicy"),
    *("logs:DescribeResourcePolicies", "logs:DescribeLogGroups"),
]
_TRACING = [
    *("xray:PutTraceSegments", "xray:PutTelemetryRecords"),
    *("xray:GetSamplingRules", "xray:GetSamplingTargets"),
]
"""What aws_cdk grants the machine's role by itself, for a role that it drops this of."""


def add_machine(
    scope: Construct,
    construct_id: str,
    definition: Mapping[str, Any],
    *,
    role: iam.IRole | None,
    log_group: logs.ILogGroup | None,
    retain_logs: bool,
    encryption_key: kms.IKey | None,
) -> sfn.StateMachine:
    """The machine, whose ``role`` and ``log_group`` are made where none is given."""
    log = log_group
    if log is None:
        log = add_log(
            scope, retain=retain_logs, encryption_key=encryption_key, of_state_machine=True
        )
    machine = sfn.StateMachine(
        scope,
        construct_id,
        definition_body=sfn.DefinitionBody.from_string(stack_of(scope).to_json_string(definition)),
        role=role,
        tracing_enabled=True,
        logs=sfn.LogOptions(destination=log, level=sfn.LogLevel.ALL),
    )
    if not takes_policies(machine.role):
        warn_of(machine.role, [*_LOGGING, *_TRACING], "*")
    return machine

"""What the role of a state machine must be allowed before Step Functions takes the machine.

Step Functions tries two things in the role's name when a machine is created
or updated: to make the rule through which it learns that a job has ended, and
to set up the delivery of its logs. Its refusals are quoted in
github.com/nasa/cumulus/pull/2693 and github.com/aws/aws-cdk/issues/26432; the
actions are those of its developer guide, "IAM policies for integrated
services" and "Using CloudWatch Logs to log execution history"; all read
2026-11-21. Which of the actions AWS tries is not documented; here it is all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sagemaker_serving.local.permissions.evaluator import PolicyEvaluator
from sagemaker_serving.local.protocol import AwsError
from sagemaker_serving.local.protocol.call import Call

from .sessions import RoleSessions

_RULE_ACTIONS = ("events:PutTargets", "events:PutRule", "events:DescribeRule")
_RULES = {
    "sagemaker:createTransformJob": "StepFunctionsGetEventsForSageMakerTransformJobsRule",
    "sagemaker:createTrainingJob": "StepFunctionsGetEventsForSageMakerTrainingJobsRule",
    "sagemaker:createProcessingJob": "StepFunctionsGetEventsForSageMakerProcessingJobsRule",
    "states:startExecution": "StepFunctionsGetEventsForStepFunctionsExecutionRule",
}
"""By integration: the rule that Step Functions manages to hear of an end."""

_LOG_ACTIONS = (
    "logs:CreateLogDelivery",
    "logs:GetLogDelivery",
    "logs:UpdateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:DescribeResourcePolicies",
    "logs:DescribeLogGroups",
)


def refuse_unprepared_role(
    call: Call, sessions: RoleSessions, evaluator: PolicyEvaluator, account: str
) -> None:
    """Raise Step Functions' refusal of a machine whose role lacks what it tries at once."""
    role = call.parameters.get("roleArn")
    if call.operation not in ("CreateStateMachine", "UpdateStateMachine") or not role:
        return
    session = sessions.assume(role, "StepFunctions")
    for rule in sorted(set(_managed_rules(call.parameters.get("definition")))):
        arn = f"arn:aws:events:{call.region}:{account}:rule/{rule}"
        if not all(evaluator.allows(session, action, arn) for action in _RULE_ACTIONS):
            raise AwsError(
                "AccessDeniedException", f"'{role}' is not authorized to create managed-rule."
            )
    logging = call.parameters.get("loggingConfiguration") or {}
    if logging.get("level", "OFF") == "OFF" or not logging.get("destinations"):
        return
    if not all(evaluator.allows(session, action, "*") for action in _LOG_ACTIONS):
        raise AwsError(
            "AccessDeniedException",
            "The state machine IAM Role is not authorized to access the Log Destination",
        )


def _managed_rules(definition: object) -> Iterator[str]:
    try:
        document = json.loads(str(definition))
    except ValueError:
        return  # which Step Functions refuses in words of its own
    yield from _rules_in(document)


def _rules_in(value: Any) -> Iterator[str]:
    """The rules that the tasks anywhere in a definition wait for."""
    if isinstance(value, Mapping):
        integration, _, waits = str(value.get("Resource", "")).rpartition(":::")[2].partition(".")
        if value.get("Type") == "Task" and waits.startswith("sync") and integration in _RULES:
            yield _RULES[integration]
    children = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, (Mapping, list)):
        for child in children:
            yield from _rules_in(child)

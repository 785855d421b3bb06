"""What the role of a state machine must be allowed before Step Functions takes the machine.

Step Functions tries two things in the role's name when a machine is created
or updated: to make the rule through which it learns that a job has ended, and
to set up the delivery of its logs. Its refusals are quoted in
github.com/nasa/cumulus/pull/2693 and github.com/aws/aws-cdk/issues/26432; the
actions are those of its developer guide, "IAM policies for integrated
services" and "Using CloudWatch Logs to log execution history". Which of the actions AWS tries is
not documented; here it is all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from local_aws.arn import arn_in
from local_aws.context import LocalContext
from local_aws.integration import Integrations
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call

_RULE_ACTIONS = ("events:PutTargets", "events:PutRule", "events:DescribeRule")
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


def refuse_unprepared_role(call: Call, context: LocalContext) -> None:
    """Raise Step Functions' refusal of a machine whose role lacks what it tries at once."""
    role = call.parameters.get("roleArn")
    if call.operation not in ("CreateStateMachine", "UpdateStateMachine") or not role:
        return
    evaluator, integrations = context.evaluator, context.integrations
    session = context.sessions.assume(role, "StepFunctions")
    for rule in sorted(set(_managed_rules(call.parameters.get("definition"), integrations))):
        arn = arn_in(call.region, "events", context.account_id, f"rule/{rule}")
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


def _managed_rules(definition: object, integrations: Integrations) -> Iterator[str]:
    try:
        document = json.loads(str(definition))
    except ValueError:
        return  # which Step Functions refuses in words of its own
    yield from _rules_in(document, integrations)


def _rules_in(value: Any, integrations: Integrations) -> Iterator[str]:
    """The rules that the tasks anywhere in a definition wait for."""
    if isinstance(value, Mapping) and value.get("Type") == "Task":
        called, _, waits = str(value.get("Resource", "")).rpartition(":::")[2].partition(".")
        name, _, action = called.partition(":")
        own = integrations.get(name)
        if own is not None and waits.startswith("sync") and action in own.managed_rules:
            yield own.managed_rules[action]
    if isinstance(value, (Mapping, list)):
        for child in value.values() if isinstance(value, Mapping) else value:
            yield from _rules_in(child, integrations)

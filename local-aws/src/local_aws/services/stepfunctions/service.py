"""Step Functions: the emulator's interpreter, mended, and everything around it of our own.

Loading it takes a quarter of a second, so that is done when it is first asked for.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from local_aws.arn import Arn, arn_in
from local_aws.context import LocalContext
from local_aws.integration import Integration, Integrations
from local_aws.permissions.service import PassedRole, ServicePermissions
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.protocol.models import service_model
from local_aws.protocol.validation import validate
from local_aws.resources.base import Provider
from local_aws.service import Action, Limit, Service

from .engine.requests import refuse_arns
from .resources import StateMachine

if TYPE_CHECKING:
    from local_aws.services.stepfunctions.engine.api import Api

_log = logging.getLogger(__name__)


class StepFunctions(Service):
    """Executions, and state machines and tags, which the emulator keeps."""

    name = "stepfunctions"
    limits = (
        Limit(
            "activities, HTTP tasks, redrive, TestState, versions and aliases",
            "refused by name; a machine's versions and aliases are listed, and there are none",
        ),
        Limit(
            "optimised integrations that are not in the table below",
            "refused by name; `aws-sdk:*` calls any service",
        ),
        Limit(
            "Distributed Map over Parquet or Athena manifests, LOAD_AND_FLATTEN", "refused by name"
        ),
        Limit("the end of a history at 25,000 events", "not enforced"),
        Limit("SDK metadata in the results of optimised tasks", "absent"),
        Limit(
            "execution logs",
            "written when an execution ends, to any number of groups: no resource policy of "
            "CloudWatch Logs, of at most 5,120 characters, has to let them in",
        ),
        Limit("StartSyncExecution", "needs a client with `inject_host_prefix=False`"),
    )
    warm_up = "list_state_machines"
    permissions = ServicePermissions(
        prefix="states",
        passed_role=PassedRole(
            principal="states.amazonaws.com",
            parameters=("roleArn",),
            regional=True,
            refusal=lambda arn: AwsError(
                "AccessDeniedException",
                "Neither the global service principal states.amazonaws.com, nor the regional one "
                "is authorized to assume the provided role.",
            ),
        ),
    )

    def __init__(self, context: LocalContext) -> None:
        self._context = context
        self._loading = threading.Lock()
        self._api: Api | None = None
        context.targets.add(context.account_id, "states", self._start)
        self.permissions = replace(self.permissions, resources_beside=self._machine_of_token)

    def actions(self) -> Mapping[str, Action]:
        """The whole API but for activities' tasks, TestState, and making versions and aliases."""
        return dict.fromkeys({*service_model(self.name).operation_names} - _LACKING, self._do)

    def emulates(self, operation: str) -> bool:
        """Nothing that is not judged here."""
        return False

    def check(self, call: Call) -> None:
        """Raise `AwsError` unless the call is what its operation accepts, its ARNs are of the
        right kind, and a machine's role has what Step Functions does in its name at once."""
        validate(call.model.input_shape, call.parameters)
        refuse_arns(call.parameters)
        _refuse_unprepared_role(call, self._context)

    def resource_types(self) -> Iterable[Provider]:
        """State machines."""
        return (StateMachine(self._context.integrations),)

    def integrations(self) -> Iterable[Integration]:
        """A state machine can start another."""
        return (OWN,)

    def prepare(self) -> None:
        """Load it."""
        self._loaded()

    def status(self) -> Mapping[str, object]:
        """``executions`` that run now, but for Map Runs' children: ``arn`` and ``status``."""
        return {"executions": [] if self._api is None else self._api.status()}

    def export_state(self) -> list[dict[str, Any]] | None:
        """Every execution as plain data; None when nobody has asked for any."""
        return None if self._api is None else self._api.executions.export_state()

    def restore_state(self, state: list[dict[str, Any]] | None, /) -> None:
        """Take back what `export_state` gave."""
        if state is not None:
            self._loaded().executions.restore_state(state)

    def stop(self) -> None:
        """Abort what runs."""
        if self._api is not None:
            self._api.close()

    def _do(self, call: Call) -> dict[str, Any] | None:
        given = {name: each for name, each in call.parameters.items() if each is not None}
        action = self._loaded().actions.get(call.operation)
        return None if action is None else action(given, call.region)  # activities are emulated

    def _machine_of_token(self, call: Call) -> Iterable[str]:
        """The state machine that waits for a token: the reference names no resource for the three
        SendTask operations, and AWS judges them by it (aws/aws-cdk#8486 tried it;
        NOAA-OWP/hydrovis#837 quotes the refusal)."""
        token = call.parameters.get("taskToken")
        if self._api is None or token is None:
            return ()
        running = self._api.executions.running()
        waiting = (each.machine_arn for each in running if each.waits_for(token))
        return [arn.partition("/")[0] for arn in waiting][:1]

    def _loaded(self) -> Api:
        with self._loading:
            if self._api is None:
                from . import moto

                self._api = moto.apply(self._context)
            return self._api

    def _start(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> bool:
        """Start an execution in the name of the role that the sender has for it."""
        try:
            if role_arn is None:
                raise KeyError("RoleArn")
            session = self._context.sessions.assume(role_arn, service.partition(".")[0])
            states = self._context.client_as(session, "stepfunctions", Arn.parse(arn).region)
            states.start_execution(stateMachineArn=arn, input=json.dumps(event))
        except (BotoCoreError, ClientError, KeyError) as error:
            _log.warning("an event was not sent to %s: %s", arn, error)
            return False
        return True


_LACKING = frozenset(
    {
        *("GetActivityTask", "TestState", "PublishStateMachineVersion"),
        "DeleteStateMachineVersion",
        *(f"{verb}StateMachineAlias" for verb in ("Create", "Delete", "Describe", "Update")),
    }
)


def _nested_task() -> type:
    from local_aws.services.stepfunctions.engine.nested import NestedTask

    return NestedTask


OWN = Integration(
    name="states",
    prefix="StepFunctions",
    service="AWSStepFunctions",
    actions=frozenset({"startExecution"}),
    waits_for={"startExecution": frozenset({"sync", "sync:2"})},
    managed_rules={"startExecution": "StepFunctionsGetEventsForStepFunctionsExecutionRule"},
    task=_nested_task,
)


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


def _refuse_unprepared_role(call: Call, context: LocalContext) -> None:
    """Raise Step Functions' refusal of a machine whose role lacks what it tries at once.

    In the role's name it makes the rule through which it learns that a job has ended, and sets up
    the delivery of logs. The refusals are quoted in github.com/nasa/cumulus/pull/2693 and
    github.com/aws/aws-cdk/issues/26432; the actions are its developer guide's, "IAM policies for
    integrated services" and "Using CloudWatch Logs to log execution history". Which of them AWS
    tries is not documented; here it is all.
    """
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

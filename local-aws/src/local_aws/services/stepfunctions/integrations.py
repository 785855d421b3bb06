"""Step Functions' own integration: a state machine that starts another."""

from __future__ import annotations

from local_aws.integration import Integration


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

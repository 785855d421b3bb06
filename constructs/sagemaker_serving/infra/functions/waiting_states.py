"""The states of a machine that does a custom resource's work and answers CloudFormation."""

from __future__ import annotations

from typing import Any

from sagemaker_serving.infra.synth.tokens import partition


def waiting_states(function_arn: str, *, then: str, when: str) -> dict[str, Any]:
    """Begin, then wait and look until there is an outcome; in the end, answer.

    The step ``then`` comes as soon as the state has what ``when`` names.
    """
    start = {
        "request.$": "$.request",
        "interrupted.$": "$.interrupted",
        "started.$": "$$.Execution.StartTime",
    }
    return {
        "StartAt": "Begin",
        "States": {
            "Begin": _step(function_arn, "begin", "Decide", {"state": start}),
            "Decide": {
                "Type": "Choice",
                "Choices": [
                    {"Variable": "$.outcome", "IsPresent": True, "Next": "Answer"},
                    {"Variable": f"$.{when}", "IsPresent": True, "Next": then.title()},
                ],
                "Default": "Wait",
            },
            "Wait": {"Type": "Wait", "SecondsPath": "$.wait_seconds", "Next": "Look"},
            "Look": _step(function_arn, "look", "Decide"),
            then.title(): _step(function_arn, then, "Decide"),
            "Answer": _step(function_arn, "answer", None),
        },
    }


def _step(
    function_arn: str, step: str, following: str | None, payload: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A call of the function, tried again whatever it fails with.

    New roles take seconds until every service knows them, so a refusal may be one of time too.
    """
    caught = [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Answer"}]
    return {
        "Type": "Task",
        "Resource": f"arn:{partition()}:states:::lambda:invoke",
        "Parameters": {
            "FunctionName": function_arn,
            "Payload": {"step": step, **(payload if payload is not None else {"state.$": "$"})},
        },
        "OutputPath": "$.Payload",
        "Retry": [
            {
                "ErrorEquals": ["States.ALL"],
                "IntervalSeconds": 1,
                "MaxAttempts": 5,
                "BackoffRate": 2,
                "MaxDelaySeconds": 30,
                "JitterStrategy": "FULL",
            }
        ],
        **({"Next": following, "Catch": caught} if following is not None else {"End": True}),
    }

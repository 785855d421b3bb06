"""The states of a machine that does a custom resource's work and answers CloudFormation."""

from __future__ import annotations

from typing import Any

from sagemaker_serving.infra.synth.tokens import partition


def waiting_states(
    function_arn: str, *, then: str, when: str, caught: str = "answer"
) -> dict[str, Any]:
    """Begin, then wait and look until there is an outcome; in the end, answer.

    The step ``then`` comes as soon as the state has what ``when`` names. The step ``caught`` takes
    the error of any other in the state's ``error``: the answer, or one before it that tidies up.
    """

    def step(
        name: str, following: str | None = "Decide", payload: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        to = "answer" if name == caught else caught
        return _step(function_arn, name, following, to.title(), payload)

    start = {
        "request.$": "$.request",
        "interrupted.$": "$.interrupted",
        "started.$": "$$.Execution.StartTime",
    }
    return {
        "StartAt": "Begin",
        "States": {
            "Begin": step("begin", payload={"state": start}),
            "Decide": {
                "Type": "Choice",
                "Choices": [
                    {"Variable": "$.outcome", "IsPresent": True, "Next": "Answer"},
                    {"Variable": f"$.{when}", "IsPresent": True, "Next": then.title()},
                ],
                "Default": "Wait",
            },
            "Wait": {"Type": "Wait", "SecondsPath": "$.wait_seconds", "Next": "Look"},
            "Look": step("look"),
            then.title(): step(then),
            **({} if caught == "answer" else {caught.title(): step(caught)}),
            "Answer": step("answer", None),
        },
    }


def _step(
    function_arn: str,
    step: str,
    following: str | None,
    caught: str,
    payload: dict[str, Any] | None,
) -> dict[str, Any]:
    """A call of the function, tried again whatever it fails with.

    New roles take seconds until every service knows them, so a refusal may be one of time too.
    """
    catch = [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": caught}]
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
        **({"Next": following, "Catch": catch} if following is not None else {"End": True}),
    }

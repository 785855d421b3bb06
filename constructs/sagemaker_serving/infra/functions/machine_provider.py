"""What does the work of a custom resource that may take longer than a function: a state machine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IConstruct

from sagemaker_serving.infra.functions.own_function import OwnFunction
from sagemaker_serving.infra.functions.own_machine import REFUSED_CALLS, add_machine
from sagemaker_serving.infra.synth.acknowledge import acknowledge_own_policy, acknowledge_wildcard
from sagemaker_serving.infra.synth.granting import grant_within
from sagemaker_serving.infra.synth.tokens import colon_arn, partition

if TYPE_CHECKING:
    from aws_cdk import aws_iam as iam
    from aws_cdk import aws_kms as kms
    from aws_cdk import aws_logs as logs


class MachineProvider:
    """Adds two functions and a state machine to ``scope``.

    CloudFormation calls the function ``Start``, which begins an execution; the machine calls
    ``Work`` step by step, waits in between, and answers. So neither Lambda's 15 minutes nor a
    crash of any step bounds it: CloudFormation's hour does.

    ``package`` is the folder of ``functions/`` whose ``work.handler`` does the steps, ``then`` the
    one that comes as soon as its state has ``when``, if there is any beside those that begin, look
    and answer. ``shares`` are `OwnFunction`'s, beside
    what all custom resources share, and ``caught`` is the step that takes the error of another. The
    rest is as `NeoCompiler` takes it.
    """

    def __init__(
        self,
        scope: Construct,
        *,
        package: str,
        then: str | None = None,
        when: str = "",
        shares: Sequence[str] = (),
        caught: str = "answer",
        function_role: iam.IRole | None = None,
        state_machine_role: iam.IRole | None = None,
        log_group: logs.ILogGroup | None = None,
        retain_logs: bool,
        encryption_key: kms.IKey | None,
    ) -> None:
        function = partial(
            OwnFunction,
            scope,
            memory_size_mb=512,
            role=function_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        self.work = function(
            "Work",
            package=package,
            handler="work.handler",
            shares=("functions/custom_resource", *shares),
            timeout=cdk.Duration.minutes(15),
        )
        """The function that does the steps."""
        work_arn = self.work.function.function_arn
        machine = add_machine(
            scope,
            "Machine",
            waiting_states(work_arn, then=then, when=when, caught=caught),
            role=state_machine_role,
            log_group=log_group,
            retain_logs=retain_logs,
            encryption_key=encryption_key,
        )
        call = (["lambda:InvokeFunction"], work_arn)
        policies = [grant_within(scope, "MachinePolicy", machine.role, call)]
        acknowledge_own_policy(machine)
        reason = (
            "X-Ray's and log delivery's actions know no resources; Step Functions asks for both"
        )
        for construct in (machine, *([] if state_machine_role is None else [state_machine_role])):
            acknowledge_wildcard(construct, "*", reason)
        start = function(
            "Start",
            package="custom_resource",
            handler="start.handler",
            # Longer than it tries what it is refused, so that this is told.
            timeout=cdk.Duration.minutes(2),
            environment={"STATE_MACHINE_ARN": machine.state_machine_arn},
        )
        executions = colon_arn(scope, "states", "execution", f"{machine.state_machine_name}:*")
        begin = ["states:StartExecution", "states:ListExecutions"]
        policies.append(
            grant_within(
                scope,
                "StartPolicy",
                start.role,
                (begin, machine.state_machine_arn),
                (["states:StopExecution"], executions),
                call,
            )
        )
        asked: list[IConstruct] = [start.role, *([] if function_role is None else [scope])]
        for each in asked:
            acknowledge_wildcard(
                each, executions, "Executions are named after CloudFormation's requests"
            )
        self.given_up = lambda_.CfnEventInvokeConfig(
            scope,
            "GivenUp",
            function_name=start.function.function_name,
            qualifier="$LATEST",
            maximum_retry_attempts=2,
            destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
                on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(destination=work_arn)
            ),
        )
        """Who answers when the function that begins it fails for good; it is to be there first."""
        for policy in policies:
            if policy is not None:
                self.given_up.node.add_dependency(policy)
        self.service_token: str = start.function.function_arn
        """What a custom resource names as its provider."""


def waiting_states(
    function_arn: str, *, then: str | None, when: str, caught: str = "answer"
) -> dict[str, Any]:
    """Begin, then wait and look until there is an outcome; in the end, answer.

    The step ``then``, if any, comes as soon as the state has what ``when`` names. The step
    ``caught`` takes the error of any other in the state's ``error``: the answer, or one before it
    that tidies up.
    """

    def step(
        name: str, following: str | None = "Decide", payload: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """A call of the function, tried again whatever it fails with."""
        to = "answer" if name == caught else caught
        catch = [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": to.title()}]
        return {
            "Type": "Task",
            "Resource": f"arn:{partition()}:states:::lambda:invoke",
            "Parameters": {
                "FunctionName": function_arn,
                "Payload": {"step": name, **(payload if payload is not None else {"state.$": "$"})},
            },
            "OutputPath": "$.Payload",
            "Retry": _RETRIES,
            **({"Next": following, "Catch": catch} if following is not None else {"End": True}),
        }

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
                    *(
                        []
                        if then is None
                        else [{"Variable": f"$.{when}", "IsPresent": True, "Next": then.title()}]
                    ),
                ],
                "Default": "Wait",
            },
            "Wait": {"Type": "Wait", "SecondsPath": "$.wait_seconds", "Next": "Look"},
            "Look": step("look"),
            **({} if then is None else {then.title(): step(then)}),
            **({} if caught == "answer" else {caught.title(): step(caught)}),
            "Answer": step("answer", None),
        },
    }


_RETRIES = [
    # The machine's role may be new, so a refusal of the call itself is tried for a minute.
    {
        "ErrorEquals": list(REFUSED_CALLS),
        "IntervalSeconds": 12,
        "MaxAttempts": 5,
        "BackoffRate": 1,
    },
    {
        "ErrorEquals": ["States.ALL"],
        "IntervalSeconds": 1,
        "MaxAttempts": 5,
        "BackoffRate": 2,
        "MaxDelaySeconds": 30,
        "JitterStrategy": "FULL",
    },
]

"""What Lambda refuses in words that users quote, and of which there is no recording."""

from __future__ import annotations

from tests.local_aws.aws import REGION
from tests.local_aws.functions import ACCOUNT, Functions
from tests.local_aws.permissions.callers import refusal

ARN = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function"
QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:q"


def test_a_role_has_to_have_leave_to_send_dead_letters_and_records(functions: Functions) -> None:
    functions.create("f", "x = 1")
    configure = functions.api.update_function_configuration
    for target, said in (
        (QUEUE, "The provided execution role does not have permissions to call SendMessage on SQS"),
        (f"{ARN}:f", "a dead-letter target is an SQS queue or an SNS topic"),
    ):
        letters = {"TargetArn": target}
        assert said in refusal(configure, FunctionName="f", DeadLetterConfig=letters)[2]
    destination = {"OnFailure": {"Destination": QUEUE}}
    assert refusal(
        functions.api.put_function_event_invoke_config,
        FunctionName="f",
        DestinationConfig=destination,
    )[2] == (
        f"The function's execution role does not have permissions to call SendMessage on {QUEUE}"
    )


def test_a_function_of_another_account_or_region_is_refused(functions: Functions) -> None:
    invoke = functions.api.invoke
    assert refusal(invoke, FunctionName="999999999999:function:f")[1] == "AccessDeniedException"
    elsewhere = f"{ARN}:f".replace(REGION, "us-east-1")
    assert refusal(invoke, FunctionName=elsewhere)[1] == "ResourceNotFoundException"

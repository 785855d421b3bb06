"""What Lambda refuses, of each action: codes, statuses and words.

Recorded by LocalStack's suite, November 2025, unless another source is named.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION
from tests.local_aws.functions import ACCOUNT, ROLE, Functions, zipped

ARN = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function"
INVALID = (400, "InvalidParameterValueException")
ABSENT = (404, "ResourceNotFoundException")
PERMISSION = {
    "StatementId": "it",
    "Action": "lambda:InvokeFunction",
    "Principal": "sns.amazonaws.com",
}
QUEUE = f"arn:aws:sqs:{REGION}:{ACCOUNT}:q"


@pytest.fixture(scope="module", autouse=True)
def _function(functions: Functions) -> None:
    functions.create("f", "x = 1")
    functions.api.publish_version(FunctionName="f")


def refused(functions: Functions, operation: str, given: dict[str, Any]) -> Any:
    """Its whole answer."""
    with pytest.raises(ClientError) as error:
        getattr(functions.api, operation)(**given)
    return error.value.response


DIFFER = "The derived qualifier from the function name does not match the specified qualifier."
REFUSED: list[tuple[str, dict[str, Any], tuple[int, str], str]] = [
    ("get_function", {"FunctionName": "none"}, ABSENT, f"Function not found: {ARN}:none"),
    (
        "get_function",
        {"FunctionName": "none:$LATEST"},
        ABSENT,
        f"Function not found: {ARN}:none:$LATEST",
    ),
    ("invoke", {"FunctionName": "none"}, ABSENT, f"Function not found: {ARN}:none:$LATEST"),
    (
        "get_function",
        {"FunctionName": "f", "Qualifier": "7"},
        ABSENT,
        f"Function not found: {ARN}:f:7",
    ),
    (
        "delete_function",
        {"FunctionName": "none", "Qualifier": "7"},
        ABSENT,
        f"Function not found: {ARN}:none",
    ),
    (
        "delete_function",
        {"FunctionName": "none:$LATEST"},
        INVALID,
        "$LATEST version cannot be deleted without deleting the function.",
    ),
    (
        "get_function",
        {"FunctionName": f"arn:aws:lambda:us-west-2:{ACCOUNT}:function:f"},
        ABSENT,
        f"Functions from 'us-west-2' are not reachable in this region ('{REGION}')",
    ),
    ("get_function", {"FunctionName": "f:1", "Qualifier": "2"}, INVALID, DIFFER),
    ("invoke", {"FunctionName": "f:$LATEST", "Qualifier": "1"}, INVALID, DIFFER),
    (
        "update_alias",
        {"FunctionName": "f", "Name": "none"},
        ABSENT,
        f"Alias not found: {ARN}:f:none",
    ),
    (
        "add_permission",
        {"FunctionName": "f", "Qualifier": "$LATEST", **PERMISSION},
        INVALID,
        "We currently do not support adding policies for $LATEST.",
    ),
    (
        "add_permission",
        {"FunctionName": "f", **PERMISSION, "Principal": "events.example.com"},
        INVALID,
        "The provided principal was invalid. Please check the principal and try again.",
    ),
    (
        "add_permission",
        {"FunctionName": "f:none", **PERMISSION},
        ABSENT,
        f"Cannot find alias arn: {ARN}:f:none",
    ),
    (
        "add_permission",
        {"FunctionName": "f:7", **PERMISSION},
        ABSENT,
        f"Function not found: {ARN}:f:7",
    ),
    (
        "remove_permission",
        {"FunctionName": "f", "StatementId": "it"},
        ABSENT,
        "No policy is associated with the given resource.",
    ),
    (
        "remove_permission",
        {"FunctionName": "none", "StatementId": "it"},
        ABSENT,
        f"No policy found for: {ARN}:none",
    ),
    ("get_policy", {"FunctionName": "none"}, ABSENT, "The resource you requested does not exist."),
    (
        "put_function_concurrency",
        {"FunctionName": "f:$LATEST", "ReservedConcurrentExecutions": 1},
        INVALID,
        "This operation is permitted on Lambda functions only. Aliases and versions do not "
        "support this operation. Please specify either a function name or an unqualified "
        "function ARN.",
    ),
    (
        "put_function_concurrency",
        {"FunctionName": "f", "ReservedConcurrentExecutions": 901},
        INVALID,
        "Specified ReservedConcurrentExecutions for function decreases account's "
        "UnreservedConcurrentExecution below its minimum value of [100].",
    ),
    (
        "tag_resource",
        {"Resource": f"{ARN}:f", "Tags": {}},
        INVALID,
        "An error occurred and the request cannot be processed.",
    ),
    (
        "tag_resource",
        {"Resource": f"{ARN}:f", "Tags": {str(number): "" for number in range(51)}},
        INVALID,
        "Number of tags exceeds resource tag limit.",
    ),
    (
        "tag_resource",
        {"Resource": f"{ARN}:f:1", "Tags": {"a": "b"}},
        INVALID,
        "Tags on function aliases and versions are not supported. Please specify a function ARN.",
    ),
    (
        "put_function_event_invoke_config",
        {"FunctionName": "none"},
        INVALID,
        "You must specify at least one of error handling or destination setting.",
    ),
    (
        "put_function_event_invoke_config",
        {"FunctionName": "none", "MaximumRetryAttempts": 1},
        ABSENT,
        "The function doesn't exist.",
    ),
    (
        "get_function_event_invoke_config",
        {"FunctionName": "none"},
        ABSENT,
        f"The function {ARN}:none:$LATEST doesn't have an EventInvokeConfig",
    ),
    (
        "put_function_event_invoke_config",
        {"FunctionName": "f", "DestinationConfig": {"OnFailure": {"Destination": f"{ARN}:f"}}},
        INVALID,
        "You can't specify the function as a destination for itself.",
    ),
    (
        "put_function_event_invoke_config",
        {"FunctionName": "f", "DestinationConfig": {"OnFailure": {"Destination": f"{ARN}:no"}}},
        INVALID,
        f"The destination ARN {ARN}:no is invalid.",
    ),
    (
        "put_function_event_invoke_config",
        {
            "FunctionName": "f",
            "DestinationConfig": {"OnSuccess": {"Destination": QUEUE.replace("sqs", "iam")}},
        },
        INVALID,
        "The provided destination config DestinationConfig(onSuccess=OnSuccess(destination="
        f"{QUEUE.replace('sqs', 'iam')}), onFailure=null) is invalid.",
    ),
]


@pytest.mark.parametrize(("operation", "given", "error", "message"), REFUSED)
def test_what_is_wrong_is_refused_in_awss_words(
    functions: Functions,
    operation: str,
    given: dict[str, Any],
    error: tuple[int, str],
    message: str,
) -> None:
    answer = refused(functions, operation, given)
    assert (answer["ResponseMetadata"]["HTTPStatusCode"], answer["Error"]["Code"]) == error
    assert answer["Error"]["Message"] == message
    assert answer["Type"] == "User"


@pytest.mark.parametrize(
    ("operation", "given", "member"),
    [
        ("get_function", {"FunctionName": "none"}, "Message"),
        ("get_function", {"FunctionName": "f:1", "Qualifier": "2"}, "message"),
    ],
)
def test_an_errors_members_are_called_as_its_model_has_them(
    functions: Functions, operation: str, given: dict[str, Any], member: str
) -> None:
    answer = refused(functions, operation, given)
    assert answer[member] == answer["Error"]["Message"]
    assert set(answer) & {"Message", "message"} == {member}


def test_a_role_has_to_have_leave_to_send_dead_letters_and_records(functions: Functions) -> None:
    """In the words that AWS's users quote; the recordings have no such case."""
    answer = refused(
        functions,
        "update_function_configuration",
        {"FunctionName": "f", "DeadLetterConfig": {"TargetArn": QUEUE}},
    )
    assert answer["Error"]["Message"] == (
        "The provided execution role does not have permissions to call SendMessage on SQS"
    )
    answer = refused(
        functions,
        "update_function_configuration",
        {"FunctionName": "f", "DeadLetterConfig": {"TargetArn": f"{ARN}:f"}},
    )
    assert answer["Error"]["Message"].startswith("a dead-letter target is an SQS queue or an SNS")
    destination = {"DestinationConfig": {"OnFailure": {"Destination": QUEUE}}}
    answer = refused(
        functions, "put_function_event_invoke_config", {"FunctionName": "f", **destination}
    )
    assert answer["Error"]["Message"] == (
        f"The function's execution role does not have permissions to call SendMessage on {QUEUE}"
    )


def test_a_new_functions_name_has_64_characters_at_most(functions: Functions) -> None:
    given = {
        "Runtime": "python3.12",
        "Handler": "app.handler",
        "Role": ROLE,
        "Code": {"ZipFile": zipped({"app.py": ""})},
    }
    answer = refused(functions, "create_function", {"FunctionName": "a" * 65, **given})
    assert answer["Error"]["Code"] == "InvalidParameterValueException"
    assert answer["Error"]["Message"].endswith("Member must have length less than or equal to 64")
    functions.create("a" * 64, "x = 1")


@pytest.mark.parametrize(
    ("principal", "kept"),
    [
        ("*", "*"),
        (ACCOUNT, {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}),
        (ROLE, {"AWS": ROLE}),
        ("s3.amazonaws.com", {"Service": "s3.amazonaws.com"}),
        ("alexa-appkit.amazon.com", {"Service": "alexa-appkit.amazon.com"}),
    ],
)
def test_a_principal_is_everyone_a_service_an_account_or_an_arn(
    functions: Functions, principal: str, kept: Any
) -> None:
    """The account recorded as above; Alexa's by AWS's page "Granting Lambda function access to AWS
    services"."""
    said = functions.api.add_permission(
        FunctionName="f:1", **PERMISSION | {"Principal": principal}
    )["Statement"]
    functions.api.remove_permission(FunctionName="f:1", StatementId="it")
    assert json.loads(said)["Principal"] == kept


def test_a_version_that_is_not_there_is_deleted_already(functions: Functions) -> None:
    functions.api.delete_function(FunctionName="f", Qualifier="77")


def test_what_others_have_reserved_cannot_be_reserved_again(functions: Functions) -> None:
    reserve = functions.api.put_function_concurrency
    functions.create("greedy", "x = 1")
    reserve(FunctionName="greedy", ReservedConcurrentExecutions=900)
    answer = refused(
        functions,
        "put_function_concurrency",
        {"FunctionName": "f", "ReservedConcurrentExecutions": 1},
    )
    assert answer["Error"]["Code"] == "InvalidParameterValueException"
    functions.api.delete_function_concurrency(FunctionName="greedy")


def test_a_function_answers_with_what_sdks_look_for(functions: Functions) -> None:
    made = functions.create("answers", "x = 1", Environment={"Variables": {}})
    assert made["Environment"] == {"Variables": {}}
    assert made["SnapStart"] == {"ApplyOn": "None", "OptimizationStatus": "Off"}
    version = made["RuntimeVersionConfig"]["RuntimeVersionArn"]
    assert version.startswith(f"arn:aws:lambda:{REGION}::runtime:")
    assert "Tags" not in functions.api.get_function(FunctionName="answers")
    latest = functions.api.get_function_configuration(FunctionName="answers:$LATEST")
    assert latest["FunctionArn"] == f"{ARN}:answers:$LATEST"


def test_a_functions_network_is_told_and_has_to_be_there(functions: Functions) -> None:
    ec2 = functions.gateway.context.client("ec2", REGION)
    subnet = ec2.describe_subnets()["Subnets"][0]
    (group, *_) = ec2.describe_security_groups()["SecurityGroups"]
    network = {"SubnetIds": [subnet["SubnetId"]], "SecurityGroupIds": [group["GroupId"]]}
    functions.create("within", "x = 1", VpcConfig=network)

    told = functions.api.get_function_configuration(FunctionName="within")["VpcConfig"]
    assert told == {**network, "VpcId": subnet["VpcId"], "Ipv6AllowedForDualStack": False}
    for name, given, said in (
        (
            "SecurityGroupIds",
            "sg-1",
            "Error occurred while DescribeSecurityGroups. EC2 Error Code: InvalidGroup.NotFound. "
            "EC2 Error Message: The security group 'sg-1' does not exist",
        ),
        (
            "SubnetIds",
            "subnet-1",
            "Error occurred while DescribeSubnets. EC2 Error Code: InvalidSubnetID.NotFound. EC2 "
            "Error Message: The subnet ID 'subnet-1' does not exist",
        ),
    ):
        wrong = {"FunctionName": "within", "VpcConfig": {**network, name: [given]}}
        answer = refused(functions, "update_function_configuration", wrong)
        assert (answer["Error"]["Code"], answer["Error"]["Message"]) == (INVALID[1], said)
    out = functions.api.update_function_configuration(
        FunctionName="within", VpcConfig={"SubnetIds": [], "SecurityGroupIds": []}
    )
    assert out["VpcConfig"]["VpcId"] == ""

"""Assuming roles, and handing them to services: who is trusted, who may pass them on."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import IMAGE, REGION, Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, numbers, refusal

ROOT = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}


def role(aws: Aws, principal: Any, *statements: dict[str, Any], **more: Any) -> str:
    """A role with this trust policy; "Condition" and the like go into it."""
    name = f"role-{next(numbers)}"
    trust = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole", **more}
    iam = aws.client("iam")
    arn: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=policy(trust))["Role"]["Arn"]
    if statements:
        iam.put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=policy(*statements))
    return arn


def assumed(aws: Aws, client: Any, arn: str, name: str = "me", **more: Any) -> Any:
    """boto3 as somebody uses it who has assumed a role."""
    answer = client.assume_role(RoleArn=arn, RoleSessionName=name, **more)["Credentials"]
    return boto3.session.Session(
        aws_access_key_id=answer["AccessKeyId"],
        aws_secret_access_key=answer["SecretAccessKey"],
        aws_session_token=answer["SessionToken"],
        region_name=REGION,
    )


def test_a_role_that_trusts_the_account_gives_its_user_credentials_that_are_judged(
    aws: Aws,
) -> None:
    arn = role(aws, ROOT, allow("s3:GetObject"))
    session = assumed(aws, aws.client("sts"), arn)
    name = arn.rpartition("/")[2]
    identity = session.client("sts", endpoint_url=aws.url).get_caller_identity()
    assert identity["Arn"] == f"arn:aws:sts::{ACCOUNT}:assumed-role/{name}/me"
    assert identity["Account"] == ACCOUNT
    s3 = session.client("s3", endpoint_url=aws.url)
    s3.get_object(Bucket="models", Key="model.tar.gz")
    assert refusal(s3.list_objects_v2, Bucket="models")[1] == "AccessDenied"


def test_the_user_is_not_let_into_a_role_that_trusts_others(aws: Aws) -> None:
    arn = role(aws, {"Service": "lambda.amazonaws.com"})
    status, code, message = refusal(
        aws.client("sts").assume_role, RoleArn=arn, RoleSessionName="me"
    )
    assert (status, code) == (403, "AccessDenied")
    assert f"is not authorized to perform: sts:AssumeRole on resource: {arn}" in message
    absent = f"arn:aws:iam::{ACCOUNT}:role/absent"
    refused = refusal(aws.client("sts").assume_role, RoleArn=absent, RoleSessionName="me")
    assert refused[1] == "AccessDenied"


def test_from_role_to_role_both_must_agree_or_the_second_name_the_first(aws: Aws) -> None:
    for_the_account = role(aws, ROOT, allow("s3:*"))
    stranger = Caller(aws)
    assume = stranger.client("sts").assume_role
    assert refusal(assume, RoleArn=for_the_account, RoleSessionName="me")[1] == "AccessDenied"
    allowed = Caller(aws, allow("sts:AssumeRole", for_the_account))
    assumed(aws, allowed.client("sts"), for_the_account)
    assumed(aws, stranger.client("sts"), role(aws, {"AWS": stranger.arn}))


def test_an_external_id_must_be_the_agreed_one(aws: Aws) -> None:
    condition = {"StringEquals": {"sts:ExternalId": "agreed"}}
    arn = role(aws, ROOT, Condition=condition)
    assumed(aws, aws.client("sts"), arn, ExternalId="agreed")
    assume = aws.client("sts").assume_role
    other = {"RoleArn": arn, "RoleSessionName": "me", "ExternalId": "other"}
    assert refusal(assume, **other)[1] == "AccessDenied"


def test_session_policies_are_refused_and_not_left_out(aws: Aws) -> None:
    asked = {"RoleArn": role(aws, ROOT), "RoleSessionName": "me", "Policy": policy(allow("s3:*"))}
    message = refusal(aws.client("sts").assume_role, **asked)[2]
    assert message == "the local AWS does not follow Policy yet"


@pytest.mark.parametrize("operation", ["get_session_token", "get_federation_token"])
def test_credentials_that_could_not_be_judged_are_not_given(aws: Aws, operation: str) -> None:
    name = {"Name": "me"} if operation == "get_federation_token" else {}
    message = refusal(getattr(aws.client("sts"), operation), **name)[2]
    assert message.endswith("; use AssumeRole")


def passing(aws: Aws, service: str, arn: str, client: Any) -> Any:
    """Hand a role to a service."""
    name = f"made-{next(numbers)}"
    machine = {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}
    container = {"Image": IMAGE, "ModelDataUrl": "s3://models/model.tar.gz"}
    target = {"Arn": f"arn:aws:sqs:{REGION}:{ACCOUNT}:q", "RoleArn": arn}
    calls = {
        "sagemaker": lambda: client("sagemaker").create_model(
            ModelName=name, ExecutionRoleArn=arn, PrimaryContainer=container
        ),
        "states": lambda: client("stepfunctions").create_state_machine(
            name=name, definition=json.dumps(machine), roleArn=arn
        ),
        "lambda": lambda: client("lambda").create_function(
            FunctionName=name,
            Role=arn,
            Code={"ZipFile": b"no zip"},
            Handler="a.b",
            Runtime="python3.11",
        ),
        "scheduler": lambda: client("scheduler").create_schedule(
            Name=name,
            ScheduleExpression="rate(1 day)",
            FlexibleTimeWindow={"Mode": "OFF"},
            Target=target,
        ),
        "events": lambda: client("events").put_targets(Rule="r", Targets=[{"Id": "1", **target}]),
    }
    return calls[service]()


REFUSALS = {
    "sagemaker": (
        "ValidationException",
        "Could not assume role {arn}. Please ensure that the role exists and allows principal "
        "'sagemaker.amazonaws.com' to assume the role.",
    ),
    "states": (
        "AccessDeniedException",
        "Neither the global service principal states.amazonaws.com, nor the regional one is "
        "authorized to assume the provided role.",
    ),
    "lambda": (
        "InvalidParameterValueException",
        "The role defined for the function cannot be assumed by Lambda.",
    ),
    "scheduler": (
        "ValidationException",
        "The execution role you provide must allow AWS EventBridge Scheduler to assume the role.",
    ),
    "events": (
        "ValidationException",
        "Provided role '{arn}' cannot be assumed by principal 'events.amazonaws.com'.",
    ),
}


@pytest.mark.parametrize("service", REFUSALS)
@pytest.mark.parametrize("is_there", [True, False])
def test_a_role_that_does_not_trust_the_service_is_refused_in_its_words(
    aws: Aws, service: str, is_there: bool
) -> None:
    absent = f"arn:aws:iam::{ACCOUNT}:role/absent"
    arn = role(aws, {"Service": "ec2.amazonaws.com"}) if is_there else absent
    code, message = REFUSALS[service]
    assert refusal(passing, aws=aws, service=service, arn=arn, client=aws.client)[1:] == (
        code,
        message.format(arn=arn),
    )


@pytest.mark.parametrize("service", REFUSALS)
def test_a_caller_in_a_roles_name_must_be_allowed_to_pass_another(aws: Aws, service: str) -> None:
    passed = role(aws, {"Service": f"{service}.amazonaws.com"}, allow("s3:*"))
    to_others = {"StringEquals": {"iam:PassedToService": "ec2.amazonaws.com"}}
    works = allow(f"{service}:*")
    for statements in ([works], [works, allow("iam:PassRole", "*", Condition=to_others)]):
        caller = Caller(aws, *statements)
        refused = refusal(passing, aws=aws, service=service, arn=passed, client=caller.client)
        assert f"is not authorized to perform: iam:PassRole on resource: {passed}" in refused[2]
    to_it = {"StringEquals": {"iam:PassedToService": f"{service}.amazonaws.com"}}
    caller = Caller(aws, works, allow("iam:PassRole", passed, Condition=to_it))
    try:
        passing(aws, service, passed, caller.client)
    except Exception as error:  # the schedule's queue and the zip are none
        assert "PassRole" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("principal", "condition"),
    [
        (f"states.{REGION}.amazonaws.com", {}),
        (
            "states.amazonaws.com",
            {
                "ArnLike": {"aws:SourceArn": f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:*"},
                "StringEquals": {"aws:SourceAccount": ACCOUNT},
            },
        ),
    ],
)
def test_step_functions_comes_by_its_region_and_for_one_machine(
    aws: Aws, principal: str, condition: dict[str, Any]
) -> None:
    arn = role(aws, {"Service": principal}, Condition=condition)
    passing(aws, "states", arn, aws.client)


@pytest.mark.parametrize("service", REFUSALS)
@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ({"StringEquals": {"aws:SourceAccount": ACCOUNT}}, True),
        ({"StringEquals": {"aws:SourceAccount": "111122223333"}}, False),
        ({"ArnLike": {"aws:SourceArn": f"arn:aws:*:{REGION}:{ACCOUNT}:*"}}, True),
        ({"ArnLike": {"aws:SourceArn": f"arn:aws:*:us-west-2:{ACCOUNT}:*"}}, False),
    ],
)
def test_a_service_is_trusted_for_an_account_and_a_resource(
    aws: Aws, service: str, condition: dict[str, Any], holds: bool
) -> None:
    arn = role(aws, {"Service": f"{service}.amazonaws.com"}, Condition=condition)
    try:
        passing(aws, service, arn, aws.client)
        said = ""
    except ClientError as error:  # the schedule's queue and the zip are none
        said = error.response["Error"]["Message"]
    assert (said != REFUSALS[service][1].format(arn=arn)) == holds

"""What SimulatePrincipalPolicy and SimulateCustomPolicy say, as LocalStack's suite recorded of AWS
and IAM's API reference has it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.aws import Aws, policy
from tests.local_aws.permissions.callers import ACCOUNT, Caller, allow, refusal

STATEMENT = {"Effect": "Allow", "Action": "s3:PutObject", "Resource": "*"}
PUT = json.dumps({"Version": "2012-10-17", "Statement": STATEMENT})
BUCKET = "arn:aws:s3:::bucket"


def simulated(aws: Aws, source: str, *actions: str, **more: Any) -> dict[str, Any]:
    answer = aws.client("iam").simulate_principal_policy(
        PolicySourceArn=source, ActionNames=list(actions), **{"ResourceArns": [BUCKET], **more}
    )
    return {name: each for name, each in answer.items() if name != "ResponseMetadata"}


def decisions(answer: dict[str, Any]) -> dict[str, str]:
    return {each["EvalActionName"]: each["EvalDecision"] for each in answer["EvaluationResults"]}


def custom(aws: Aws, *statements: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer: dict[str, Any] = aws.client("iam").simulate_custom_policy(
        **{
            "PolicyInputList": [policy(*statements)],
            "ActionNames": ["s3:PutObject"],
            "ResourceArns": [BUCKET],
            **more,
        }
    )
    return answer


@pytest.fixture(scope="module")
def arn(aws: Aws) -> str:
    made = aws.client("iam").create_policy(PolicyName="put", PolicyDocument=PUT)
    return str(made["Policy"]["Arn"])


@pytest.mark.parametrize("kind", ["user", "group", "role"])
def test_what_somebody_may_is_told_with_the_statement_that_says_so(
    aws: Aws, arn: str, kind: str
) -> None:
    iam, name = aws.client("iam"), f"simulated-{kind}"
    given = {f"{kind.capitalize()}Name": name}
    trust = policy(
        {
            "Effect": "Allow",
            "Principal": {"Service": "lambda.amazonaws.com"},
            "Action": "sts:AssumeRole",
        }
    )
    more = {"AssumeRolePolicyDocument": trust} if kind == "role" else {}
    made = getattr(iam, f"create_{kind}")(**given, **more)[kind.capitalize()]
    getattr(iam, f"attach_{kind}_policy")(**given, PolicyArn=arn)
    answer = simulated(aws, made["Arn"], "s3:PutObject", "s3:GetObjectVersion")
    assert answer["IsTruncated"] is False
    put, get = answer["EvaluationResults"]
    (statement,) = put["MatchedStatements"]
    assert statement["SourcePolicyType"] == "IAM Policy"
    assert statement["StartPosition"] == {"Line": 1, "Column": PUT.index('{"Effect') + 2}
    assert statement["EndPosition"] == {"Line": 1, "Column": len(PUT)}
    same = {"MatchedStatements": [statement], "MissingContextValues": []}
    assert put == {
        "EvalActionName": "s3:PutObject",
        "EvalResourceName": BUCKET,
        "EvalDecision": "allowed",
        "EvalDecisionDetails": {},
        "OrganizationsDecisionDetail": {"AllowedByOrganizations": True},
        "ResourceSpecificResults": [
            {"EvalResourceName": BUCKET, "EvalResourceDecision": "allowed", **same}
        ],
        **same,
    }
    assert (get["EvalDecision"], get["MatchedStatements"]) == ("implicitDeny", [])


def test_a_deny_wins_and_a_boundary_limits(aws: Aws) -> None:
    role = Caller(aws, allow("s3:*"), {"Effect": "Deny", "Action": "s3:Put*", "Resource": "*"})
    found = simulated(aws, role.arn, "s3:PutObject", "s3:GetObject", "sqs:SendMessage")
    assert decisions(found) == {
        "s3:PutObject": "explicitDeny",
        "s3:GetObject": "allowed",
        "sqs:SendMessage": "implicitDeny",
    }
    bounded = simulated(
        aws,
        role.arn,
        "s3:GetObject",
        PolicyInputList=[policy(allow("sqs:*"))],
        PermissionsBoundaryPolicyInputList=[policy(allow("sqs:*"))],
    )
    (result,) = bounded["EvaluationResults"]
    assert result["EvalDecision"] == "implicitDeny"
    assert result["PermissionsBoundaryDecisionDetail"] == {"AllowedByPermissionsBoundary": False}


def test_a_condition_knows_what_the_request_gives(aws: Aws) -> None:
    only = allow("s3:*", Condition={"StringEquals": {"aws:RequestedRegion": "eu-west-1"}})
    (blind,) = custom(aws, only)["EvaluationResults"]
    assert (blind["EvalDecision"], blind["MissingContextValues"]) == (
        "implicitDeny",
        ["aws:requestedregion"],
    )
    given = {
        "ContextKeyName": "aws:RequestedRegion",
        "ContextKeyValues": ["eu-west-1"],
        "ContextKeyType": "string",
    }
    (told,) = custom(aws, only, ContextEntries=[given])["EvaluationResults"]
    assert (told["EvalDecision"], told["MissingContextValues"]) == ("allowed", [])


def test_a_resources_policy_is_for_a_caller(aws: Aws) -> None:
    user = f"arn:aws:iam::{ACCOUNT}:user/anyone"
    open_to = policy({**allow("s3:PutObject", BUCKET), "Principal": {"AWS": user}})
    nothing = allow("sqs:*")
    ask = aws.client("iam").simulate_custom_policy
    wanted = {
        "PolicyInputList": [policy(nothing)],
        "ActionNames": ["s3:PutObject"],
        "ResourcePolicy": open_to,
    }
    assert refusal(ask, **wanted)[1] == "InvalidInput"
    (found,) = custom(aws, nothing, ResourcePolicy=open_to, CallerArn=user)["EvaluationResults"]
    assert found["EvalDecision"] == "allowed"


def test_results_come_in_pages(aws: Aws) -> None:
    resources = [f"{BUCKET}/{number}" for number in range(3)]
    first = custom(aws, allow("s3:*"), ResourceArns=resources, MaxItems=2)
    assert (len(first["EvaluationResults"]), first["IsTruncated"]) == (2, True)
    rest = custom(aws, allow("s3:*"), ResourceArns=resources, Marker=first["Marker"])
    assert [each["EvalResourceName"] for each in rest["EvaluationResults"]] == resources[2:]


def test_who_is_not_there_and_what_is_no_policy_are_refused(aws: Aws) -> None:
    iam, role = aws.client("iam"), f"arn:aws:iam::{ACCOUNT}:role/absent"
    ask = iam.simulate_principal_policy
    status, code, _ = refusal(ask, PolicySourceArn=role, ActionNames=["s3:PutObject"])
    assert (status, code) == (404, "NoSuchEntity")
    ask = iam.simulate_custom_policy
    _, code, said = refusal(ask, PolicyInputList=["{"], ActionNames=["s3:PutObject"])
    assert code == "InvalidInput"
    assert said.startswith("PolicyInputList.1 is no policy document")

"""What can be no trust policy is refused when it is given, by the API and in a template."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.local_aws.aws import Aws, eventually, policy
from tests.local_aws.permissions.callers import ACCOUNT, refusal

LAMBDA = {"Service": "lambda.amazonaws.com"}
ROLE = f"arn:aws:iam::{ACCOUNT}:role"


def trust(**more: Any) -> str:
    statement = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": LAMBDA, **more}
    return policy({key: value for key, value in statement.items() if value is not None})


MALFORMED = [
    # The message of the first was recorded by LocalStack's suite.
    ("{not json", "This policy contains invalid Json"),
    ('{"Statement": [{"Effect": "Allow",}]}', "This policy contains invalid Json"),
    ('"text"', "Syntax errors in policy."),
    (policy(), "Syntax errors in policy."),
    (trust(Principal=None), "Missing required field Principal"),
    (trust(Resource="*"), "Has prohibited field Resource"),
    (trust(Action="s3:GetObject"), "AssumeRole policy may only specify STS AssumeRole actions."),
    (trust(Effect="Perhaps"), "Syntax errors in policy."),
    (trust(Principal={"Team": "me"}), "Syntax errors in policy."),
    (trust(Principal={"Service": "lambda"}), 'Invalid principal in policy: "SERVICE":"lambda"'),
    (
        trust(Principal={"AWS": f"{ROLE}/absent"}),
        f'Invalid principal in policy: "AWS":"{ROLE}/absent"',
    ),
    (trust(Principal={"AWS": "somebody"}), 'Invalid principal in policy: "AWS":"somebody"'),
]


@pytest.mark.parametrize(("document", "message"), MALFORMED)
def test_a_malformed_trust_policy_is_refused(aws: Aws, document: str, message: str) -> None:
    iam = aws.client("iam")
    malformed = (400, "MalformedPolicyDocument", message)
    given = {"AssumeRolePolicyDocument": document}
    assert refusal(iam.create_role, RoleName="malformed", **given) == malformed
    assert refusal(iam.get_role, RoleName="malformed")[1] == "NoSuchEntity"
    update = iam.update_assume_role_policy
    assert refusal(update, RoleName="model", PolicyDocument=document) == malformed


@pytest.mark.parametrize(
    "principal",
    [
        "*",
        {"AWS": ACCOUNT},
        {"AWS": [f"arn:aws:iam::{ACCOUNT}:root", f"{ROLE}/model"]},
        {"AWS": "arn:aws:iam::999999999999:role/somebody-elses"},
        {"Service": ["lambda.amazonaws.com", "states.eu-west-1.amazonaws.com"]},
        {"Federated": "cognito-identity.amazonaws.com"},
    ],
)
def test_who_can_be_there_can_be_trusted(aws: Aws, principal: Any) -> None:
    iam = aws.client("iam")
    iam.update_assume_role_policy(RoleName="states", PolicyDocument=trust(Principal=principal))
    kept = iam.get_role(RoleName="states")["Role"]["AssumeRolePolicyDocument"]
    assert kept["Statement"][0]["Principal"] == principal


@pytest.mark.parametrize(
    ("kind", "properties", "reason"),
    [
        (
            "Role",
            {"AssumeRolePolicyDocument": json.loads(trust(Principal={"AWS": f"{ROLE}/absent"}))},
            "Invalid principal in policy",
        ),
        # AWS's schema of the type does not say it; CloudFormation does, when it is created.
        (
            "Policy",
            {"PolicyName": "p", "PolicyDocument": {"Version": "2012-10-17", "Statement": []}},
            "At least one of [Groups,Roles,Users] must be non-empty",
        ),
    ],
)
def test_a_stack_fails_with_it(
    aws: Aws, kind: str, properties: dict[str, Any], reason: str
) -> None:
    cloudformation, name = aws.client("cloudformation"), f"malformed-{kind}"
    template = {"Resources": {"It": {"Type": f"AWS::IAM::{kind}", "Properties": properties}}}
    cloudformation.create_stack(
        StackName=name, TemplateBody=json.dumps(template), Capabilities=["CAPABILITY_IAM"]
    )

    def ended() -> bool:
        stack = cloudformation.describe_stacks(StackName=name)["Stacks"][0]
        return str(stack["StackStatus"]) == "ROLLBACK_COMPLETE"

    eventually(ended)
    events = cloudformation.describe_stack_events(StackName=name)["StackEvents"]
    reasons = [event.get("ResourceStatusReason", "") for event in events]
    assert any(reason in each for each in reasons)

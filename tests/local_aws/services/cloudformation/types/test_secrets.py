"""Secrets as stacks make them: what is written into them, and whom their policies let in."""

from __future__ import annotations

import json
from typing import Any

from tests.local_aws.permissions.callers import refusal
from tests.local_aws.resources.samples import document
from tests.local_aws.services.cloudformation.conftest import REGION, Aws
from tests.local_aws.services.cloudformation.templates import (
    TRUST,
    get_att,
    ref,
    resource,
    template,
)

PASSWORD = {"ExcludePunctuation": True, "PasswordLength": 20}
USER = {"SecretStringTemplate": '{"username": "admin"}', "GenerateStringKey": "password"}


def value(aws: Aws, secret: str) -> str:
    found: str = aws.client("secretsmanager").get_secret_value(SecretId=secret)["SecretString"]
    return found


def secret(**made: Any) -> dict[str, Any]:
    return resource("SecretsManager::Secret", GenerateSecretString=made)


def password(name: str) -> dict[str, Any]:
    """The reference by which CDK's constructs give a secret's password to others."""
    return {"Fn::Sub": f"{{{{resolve:secretsmanager:${{{name}}}:SecretString:password::}}}}"}


def test_a_password_is_made_as_told_and_once(aws: Aws) -> None:
    body = template(
        {"Arn": ref("Secret"), "Id": get_att("Secret", "Id")},
        Secret=secret(**PASSWORD, **USER),
    )
    aws.create("made", body)
    arn = aws.outputs("made")["Arn"]
    text = json.loads(value(aws, arn))

    assert aws.outputs("made")["Id"] == arn
    assert text["username"] == "admin"
    assert len(text["password"]) == 20
    assert text["password"].isalnum()
    body["Resources"]["Secret"]["Properties"]["Description"] = "other"
    aws.update("made", body)
    assert json.loads(value(aws, arn)) == text
    body["Resources"]["Secret"]["Properties"]["GenerateSecretString"]["PasswordLength"] = 24
    aws.update("made", body)
    assert len(json.loads(value(aws, arn))["password"]) == 24
    aws.delete("made")
    assert refusal(aws.client("secretsmanager").describe_secret, SecretId=arn)[1] == (
        "ResourceNotFoundException"
    )


def test_a_secrets_policy_lets_a_role_in(aws: Aws) -> None:
    entry = document(
        Action="secretsmanager:GetSecretValue",
        Resource="*",
        Principal={"AWS": get_att("Role", "Arn")},
    )
    policy = resource(
        "SecretsManager::ResourcePolicy", SecretId=ref("Secret"), ResourcePolicy=entry
    )
    own = {"PolicyName": "own", "PolicyDocument": document(Action="none:None", Resource="*")}
    role = resource("IAM::Role", AssumeRolePolicyDocument=TRUST, Policies=[own])
    resources = {"Secret": secret(**PASSWORD), "Role": role}
    shown = {"Arn": ref("Secret"), "Role": get_att("Role", "Arn")}
    aws.create("opened", template(shown, **resources, Policy=policy))
    told, context = aws.outputs("opened"), aws.gateway.context
    session = context.sessions.assume(told["Role"], "session")
    read = context.client_as(session, "secretsmanager", REGION).get_secret_value

    assert len(read(SecretId=told["Arn"])["SecretString"]) == 20
    aws.update("opened", template(shown, **resources))
    assert refusal(read, SecretId=told["Arn"])[1] == "AccessDeniedException"
    aws.delete("opened")


def test_rotation_and_attachment_are_only_kept_and_leave_their_secret_readable(aws: Aws) -> None:
    rotation = resource(
        "SecretsManager::RotationSchedule",
        SecretId=ref("Secret"),
        RotationRules={"AutomaticallyAfterDays": 30},
    )
    attachment = resource(
        "SecretsManager::SecretTargetAttachment",
        SecretId=ref("Secret"),
        TargetId="database",
        TargetType="AWS::RDS::DBInstance",
    )
    shown = {"Arn": ref("Secret"), "Rotation": ref("Rotation"), "Attached": ref("Attachment")}
    body = template(shown, Secret=secret(**PASSWORD), Rotation=rotation, Attachment=attachment)
    aws.create("rotated", body)
    told = aws.outputs("rotated")

    assert told["Rotation"] == told["Attached"] == told["Arn"]
    assert len(value(aws, told["Arn"])) == 20
    aws.delete("rotated")

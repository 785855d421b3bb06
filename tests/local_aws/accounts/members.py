"""Further accounts of a local AWS, as its developer gets into them."""

from __future__ import annotations

from typing import Any

import boto3
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws

HOME, OTHER, THIRD = "123456789012", "111111111111", "222222222222"


def client(aws: Aws, service: str, account: str = OTHER, region: str = REGION) -> Any:
    """A client in an account, of an administrator who comes from the first one."""
    if account == HOME:
        return aws.client(service, region)
    taken = aws.client("sts").assume_role(
        RoleArn=f"arn:aws:iam::{account}:role/OrganizationAccountAccessRole",
        RoleSessionName="test",
    )
    return client_of(aws, service, taken["Credentials"], region)


def client_of(aws: Aws, service: str, keys: Any, region: str = REGION) -> Any:
    """A client with credentials as STS, or IAM, has given them."""
    return boto3.client(
        service,
        endpoint_url=aws.url,
        region_name=region,
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys.get("SessionToken"),
    )


def refused(call: Any, **parameters: Any) -> tuple[str, str]:
    """The code and the message of the error that a call must end in."""
    try:
        call(**parameters)
    except ClientError as error:
        return error.response["Error"]["Code"], error.response["Error"]["Message"]
    raise AssertionError("nothing was refused")

"""What each account has is found again when a local AWS starts anew in its folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from local_aws.errors import Mistake
from local_aws.state.folder import forget
from tests.local_aws.accounts.members import HOME, OTHER, client
from tests.local_aws.aws import Aws, gateway_of
from tests.local_aws.functions import in_place, trust, zipped

TEMPLATE = {
    "Resources": {
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {"AssumeRolePolicyDocument": trust("ec2.amazonaws.com")},
        },
        "User": {"Type": "AWS::IAM::User", "Properties": {"UserName": "same"}},
    }
}


def settle(stacks: Any, waiter: str) -> None:
    stacks.get_waiter(waiter).wait(StackName="s", WaiterConfig={"Delay": 0.1, "MaxAttempts": 100})


@contextmanager
def running(folder: Path) -> Iterator[Aws]:
    """A local AWS in a folder, until the end of the block."""
    gateway = gateway_of(folder)
    gateway.start()
    try:
        aws = Aws.__new__(Aws)  # without what its constructor makes, which may be there
        aws.gateway, aws.url = gateway, gateway.url
        yield aws
    finally:
        gateway.stop()


def test_each_account_has_again_what_it_had(tmp_path: Path) -> None:
    with running(tmp_path) as aws:
        for account in (HOME, OTHER):
            role = client(aws, "iam", account).create_role(
                RoleName="function", AssumeRolePolicyDocument=json.dumps(trust())
            )
            functions = client(aws, "lambda", account)
            functions.create_function(
                FunctionName="f",
                Role=role["Role"]["Arn"],
                Runtime="python3.12",
                Handler="index.handler",
                Code={"ZipFile": zipped({"index.py": "def handler(event, context): return 1"})},
            )
            in_place(functions, "f")
            client(aws, "ssm", account).put_parameter(Name="/p", Value=account, Type="String")
            stacks = client(aws, "cloudformation", account)
            stacks.create_stack(
                StackName="s",
                TemplateBody=json.dumps(TEMPLATE),
                Capabilities=["CAPABILITY_NAMED_IAM"],
            )
            settle(stacks, "stack_create_complete")
    with running(tmp_path) as aws:
        for account in (HOME, OTHER):
            found = client(aws, "lambda", account).get_function(FunctionName="f")
            assert f":{account}:" in found["Configuration"]["FunctionArn"]
            parameter = client(aws, "ssm", account).get_parameter(Name="/p")["Parameter"]
            assert parameter["Value"] == account
            stacks = client(aws, "cloudformation", account)
            stacks.delete_stack(StackName="s")
            settle(stacks, "stack_delete_complete")
            assert client(aws, "iam", account).list_users()["Users"] == []


def test_accounts_are_forgotten_with_all_else(tmp_path: Path) -> None:
    with running(tmp_path) as aws:
        client(aws, "sts").get_caller_identity()
        assert list(aws.status()["accounts"]) == [OTHER]
    forget(tmp_path)
    with running(tmp_path) as aws:
        assert "accounts" not in aws.status()


def test_credentials_that_are_not_this_users_own_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "accounts" / OTHER
    folder.mkdir(parents=True)
    (folder / "credentials.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Mistake):
        gateway_of(tmp_path)

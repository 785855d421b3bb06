"""User pools, as stacks and the service's API make and change them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local_aws.gateway import Gateway
from tests.local_aws.aws import REGION, gateway_of
from tests.local_aws.functions import Stacks
from tests.local_aws.user_pools import OUTPUTS, RESOURCES, sign_in


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    started = gateway_of(tmp_path_factory.mktemp("pools"))
    started.start()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def stacks(gateway: Gateway) -> Stacks:
    return Stacks(gateway)


@pytest.fixture(scope="module")
def cognito(stacks: Stacks) -> Any:
    return stacks.functions.client("cognito-idp")


def test_a_pool_of_a_stack_is_signed_in_to_changed_and_deleted(
    stacks: Stacks, cognito: Any
) -> None:
    resources = {**RESOURCES, "Pool": {"Type": "AWS::Cognito::UserPool", "Properties": {}}}
    body = {"Resources": resources, "Outputs": OUTPUTS}
    assert stacks.create("pool", body)["StackStatus"] == "CREATE_COMPLETE"
    made = stacks.outputs("pool")
    assert re.fullmatch(rf"{REGION}_[0-9A-Za-z]{{9}}", made["Pool"])
    assert sign_in(cognito, made["Pool"], made["Client"]).access.count(".") == 2

    added = {"Name": "shelf", "AttributeDataType": "String"}
    resources["Pool"]["Properties"] = {"Schema": [added], "UserPoolName": "later"}
    assert stacks.update("pool", body)["StackStatus"] == "UPDATE_COMPLETE"

    pool = cognito.describe_user_pool(UserPoolId=made["Pool"])["UserPool"]
    assert pool["Name"] == "later"
    assert {"custom:shelf", "email"} <= {each["Name"] for each in pool["SchemaAttributes"]}
    assert stacks.outputs("pool") == made
    assert stacks.delete("pool")["StackStatus"] == "DELETE_COMPLETE"
    with pytest.raises(cognito.exceptions.ResourceNotFoundException):
        cognito.describe_user_pool(UserPoolId=made["Pool"])


def test_a_change_leaves_by_what_users_are_named(cognito: Any) -> None:
    pool = cognito.create_user_pool(PoolName="pool", UsernameAttributes=["email"])["UserPool"]["Id"]
    cognito.update_user_pool(UserPoolId=pool, MfaConfiguration="OFF")
    found = cognito.describe_user_pool(UserPoolId=pool)["UserPool"]
    assert found["UsernameAttributes"] == ["email"]


def test_a_protected_pool_is_not_deleted(cognito: Any) -> None:
    made = cognito.create_user_pool(PoolName="pool", DeletionProtection="ACTIVE")
    pool = made["UserPool"]["Id"]
    with pytest.raises(ClientError, match="deletion protection is activated"):
        cognito.delete_user_pool(UserPoolId=pool)
    cognito.update_user_pool(UserPoolId=pool, DeletionProtection="INACTIVE")
    cognito.delete_user_pool(UserPoolId=pool)

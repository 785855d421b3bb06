"""An app whose stacks name several accounts is deployed, by the real CDK CLI, on one local AWS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from local_aws.errors import DeployFailed
from local_aws.process.cdk import CdkCli
from tests.local_aws.accounts.members import OTHER, client
from tests.local_aws.aws import REGION, Aws, address_of

pytestmark = [pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(600)]

PROJECT = Path(__file__).parent / "two_accounts"


def deploy(aws: Aws, assembly: Path, **context: str) -> CdkCli:
    cdk = CdkCli(PROJECT, address_of(aws.gateway), REGION)
    cdk.synth(assembly, context)
    cdk.bootstrap(assembly)
    cdk.deploy(assembly)
    return cdk


def sell(aws: Aws, order: str) -> Any:
    answer = aws.client("lambda").invoke(FunctionName="sell", Payload=json.dumps({"id": order}))
    return json.load(answer["Payload"])


def stacks(aws: Aws) -> tuple[set[str], set[str]]:
    """The names of the first account's and of the other's."""
    status = aws.status()
    first, other = status["stacks"], status["accounts"][OTHER]["stacks"]
    return {each["name"] for each in first}, {each["name"] for each in other}


@pytest.mark.denied("s3:GetObject")
def test_stacks_of_two_accounts_are_made_used_and_destroyed(aws: Aws, tmp_path: Path) -> None:
    assembly = tmp_path / "cdk.out"
    deploy(aws, assembly)
    assert stacks(aws) == ({"CDKToolkit", "Shop"}, {"CDKToolkit", "Bank"})
    denied = sell(aws, "first")["errorMessage"]
    assert "because no identity-based policy allows the s3:GetObject action" in denied

    cdk = deploy(aws, assembly, granted="yes")
    assert sell(aws, "second") == "42"
    orders = client(aws, "dynamodb").scan(TableName="orders")["Items"]
    assert {each["id"]["S"] for each in orders} == {"first", "second"}
    assert aws.client("dynamodb").list_tables()["TableNames"] == []

    cdk.destroy(assembly)
    assert stacks(aws) == ({"CDKToolkit"}, {"CDKToolkit"})
    assert client(aws, "dynamodb").list_tables()["TableNames"] == []


def test_what_fails_in_another_account_is_told_with_its_reason(aws: Aws, tmp_path: Path) -> None:
    where = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}
    aws.s3.create_bucket(Bucket="bank-prices", **where)
    with pytest.raises(DeployFailed, match=r"Bank: Prices.*bank-prices"):
        deploy(aws, tmp_path / "cdk.out")

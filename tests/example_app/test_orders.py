from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local_aws.testing import DeployApp, DeployedApp, FaultsPage, LocalAws

APP = Path(__file__).parent


@pytest.fixture(scope="module")
def app(local_aws: LocalAws) -> Iterator[DeployedApp]:
    """Deployed once for all tests of this file."""
    with local_aws.deployed(APP) as app:
        yield app


@pytest.fixture
def kept(app: DeployedApp, boto3_session: Any) -> Callable[[str], Any]:
    """The order of an id, once it is in the table."""
    table = boto3_session.resource("dynamodb").Table(app.outputs["TableName"])

    def look(order: str) -> Any:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = table.get_item(Key={"id": order}).get("Item")
            if found is not None:
                return found
            time.sleep(0.1)
        raise AssertionError(f"order {order} did not come into the table in 30 seconds")

    return look


def test_an_order_is_kept(app: DeployedApp, boto3_client: Any, kept: Callable[[str], Any]) -> None:
    boto3_client("sqs").send_message(
        QueueUrl=app.outputs["QueueUrl"], MessageBody=json.dumps({"id": "1", "amount": 3})
    )
    assert kept("1") == {"id": "1", "amount": 3}


def test_an_order_is_kept_though_the_table_is_throttled(
    app: DeployedApp, boto3_client: Any, faults: FaultsPage, kept: Callable[[str], Any]
) -> None:
    faults.set("throttling", service="dynamodb", operation="PutItem", first=2)
    boto3_client("sqs").send_message(
        QueueUrl=app.outputs["QueueUrl"], MessageBody=json.dumps({"id": "2", "amount": 5})
    )
    assert kept("2")["amount"] == 5
    assert [fault["struck"] for fault in faults.listed()] == [2]


def test_without_its_permission_no_order_is_kept(deploy_app: DeployApp, boto3_client: Any) -> None:
    app = deploy_app(APP, context={"may_write": "no"}, region="us-east-2")
    order = {"Records": [{"body": json.dumps({"id": "3", "amount": 1})}]}
    answer = boto3_client("lambda", "us-east-2").invoke(
        FunctionName=app.outputs["KeeperName"], Payload=json.dumps(order)
    )
    assert "AccessDeniedException" in answer["Payload"].read().decode()

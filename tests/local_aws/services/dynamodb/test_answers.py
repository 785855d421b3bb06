"""What DynamoDB's answers have only when a request asks for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.local_aws.aws import Aws

KEY = {"id": {"S": "a"}}
UPDATE = {
    "TableName": "t",
    "Key": KEY,
    "UpdateExpression": "SET n = :n",
    "ExpressionAttributeValues": {":n": {"N": "1"}},
}


@pytest.fixture(scope="module", autouse=True)
def table(aws: Aws) -> None:
    aws.client("dynamodb").create_table(
        TableName="t",
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("put_item", {"TableName": "t", "Item": KEY}),
        ("update_item", UPDATE),
        ("delete_item", {"TableName": "t", "Key": KEY}),
        ("get_item", {"TableName": "t", "Key": KEY}),
        ("scan", {"TableName": "t"}),
        ("batch_get_item", {"RequestItems": {"t": {"Keys": [KEY]}}}),
        ("batch_write_item", {"RequestItems": {"t": [{"PutRequest": {"Item": KEY}}]}}),
        ("transact_write_items", {"TransactItems": [{"Put": {"TableName": "t", "Item": KEY}}]}),
    ],
)
def test_what_is_not_asked_for_is_not_told(
    aws: Aws, operation: str, parameters: dict[str, Any]
) -> None:
    """ReturnConsumedCapacity is NONE by default: DynamoDB's API reference;
    recorded by LocalStack's suite, 2024."""
    answer = getattr(aws.client("dynamodb"), operation)(**parameters)
    assert not {"ConsumedCapacity", "ItemCollectionMetrics"} & answer.keys()


def test_consumed_capacity_is_told_to_whoever_asks(aws: Aws) -> None:
    answer = aws.client("dynamodb").update_item(**UPDATE, ReturnConsumedCapacity="TOTAL")
    assert answer["ConsumedCapacity"]["TableName"] == "t"

"""A table's replicas have what it has, whichever of them is written to."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.aws import REGION, Aws

OTHER, THIRD = "eu-central-1", "us-east-2"
TABLE: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def table(aws: Aws) -> str:
    """A table of three regions."""
    name = f"t{len(tables(aws, REGION))}"
    here = dynamodb(aws, REGION)
    here.create_table(
        TableName=name,
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        **TABLE,
    )
    add(aws, name, OTHER)
    here.update_table(TableName=name, ReplicaUpdates=[{"Create": {"RegionName": THIRD}}])
    return name


def test_a_change_in_any_region_is_in_all_others(aws: Aws, table: str) -> None:
    dynamodb(aws, REGION).put_item(TableName=table, Item=item("one", "a"))
    dynamodb(aws, OTHER).batch_write_item(
        RequestItems={table: [{"PutRequest": {"Item": item("two", "b")}}]}
    )
    dynamodb(aws, THIRD).update_item(
        TableName=table,
        Key={"id": {"S": "one"}},
        UpdateExpression="SET v = :v",
        ExpressionAttributeValues={":v": {"S": "c"}},
    )
    for region in (REGION, OTHER, THIRD):
        assert values(aws, region, table) == {"one": "c", "two": "b"}

    dynamodb(aws, OTHER).delete_item(TableName=table, Key={"id": {"S": "two"}})
    for region in (REGION, OTHER, THIRD):
        assert values(aws, region, table) == {"one": "c"}


def test_a_replica_begins_with_what_the_table_has(aws: Aws) -> None:
    here = dynamodb(aws, REGION)
    here.create_table(TableName="later", **TABLE)
    here.put_item(TableName="later", Item=item("one", "a"))
    add(aws, "later", OTHER)
    assert values(aws, OTHER, "later") == {"one": "a"}
    stream = here.describe_table(TableName="later")["Table"]["StreamSpecification"]
    assert stream["StreamViewType"] == "NEW_AND_OLD_IMAGES", "by which replicas follow"


def test_a_transaction_that_is_cancelled_reaches_no_replica(aws: Aws, table: str) -> None:
    change = {"TableName": table, "Item": item("one", "a")}
    never = {
        "TableName": table,
        "Key": {"id": {"S": "two"}},
        "ConditionExpression": "attribute_exists(id)",
    }
    with pytest.raises(ClientError, match="TransactionCanceled"):
        dynamodb(aws, REGION).transact_write_items(
            TransactItems=[{"Put": change}, {"ConditionCheck": never}]
        )
    dynamodb(aws, REGION).put_item(TableName=table, Item=item("three", "d"))
    assert values(aws, OTHER, table) == {"three": "d"}


def test_each_stream_has_each_change_once_and_says_its_region(aws: Aws, table: str) -> None:
    dynamodb(aws, REGION).put_item(TableName=table, Item=item("one", "a"))
    dynamodb(aws, OTHER).put_item(TableName=table, Item=item("one", "b"))
    for region in (REGION, OTHER, THIRD):
        told = [(each["eventName"], each["awsRegion"]) for each in records(aws, region, table)]
        assert told == [("INSERT", region), ("MODIFY", region)]


def test_each_replica_tells_of_the_others(aws: Aws, table: str) -> None:
    described = dynamodb(aws, OTHER).describe_table(TableName=table)["Table"]
    assert described["GlobalTableVersion"] == "2019.11.21"
    assert described["Replicas"] == [
        {"RegionName": region, "ReplicaStatus": "ACTIVE"} for region in (REGION, THIRD)
    ]
    dynamodb(aws, THIRD).delete_table(TableName=table)
    (other,) = dynamodb(aws, OTHER).describe_table(TableName=table)["Table"]["Replicas"]
    assert other["RegionName"] == REGION


def test_what_cannot_be_a_replica_is_refused(aws: Aws, table: str) -> None:
    with pytest.raises(ClientError, match=f"there is a table {table} in {OTHER} already"):
        add(aws, table, OTHER)
    gone = {"Delete": {"RegionName": "eu-west-3"}}
    with pytest.raises(ClientError, match=f"a replica of {table} in eu-west-3 does not exist"):
        dynamodb(aws, REGION).update_table(TableName=table, ReplicaUpdates=[gone])


def dynamodb(aws: Aws, region: str) -> Any:
    return aws.client("dynamodb", region)


def add(aws: Aws, table: str, region: str) -> None:
    dynamodb(aws, REGION).update_table(
        TableName=table, ReplicaUpdates=[{"Create": {"RegionName": region}}]
    )


def item(name: str, value: str) -> dict[str, Any]:
    return {"id": {"S": name}, "v": {"S": value}}


def values(aws: Aws, region: str, table: str) -> dict[str, str]:
    items = dynamodb(aws, region).scan(TableName=table)["Items"]
    return {each["id"]["S"]: each["v"]["S"] for each in items}


def tables(aws: Aws, region: str) -> list[str]:
    names: list[str] = dynamodb(aws, region).list_tables()["TableNames"]
    return names


def described(aws: Aws, region: str, table: str) -> dict[str, Any]:
    found: dict[str, Any] = dynamodb(aws, region).describe_table(TableName=table)["Table"]
    return found


def records(aws: Aws, region: str, table: str) -> list[dict[str, Any]]:
    """What the table's stream in a region holds."""
    streams = aws.client("dynamodbstreams", region)
    arn = described(aws, region, table)["LatestStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    found: list[dict[str, Any]] = streams.get_records(ShardIterator=iterator)["Records"]
    return found

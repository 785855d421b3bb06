"""A global table of a stack: a table in its region; what it has in others is only kept."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.local_aws.services.cloudformation.conftest import REGION, Aws
from tests.local_aws.services.cloudformation.templates import get_att, resource, template
from tests.local_aws.services.cloudformation.types.changes import changed_to, tags_of

OTHER = "eu-central-1"
KEY = {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
TABLE: dict[str, Any] = {
    **KEY,
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
}
INDEX = {"IndexName": "by-id", **KEY, "Projection": {"ProjectionType": "ALL"}}
ITEM = {"id": {"S": "one"}}


def test_it_is_made_and_changed_in_the_stacks_region_and_kept_in_others(aws: Aws) -> None:
    table = resource(
        "DynamoDB::GlobalTable",
        TableName="orders",
        **TABLE,
        TimeToLiveSpecification={"AttributeName": "until", "Enabled": True},
        Replicas=[
            {"Region": REGION, "TableClass": "STANDARD_INFREQUENT_ACCESS"},
            {"Region": OTHER, "Tags": tags_of("team=b")},
        ],
    )
    outputs = {name: get_att("Table", name) for name in ("Arn", "StreamArn", "TableId")}
    aws.create("global", template(outputs, Table=table))

    here = described(aws, REGION)
    wanted = {"Arn": "TableArn", "StreamArn": "LatestStreamArn", "TableId": "TableId"}
    assert aws.outputs("global") == {name: here[member] for name, member in wanted.items()}
    assert here["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert "the local AWS only keeps replicas, and does nothing by it" in str(aws.events("global"))
    assert aws.client("dynamodb", OTHER).list_tables()["TableNames"] == []
    dynamodb = aws.client("dynamodb")
    with pytest.raises(ClientError, match="no replicas of tables in other regions"):
        dynamodb.update_table(
            TableName="orders", ReplicaUpdates=[{"Create": {"RegionName": OTHER}}]
        )

    dynamodb.put_item(TableName="orders", Item=ITEM)
    changed = changed_to(table, Replicas=[{"Region": REGION}], GlobalSecondaryIndexes=[INDEX])
    assert aws.update("global", template(Table=changed))["StackStatus"] == "UPDATE_COMPLETE"
    (index,) = described(aws, REGION)["GlobalSecondaryIndexes"]
    assert index["IndexName"] == "by-id"
    assert dynamodb.scan(TableName="orders")["Items"] == [ITEM]
    assert aws.delete("global")["StackStatus"] == "DELETE_COMPLETE"
    assert dynamodb.list_tables()["TableNames"] == []


def test_one_without_the_stacks_region_is_refused(aws: Aws) -> None:
    table = resource("DynamoDB::GlobalTable", **TABLE, Replicas=[{"Region": OTHER}])
    aws.create("elsewhere", template(Table=table))
    reason = aws.reason("elsewhere", "CREATE_FAILED")
    assert f"Replicas lacks {REGION}, the region of the stack; add it" in reason


def described(aws: Aws, region: str) -> dict[str, Any]:
    found: dict[str, Any] = aws.client("dynamodb", region).describe_table(TableName="orders")
    table: dict[str, Any] = found["Table"]
    return table

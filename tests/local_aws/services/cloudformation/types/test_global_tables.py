"""A global table of a stack: a table in its region, and replicas in others."""

from __future__ import annotations

from typing import Any

from tests.local_aws.services.cloudformation.conftest import REGION, Aws
from tests.local_aws.services.cloudformation.templates import get_att, resource, template
from tests.local_aws.services.cloudformation.types.changes import changed_to, tags_of

OTHER, THIRD = "eu-central-1", "us-east-2"
KEY = {"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}
TABLE: dict[str, Any] = {
    **KEY,
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"},
}
INDEX = {"IndexName": "by-id", **KEY, "Projection": {"ProjectionType": "ALL"}}
ITEM = {"id": {"S": "one"}}


def test_it_is_made_changed_and_deleted_in_every_region(aws: Aws) -> None:
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

    here, there = (described(aws, region) for region in (REGION, OTHER))
    wanted = {"Arn": "TableArn", "StreamArn": "LatestStreamArn", "TableId": "TableId"}
    assert aws.outputs("global") == {name: here[member] for name, member in wanted.items()}
    assert here["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert "TableClassSummary" not in there
    dynamodb = aws.client("dynamodb", OTHER)
    assert dynamodb.list_tags_of_resource(ResourceArn=there["TableArn"])["Tags"] == tags_of(
        "team=b"
    )
    until = dynamodb.describe_time_to_live(TableName="orders")["TimeToLiveDescription"]
    assert until == {"AttributeName": "until", "TimeToLiveStatus": "ENABLED"}

    dynamodb.put_item(TableName="orders", Item=ITEM)
    replicas = [{"Region": REGION}, {"Region": OTHER}, {"Region": THIRD}]
    changed = changed_to(table, Replicas=replicas, GlobalSecondaryIndexes=[INDEX])
    assert aws.update("global", template(Table=changed))["StackStatus"] == "UPDATE_COMPLETE"
    assert dynamodb.list_tags_of_resource(ResourceArn=there["TableArn"])["Tags"] == []
    for region in (OTHER, THIRD):
        assert aws.client("dynamodb", region).scan(TableName="orders")["Items"] == [ITEM]
        (index,) = described(aws, region)["GlobalSecondaryIndexes"]
        assert index["IndexName"] == "by-id"

    changed = changed_to(changed, Replicas=[{"Region": REGION}, {"Region": THIRD}])
    assert aws.update("global", template(Table=changed))["StackStatus"] == "UPDATE_COMPLETE"
    assert dynamodb.list_tables()["TableNames"] == []
    assert aws.delete("global")["StackStatus"] == "DELETE_COMPLETE"
    for region in (REGION, THIRD):
        assert aws.client("dynamodb", region).list_tables()["TableNames"] == []


def test_one_without_the_stacks_region_is_refused(aws: Aws) -> None:
    table = resource("DynamoDB::GlobalTable", **TABLE, Replicas=[{"Region": OTHER}])
    aws.create("elsewhere", template(Table=table))
    reasons = " ".join(event.get("ResourceStatusReason", "") for event in aws.events("elsewhere"))
    assert f"Replicas lacks {REGION}, the region of the stack; add it" in reasons


def described(aws: Aws, region: str) -> dict[str, Any]:
    found: dict[str, Any] = aws.client("dynamodb", region).describe_table(TableName="orders")
    table: dict[str, Any] = found["Table"]
    return table

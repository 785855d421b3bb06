"""DynamoDB, which the emulator answers."""

from __future__ import annotations

from collections.abc import Iterator

from local_aws.integration import Integration
from local_aws.permissions.service import ServicePermissions, first
from local_aws.protocol import AwsError
from local_aws.protocol.call import Call
from local_aws.service import Limit, Service

from .resources import GlobalTable, Table


def _tables(call: Call) -> Iterator[str]:
    """Tables, by whichever member an operation names them, and the index that is asked."""
    single, index = first(call.parameters, "TableName"), first(call.parameters, "IndexName")
    tables = [single] if single is not None else list(call.parameters.get("RequestItems", ()))
    for item in call.parameters.get("TransactItems", ()):
        tables += [part["TableName"] for part in item.values() if "TableName" in part]
    for table in dict.fromkeys(tables):
        named = table if table.startswith("arn:") else f"table/{table}"
        yield named if index is None else f"{named}/index/{index}"


def _streams(call: Call) -> Iterator[str]:
    """A stream by its ARN, which a shard's iterator begins with, or a table's."""
    given = first(call.parameters, "StreamArn", "ShardIterator")
    table = first(call.parameters, "TableName")
    if given is not None:
        yield given.partition("|")[0]
    elif table is not None:
        yield f"table/{table}/stream/*"


class DynamoDbStreams(Service):
    """What changes in tables, which the emulator answers."""

    name = "dynamodbstreams"
    permissions = ServicePermissions(prefix="dynamodb", resources=_streams)


class DynamoDb(Service):
    """DynamoDB, which the emulator answers."""

    name = "dynamodb"
    limits = (Limit("replicas of a global table", "kept of a stack, refused of a call"),)
    permissions = ServicePermissions(prefix="dynamodb", resources=_tables)
    types = (GlobalTable(), Table())
    tasks = (
        Integration(
            name="dynamodb",
            prefix="DynamoDB",
            service="AmazonDynamoDBv2",
            actions=frozenset({"getItem", "putItem", "updateItem", "deleteItem"}),
            takes_token=False,
        ),
    )

    def check(self, call: Call) -> None:
        """Raise `AwsError`, too, for a replica in another region."""
        super().check(call)
        if call.parameters.get("ReplicaUpdates"):
            what = "the local AWS has no replicas of tables in other regions (ReplicaUpdates)"
            raise AwsError("ValidationException", what)

    def prepare(self) -> None:
        """Describe tables as AWS does."""
        from . import moto  # loading it takes long, and few ask for it

        moto.apply()

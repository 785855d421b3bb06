"""Changes to the emulator's DynamoDB, each with its reason."""

from __future__ import annotations

from typing import Any
from uuid import NAMESPACE_URL, uuid5

from moto.core.responses import BaseResponse
from moto.core.utils import utcnow
from moto.dynamodb.models import DynamoDBBackend, Table
from moto.dynamodb.responses import DynamoHandler, DynamoResult

from local_aws.emulator.replacing import Original, replaces

_ON_DEMAND = "PAY_PER_REQUEST"
_ASKED_FOR = {
    "ConsumedCapacity": "ReturnConsumedCapacity",
    "ItemCollectionMetrics": "ReturnItemCollectionMetrics",
}
"""What an answer has only when the request says so, in this parameter."""


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    describe_tables_as_aws()
    keep_what_tables_are_given()
    finish_answers()


def describe_tables_as_aws() -> None:
    """The emulator shows empty lists of indexes and a summary of provisioned billing, and no id.

    AWS leaves empty members out, and has the summary of a table that is, or was, on demand
    (recorded by LocalStack's suite, 2025).
    """

    @replaces(Table, "describe")
    def describe(
        original: Original, self: Any, base_key: str = "TableDescription"
    ) -> dict[str, Any]:
        answer: dict[str, Any] = original(self, base_key)
        shown = answer[base_key]
        shown["TableId"] = str(uuid5(NAMESPACE_URL, f"{self.table_arn} {self.created_at}"))
        for name in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            if not shown[name]:
                del shown[name]
        since = _on_demand_since(self)
        if since is None:
            del shown["BillingModeSummary"]
        else:
            shown["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] = since
        given = getattr(self, "given", {})
        return {base_key: {**shown, **given}}


def keep_what_tables_are_given() -> None:
    """The emulator forgets a table's class, its limits on demand, its changes of billing mode."""
    for name in ("create_table", "update_table"):
        _keep_given(name)

    @replaces(DynamoDBBackend, "update_table")
    def update_table(original: Original, self: Any, name: str, *rest: Any, **changes: Any) -> Any:
        table = self.get_table(name)
        since = _on_demand_since(table)
        turned = changes.get("billing_mode") == _ON_DEMAND != table.billing_mode
        table.on_demand_since = utcnow() if turned else since
        if turned:
            zero = {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0, "NumberOfDecreasesToday": 0}
            table.throughput = zero
        return original(self, name, *rest, **changes)


def finish_answers() -> None:
    """Some of the emulator's operations tell what they consumed to whoever asks nothing."""

    def serialized(self: Any, action_result: Any) -> Any:
        found = action_result.result
        if isinstance(found, dict):
            for name, asked in _ASKED_FOR.items():
                if self.body.get(asked, "NONE") == "NONE":
                    found.pop(name, None)
        return BaseResponse.serialized(self, action_result)

    DynamoHandler.serialized = serialized


def _keep_given(operation: str) -> None:
    @replaces(DynamoHandler, operation)
    def answer(original: Original, self: Any) -> Any:
        body = self.body
        original(self)
        table = self.dynamodb_backend.get_table(body["TableName"])
        given = dict(getattr(table, "given", {}))
        if "TableClass" in body:
            given["TableClassSummary"] = {"TableClass": body["TableClass"]}
        if "OnDemandThroughput" in body:
            given["OnDemandThroughput"] = body["OnDemandThroughput"]
        if set(given.get("OnDemandThroughput", {}).values()) == {-1}:
            del given["OnDemandThroughput"]
        table.given = given
        return DynamoResult(table.describe())


def _on_demand_since(table: Any) -> Any:
    """When the table was last turned to on-demand billing; None for never."""
    made_so = table.created_at if table.billing_mode == _ON_DEMAND else None
    return getattr(table, "on_demand_since", None) or made_so

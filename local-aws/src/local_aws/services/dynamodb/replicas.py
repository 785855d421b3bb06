"""Replicas of a table in other regions, which the emulator has not.

A replica is a table of its own, with the items that the others have: what changes in one is read
from its stream and brought to all others before the request is answered (on AWS: within a second or
so).
Source: DynamoDB's developer guide, "Global tables: how it works".
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from copy import deepcopy
from functools import wraps
from typing import Any

from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import StreamRecord, Table

from local_aws.protocol import AwsError
from local_aws.protocol.call import Call

_VIEW = "NEW_AND_OLD_IMAGES"
"""Of the stream that a table gets with its first replica, where it has none."""
_ALIGNED = ("attr", "billing_mode", "global_indexes", "ttl")
"""What a change of one replica changes in all: the same guide, "Global tables settings"."""

_bringing = ContextVar("bringing", default=False)
"""Whether what changes now was changed in another region."""

_lock = threading.RLock()


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    original = getattr(StreamRecord.__init__, "__wrapped__", StreamRecord.__init__)

    @wraps(original)
    def init(self: Any, table: Any, view: str, event: str, old: Any, new: Any, number: int) -> None:
        original(self, table, view, event, old, new, number)
        self.image = None if new is None else new.to_json()["Attributes"]  # whatever the view
        self.brought = _bringing.get()
        self.record["awsRegion"] = table.region_name  # of the emulator's it is always us-east-1

    StreamRecord.__init__ = init


def described(table: Table) -> dict[str, Any]:
    """What DescribeTable says of a table because of its replicas; those of other regions."""
    others = [table.replicas[other.region_name] for other in _others(table)]
    return {"GlobalTableVersion": "2019.11.21", "Replicas": others} if others else {}


def update_replicas(call: Call) -> None:
    """Make, change and delete what UpdateTable's ReplicaUpdates says. Raises `AwsError`."""
    tables = dynamodb_backends[call.account][call.region].tables
    table = tables.get(call.parameters["TableName"].rpartition("/")[2])
    with _lock:
        for update in call.parameters.get("ReplicaUpdates", ()) if table is not None else ():
            for kind, given in update.items():
                _UPDATES[kind](table, given)


def bring_changes(backend: DynamoDBBackend, operation: str) -> None:
    """Bring what has changed in tables of a region to their replicas."""
    with _lock:
        for table in list(backend.tables.values()):
            for other in _others(table):
                if operation in ("UpdateTable", "UpdateTimeToLive"):
                    vars(other).update({name: deepcopy(getattr(table, name)) for name in _ALIGNED})
            _bring_items(table)


def _create(table: Table, given: Mapping[str, Any]) -> None:
    region, name = given["RegionName"], table.name
    backend = dynamodb_backends[table.account_id][region]
    if name in backend.tables:
        raise _invalid(f"there is a table {name} in {region} already; a replica is made empty")
    if table.stream_shard is None:
        table.set_stream_specification({"StreamEnabled": True, "StreamViewType": _VIEW})
    encryption = table.sse_specification
    if encryption is not None and "KMSMasterKeyId" in given:
        encryption = {**encryption, "KMSMasterKeyId": given["KMSMasterKeyId"]}
    replica = backend.create_table(
        name,
        schema=table.schema,
        attr=table.attr,
        throughput=dict(table.throughput),
        billing_mode=table.billing_mode,
        indexes=[each.describe() for each in table.indexes],
        global_indexes=[deepcopy(each.describe()) for each in table.global_indexes],
        streams=dict(table.stream_specification),
        sse_specification=encryption,
        tags=[],
        deletion_protection_enabled=False,
        warm_throughput=dict(table.warm_throughput),
    )
    replica.items, replica.ttl = deepcopy(table.items), dict(table.ttl)
    family = [table, *_others(table)]
    replica.replicas = {each.region_name: _description(each.region_name) for each in family}
    for each in family:
        each.replicas = {**getattr(each, "replicas", {}), region: _description(region, given)}


def _change(table: Table, given: Mapping[str, Any]) -> None:
    region = _replica(table, given).region_name
    for each in (table, *_others(table)):
        if region in each.replicas:
            each.replicas[region] = _description(region, given)


def _delete(table: Table, given: Mapping[str, Any]) -> None:
    region = _replica(table, given).region_name
    dynamodb_backends[table.account_id][region].delete_table(table.name)
    for each in (table, *_others(table)):
        each.replicas.pop(region, None)


_UPDATES = {"Create": _create, "Update": _change, "Delete": _delete}


def _replica(table: Table, given: Mapping[str, Any]) -> Table:
    for other in _others(table):
        if other.region_name == given["RegionName"]:
            return other
    raise _invalid(f"a replica of {table.name} in {given['RegionName']} does not exist")


def _description(region: str, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {**(given or {}), "RegionName": region, "ReplicaStatus": "ACTIVE"}


def _others(table: Table) -> Iterator[Table]:
    """A table's replicas in other regions; one that was deleted there by itself is none."""
    for region in list(getattr(table, "replicas", ())):
        other = dynamodb_backends[table.account_id][region].tables.get(table.name)
        if other is not None and table.region_name in getattr(other, "replicas", ()):
            yield other


def _bring_items(table: Table) -> None:
    """Every change that the stream has and the others have not, each once."""
    shard = table.stream_shard
    if shard is None or not getattr(table, "replicas", ()):
        return
    start = getattr(shard, "followed", 0)
    records = shard.items[start:]
    shard.followed = start + len(records)
    for record in records:
        for other in _others(table) if not getattr(record, "brought", False) else ():
            _take(other, record)


def _take(table: Table, record: StreamRecord) -> None:
    token = _bringing.set(True)
    try:
        if record.image is None:
            named = record.record["dynamodb"]["Keys"]
            keys = [DynamoType(named[name]) for name in table.table_key_attrs]
            table.delete_item(*keys, *[None][len(keys) - 1 :])
        else:
            table.put_item(record.image)
    finally:
        _bringing.reset(token)


def _invalid(message: str) -> AwsError:
    return AwsError("ValidationException", message)

"""DynamoDB tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Properties, Request

_POINT_IN_TIME = "PointInTimeRecoverySpecification"
_INDEX_SETTINGS = ("ProvisionedThroughput", "WarmThroughput")
"""What of an index can be changed; all else needs another one."""


class Table(ApiProvider):
    """``AWS::DynamoDB::Table``: Ref is the name."""

    type_name = "AWS::DynamoDB::Table"
    name_property = "TableName"
    service = "dynamodb"
    create_operation = "CreateTable"
    reading = "DescribeTable TableName Table"
    adopts = True
    deletes = ("DeleteTable", "TableName")
    also_supported = frozenset({_POINT_IN_TIME, "SSESpecification", "TimeToLiveSpecification"})
    not_carried_out = frozenset({"GlobalSecondaryIndexes.OnDemandThroughput", "VectorIndexes"})
    unchangeable = frozenset({"LocalSecondaryIndexes", "SSESpecification"})
    _settings = (
        "BillingMode",
        "DeletionProtectionEnabled",
        "OnDemandThroughput",
        "ProvisionedThroughput",
        "TableClass",
        "WarmThroughput",
    )

    @override
    def create(self, request: Request) -> str:
        name: str = request.properties.get("TableName") or request.name(255)
        given = {**request.properties, "ResourcePolicy": None}
        for index in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
            given[index] = given.get(index) or None
        self.call(
            request,
            "CreateTable",
            given,
            TableName=name,
            SSESpecification=_encryption(request.properties),
            StreamSpecification=_stream(request.properties),
        )
        return name

    @override
    def complete(self, request: Request) -> Attributes:
        return self._finish(request)

    @override
    def update(self, request: Request) -> Attributes:
        name = request.physical_id
        changed = {
            key: request.properties.get(key, _DEFAULTS.get(key))
            for key in self._settings
            if request.changed(key)
        }
        if any(value is not None for value in changed.values()):
            self.call(request, "UpdateTable", changed, TableName=name)
        for change in _index_changes(request.previous, request.properties):
            definitions = request.properties.get("AttributeDefinitions")
            self.call(
                request,
                "UpdateTable",
                TableName=name,
                AttributeDefinitions=definitions,
                GlobalSecondaryIndexUpdates=[change],
            )
        for stream in _stream_changes(request.previous, request.properties):
            self.call(request, "UpdateTable", TableName=name, StreamSpecification=stream)
        return self._finish(request)

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        """What has an operation of its own that the local AWS does not make."""
        if "ResourcePolicy" in (properties.get("StreamSpecification") or {}):
            yield "StreamSpecification has a ResourcePolicy, which is not carried out"
        for index in properties.get("GlobalSecondaryIndexes") or []:
            if "ContributorInsightsSpecification" in index:
                yield (
                    f"index {index.get('IndexName')} has a ContributorInsightsSpecification, which "
                    "is not carried out"
                )

    def _finish(self, request: Request) -> Attributes:
        """Bring all that has an operation of its own, and say what came of it."""
        name = {"TableName": request.physical_id}
        wanted = request.properties
        table = self.call(request, "DescribeTable", **name)["Table"]
        if request.changed("TimeToLiveSpecification"):
            self._bring_time_to_live(request)
        if request.changed(_POINT_IN_TIME):
            recovery = wanted.get(_POINT_IN_TIME, {"PointInTimeRecoveryEnabled": False})
            self.call(request, "UpdateContinuousBackups", **name, **{_POINT_IN_TIME: recovery})
        if request.changed("ResourcePolicy"):
            policy = wanted.get("ResourcePolicy", {}).get("PolicyDocument")
            operation = "DeleteResourcePolicy" if policy is None else "PutResourcePolicy"
            self.call(request, operation, ResourceArn=table["TableArn"], Policy=policy)
        if request.previous:
            self.retag(request, ResourceArn=table["TableArn"])
        streams = {"StreamArn": table["LatestStreamArn"]} if "LatestStreamArn" in table else {}
        return {"Arn": table["TableArn"], **streams}

    def _bring_time_to_live(self, request: Request) -> None:
        """Turn expiry off for the old attribute where it has another one, or none."""
        key = "TimeToLiveSpecification"
        old, new = request.previous.get(key), request.properties.get(key)
        name = {"TableName": request.physical_id}
        if old is not None and (new is None or new.get("AttributeName") != old["AttributeName"]):
            self.call(request, "UpdateTimeToLive", **name, **{key: {**old, "Enabled": False}})
        if new is not None and (_is_true(new["Enabled"]) or old is not None):
            self.call(request, "UpdateTimeToLive", **name, **{key: new})


_DEFAULTS: Mapping[str, Any] = {
    "BillingMode": "PROVISIONED",
    "DeletionProtectionEnabled": False,
    "OnDemandThroughput": {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1},
    "TableClass": "STANDARD",
}
"""What a table is when its template does not say; -1 takes a limit away (DynamoDB's API reference,
"OnDemandThroughput", read 2026-11-22)."""


def _stream(properties: Properties) -> dict[str, Any] | None:
    stream = properties.get("StreamSpecification")
    if stream is None:
        return None
    return {"StreamEnabled": True, "StreamViewType": stream["StreamViewType"]}


def _stream_changes(old: Properties, new: Properties) -> list[dict[str, Any]]:
    """A stream shows one view; another one is another stream."""
    before, after = _stream(old), _stream(new)
    if before == after:
        return []
    off = [{"StreamEnabled": False}] if before is not None else []
    return [*off, *([after] if after is not None else [])]


def _encryption(properties: Properties) -> dict[str, Any] | None:
    given = properties.get("SSESpecification")
    if given is None:
        return None
    return {("Enabled" if key == "SSEEnabled" else key): value for key, value in given.items()}


def _index_changes(old: Properties, new: Properties) -> list[dict[str, Any]]:
    """One update of the table for each index that goes, changes or comes, in this order."""
    before, after = _indexes(old), _indexes(new)
    gone = [
        name
        for name, index in before.items()
        if name not in after or _fixed(after[name]) != _fixed(index)
    ]
    changed = [
        {"IndexName": name, **{key: index[key] for key in _INDEX_SETTINGS if key in index}}
        for name, index in after.items()
        if name in before and name not in gone and index != before[name]
    ]
    come = [index for name, index in after.items() if name not in before or name in gone]
    return [
        *({"Delete": {"IndexName": name}} for name in gone),
        *({"Update": each} for each in changed),
        *({"Create": each} for each in come),
    ]


def _indexes(properties: Properties) -> dict[str, Any]:
    return {each["IndexName"]: each for each in properties.get("GlobalSecondaryIndexes") or []}


def _fixed(index: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in index.items() if key not in _INDEX_SETTINGS}


def _is_true(value: Any) -> bool:
    return str(value).lower() == "true"

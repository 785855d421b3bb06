"""DynamoDB tables, global ones among them: each in the region of its stack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from typing_extensions import override

from local_aws.resources.api import ApiProvider
from local_aws.resources.base import Attributes, Properties, Request, ResourceFailed

_POINT_IN_TIME = "PointInTimeRecoverySpecification"
_INDEX_SETTINGS = ("ProvisionedThroughput", "WarmThroughput")
"""What of an index can be changed; all else needs another one."""


class Table(ApiProvider):
    """``AWS::DynamoDB::Table``: Ref is the name."""

    type_name = "AWS::DynamoDB::Table"
    name_property = "TableName"
    service = "dynamodb"
    create_operation = "CreateTable"
    reading: str | None = "DescribeTable TableName Table"
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


class GlobalTable(Table):
    """``AWS::DynamoDB::GlobalTable``: Ref is the name. It is a table in the stack's region; what it
    has in others is only kept."""

    type_name = "AWS::DynamoDB::GlobalTable"
    reading = None
    adopts = False
    also_supported = frozenset(
        {
            *("AttributeDefinitions", "BillingMode", "GlobalSecondaryIndexes", "KeySchema"),
            *("LocalSecondaryIndexes", "ReadOnDemandThroughputSettings"),
            *("ReadProvisionedThroughputSettings", "Replicas", "SSESpecification"),
            *("StreamSpecification", "TableName", "TimeToLiveSpecification", "WarmThroughput"),
            *("WriteOnDemandThroughputSettings", "WriteProvisionedThroughputSettings"),
        }
    )
    not_carried_out = frozenset(
        {
            *("GlobalSecondaryIndexes.ReadOnDemandThroughputSettings", "GlobalTableSourceArn"),
            *("GlobalSecondaryIndexes.WriteOnDemandThroughputSettings", "GlobalTableWitnesses"),
            *("MultiRegionConsistency", "Replicas.KinesisStreamSpecification"),
            *("Replicas.GlobalSecondaryIndexes.ReadOnDemandThroughputSettings", "TableType"),
            *("Replicas.ReplicaStreamSpecification", "VectorIndexes"),
        }
    )
    without_effect = frozenset(
        {
            "GlobalSecondaryIndexes.WriteProvisionedThroughputSettings."
            "WriteCapacityAutoScalingSettings",
            "Replicas.ContributorInsightsSpecification",
            "Replicas.DisassociationProtectionEnabled",
            "Replicas.GlobalSecondaryIndexes.ContributorInsightsSpecification",
            "Replicas.GlobalSecondaryIndexes.ReadProvisionedThroughputSettings."
            "ReadCapacityAutoScalingSettings",
            "Replicas.GlobalTableSettingsReplicationMode",
            "Replicas.ReadProvisionedThroughputSettings.ReadCapacityAutoScalingSettings",
            "WriteProvisionedThroughputSettings.WriteCapacityAutoScalingSettings",
        }
    )

    @override
    def create(self, request: Request) -> str:
        if request.region not in _regions(request.properties):
            raise ResourceFailed(
                f"Replicas lacks {request.region}, the region of the stack; add it",
                code="InvalidRequest",
            )
        return super().create(_in_region(request))

    @override
    def complete(self, request: Request) -> Attributes:
        return self._with_id(request, super().complete(_in_region(request)))

    @override
    def update(self, request: Request) -> Attributes:
        return self._with_id(request, super().update(_in_region(request)))

    @override
    def refuse_unchangeable(self, previous: Properties, wanted: Properties) -> None:
        for region in sorted(_regions(previous) & _regions(wanted)):
            super().refuse_unchangeable(_table(previous, region), _table(wanted, region))

    @override
    def problems(self, properties: Properties) -> Iterable[str]:
        return ()

    @override
    def kept_by_value(self, properties: Properties) -> list[str]:
        replicas = properties.get("Replicas")
        return ["replicas"] if isinstance(replicas, list) and len(replicas) > 1 else []

    def _with_id(self, request: Request, attributes: Attributes) -> Attributes:
        table = self.call(request, "DescribeTable", TableName=request.physical_id)["Table"]
        return {**attributes, "TableId": table["TableId"]}


_DEFAULTS: Mapping[str, Any] = {
    "BillingMode": "PROVISIONED",
    "DeletionProtectionEnabled": False,
    "OnDemandThroughput": {"MaxReadRequestUnits": -1, "MaxWriteRequestUnits": -1},
    "TableClass": "STANDARD",
}
"""What a table is when its template does not say; -1 takes a limit away (DynamoDB's API reference,
"OnDemandThroughput")."""


def _in_region(request: Request) -> Request:
    """The request that `Table` carries out in the stack's region."""
    properties, previous = (
        _table(each, request.region) for each in (request.properties, request.previous)
    )
    return replace(request, properties=properties, previous=previous)


def _table(properties: Properties, region: str) -> dict[str, Any]:
    """What a global table is in a region, in the words of one that is not global."""
    replica = next(
        (each for each in properties.get("Replicas", ()) if each["Region"] == region), None
    )
    if replica is None:
        return {}
    shared = {name: each for name, each in properties.items() if name != "Replicas"}
    encryption = {
        **properties.get("SSESpecification", {}),
        **replica.get("SSESpecification", {}),
    }
    read_of_index = {each["IndexName"]: each for each in replica.get("GlobalSecondaryIndexes", ())}
    indexes = [
        _capacity(index, index, {**index, **read_of_index.get(index["IndexName"], {})})
        for index in shared.get("GlobalSecondaryIndexes", ())
    ]
    table = {
        **{name: each for name, each in shared.items() if name != "GlobalSecondaryIndexes"},
        **{name: each for name, each in replica.items() if name != "GlobalSecondaryIndexes"},
        **({"SSESpecification": encryption} if encryption else {}),
        **({"GlobalSecondaryIndexes": indexes} if indexes else {}),
    }
    return _capacity(table, properties, {**properties, **replica})


def _capacity(table: Properties, write: Properties, read: Properties) -> dict[str, Any]:
    """A table or an index with its capacity, as CreateTable takes it."""
    settings = {"Read": read, "Write": write}
    provisioned = {
        f"{kind}CapacityUnits": units
        for kind, each in settings.items()
        if (units := _units(kind, each)) is not None
    }
    on_demand = {
        name: value
        for kind, each in settings.items()
        for name, value in each.get(f"{kind}OnDemandThroughputSettings", {}).items()
    }
    return {
        **{name: value for name, value in table.items() if not name.endswith("ThroughputSettings")},
        **({"ProvisionedThroughput": provisioned} if provisioned else {}),
        **({"OnDemandThroughput": on_demand} if on_demand else {}),
    }


def _units(kind: str, settings: Properties) -> int | None:
    """How much is provisioned at first: nothing here scales a table."""
    given = settings.get(f"{kind}ProvisionedThroughputSettings", {})
    scaling = given.get(f"{kind}CapacityAutoScalingSettings", {})
    units: int | None = given.get(
        f"{kind}CapacityUnits", scaling.get("SeedCapacity", scaling.get("MinCapacity"))
    )
    return units


def _regions(properties: Properties) -> set[str]:
    return {each["Region"] for each in properties.get("Replicas", ())}


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

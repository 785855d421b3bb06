"""Event source mappings: which function is given what lies in which queue or table's stream."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from local_aws.arn import Arn, arn_in
from local_aws.context import LocalContext
from local_aws.protocol import AwsError
from local_aws.services.lambda_.limits import invalid
from local_aws.services.lambda_.names import (
    absent,
    conflict,
    find_version,
    qualified,
    qualifier_of,
    session_name,
)
from local_aws.services.lambda_.paging import page
from local_aws.services.lambda_.store import Configuration, Store

Parameters = Mapping[str, Any]
Answer = dict[str, Any]

_COMMON = ("BatchSize", "FilterCriteria", "FunctionResponseTypes", "MaximumBatchingWindowInSeconds")
_OF_QUEUES = (*_COMMON, "ScalingConfig")
_OF_STREAMS = (
    *_COMMON,
    "BisectBatchOnFunctionError",
    "DestinationConfig",
    "MaximumRecordAgeInSeconds",
    "MaximumRetryAttempts",
    "ParallelizationFactor",
    "StartingPosition",
)
_BESIDE = ("Enabled", "EventSourceArn", "FunctionName", "Tags", "TumblingWindowInSeconds", "UUID")

_STREAM_DEFAULTS: Mapping[str, Any] = {
    "BatchSize": 100,
    "BisectBatchOnFunctionError": False,
    "DestinationConfig": {"OnFailure": {}},
    "LastProcessingResult": "No records processed",
    "MaximumRecordAgeInSeconds": -1,
    "MaximumRetryAttempts": -1,
    "ParallelizationFactor": 1,
    "TumblingWindowInSeconds": 0,
}
EVENT_SOURCES: Mapping[str, Mapping[str, Any]] = {
    "sqs": {"BatchSize": 10},
    "dynamodb": _STREAM_DEFAULTS,
}
"""What a mapping has when nobody said otherwise (recorded by LocalStack's suite, 2025)."""

_NEEDED = {
    "sqs": ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes"),
    "dynamodb": ("GetRecords", "GetShardIterator", "DescribeStream"),
}
"""What the function's role must be allowed to ("Create and configure an Amazon SQS event source
mapping" and its likes, AWS Lambda developer guide)."""


class EventSources:
    """Each method is an action of the API; ``changed`` is called after each change."""

    def __init__(self, context: LocalContext, store: Store, changed: Callable[[], None]) -> None:
        self._context = context
        self._store = store
        self._changed = changed

    def create_event_source_mapping(self, region: str, given: Parameters) -> Answer:
        """Have a function given what a queue or a stream holds."""
        if not given.get("EventSourceArn"):
            raise invalid("Unrecognized event source.")
        source = Arn.parse(given["EventSourceArn"])
        if source.service not in EVENT_SOURCES:
            raise invalid(
                f"the local AWS takes no events from {source.service}, only from SQS and "
                "DynamoDB streams"
            )
        uuid = str(uuid4())
        mapping = {
            **EVENT_SOURCES[source.service],
            "UUID": uuid,
            "EventSourceArn": given["EventSourceArn"],
            "EventSourceMappingArn": arn_in(
                region, "lambda", self._store.account, f"event-source-mapping:{uuid}"
            ),
            "FunctionResponseTypes": [],
            "MaximumBatchingWindowInSeconds": 0,
            "State": "Disabled" if given.get("Enabled") is False else "Enabled",
        }
        with self._store.lock:
            kept = {"tags": dict(given.get("Tags") or {}), "positions": {}}
            answer = self._set(region, mapping, given, kept)
        return answer | {"State": "Creating" if answer["State"] == "Enabled" else "Disabled"}

    def get_event_source_mapping(self, region: str, given: Parameters) -> Answer:
        """A mapping."""
        return dict(self._find(region, given)["mapping"])

    def list_event_source_mappings(self, region: str, given: Parameters) -> Answer:
        """Those of a function, of a source, or all."""
        function = given.get("FunctionName")
        wanted = {
            "EventSourceArn": given.get("EventSourceArn"),
            "FunctionArn": function and self._function(region, function)[0],
        }
        found = [
            mapping
            for each in self._store.sources.values()
            for mapping in [each["mapping"]]
            if Arn.parse(mapping["EventSourceMappingArn"]).region == region
            and all(value in (None, mapping[name]) for name, value in wanted.items())
        ]
        return page("EventSourceMappings", found, given)

    def update_event_source_mapping(self, region: str, given: Parameters) -> Answer:
        """Change what is given of a mapping."""
        with self._store.lock:
            kept = self._find(region, given)
            mapping, enabled = dict(kept["mapping"]), given.get("Enabled")
            said = "Updating"
            if enabled is not None and (mapping["State"] == "Enabled") != enabled:
                said = "Enabling" if enabled else "Disabling"
                mapping["State"] = "Enabled" if enabled else "Disabled"
            return self._set(region, mapping, given, kept) | {"State": said}

    def delete_event_source_mapping(self, region: str, given: Parameters) -> Answer:
        """Give the function no more."""
        mapping = self._find(region, given)["mapping"]
        del self._store.sources[mapping["UUID"]]
        self._changed()
        return {**mapping, "State": "Deleting"}

    def _set(self, region: str, mapping: Answer, given: Parameters, kept: Answer) -> Answer:
        """Keep a mapping with what is given of it; another object, so that it is seen to differ."""
        is_queue = Arn.parse(mapping["EventSourceArn"]).service == "sqs"
        taken = _OF_QUEUES if is_queue else _OF_STREAMS
        _check(given, taken, is_queue=is_queue)
        mapping |= {name: given[name] for name in taken if given.get(name) is not None}
        for name in ("FilterCriteria", "ScalingConfig"):
            if not any((mapping.get(name) or {}).values()):
                mapping.pop(name, None)
        if is_queue and mapping["BatchSize"] > 10 and not mapping["MaximumBatchingWindowInSeconds"]:
            raise invalid(
                "Maximum batch window in seconds must be greater than 0 if maximum batch size is "
                "greater than 10"
            )
        if given.get("FunctionName") or "FunctionArn" not in mapping:
            arn, configuration = self._function(region, given["FunctionName"])
            mapping["FunctionArn"] = arn
            self._check_role(configuration, mapping["EventSourceArn"])
            self._check_alone(mapping, configuration["FunctionName"], is_queue=is_queue)
        mapping["StateTransitionReason"] = "USER_INITIATED" if is_queue else "User action"
        mapping["LastModified"] = round(time.time(), 3)
        self._store.sources[mapping["UUID"]] = {**kept, "mapping": mapping}
        self._changed()
        return dict(mapping)

    def _function(self, region: str, name: str) -> tuple[str, Configuration]:
        """The ARN by which a mapping names a function, and what that is."""
        try:
            function, configuration = find_version(self._store, region, {"FunctionName": name})
        except AwsError as error:
            raise invalid("Function does not exist") from error
        return qualified(function.arn, qualifier_of({"FunctionName": name}, region)), configuration

    def _check_role(self, configuration: Configuration, source: str) -> None:
        """Raise `AwsError` when the function's role may not read the source."""
        service = Arn.parse(source).service
        name = session_name(configuration["FunctionName"])
        session = self._context.sessions.assume(configuration["Role"], name)
        for action in _NEEDED[service]:
            if not self._context.evaluator.allows(session, f"{service}:{action}", source):
                if service == "sqs":
                    raise invalid(
                        "The function execution role does not have permissions to call "
                        f"{action} on SQS"
                    )
                raise invalid(
                    f"Cannot access stream {source}. Please ensure the role can perform the "
                    "GetRecords, GetShardIterator, DescribeStream, and ListStreams Actions on "
                    "your stream in IAM."
                )

    def _check_alone(self, mapping: Answer, name: str, *, is_queue: bool) -> None:
        source = mapping["EventSourceArn"]
        for uuid, each in self._store.sources.items():
            other = each["mapping"]
            if uuid == mapping["UUID"] or any(
                other[key] != mapping[key] for key in ("EventSourceArn", "FunctionArn")
            ):
                continue
            what = (
                f'An event source mapping with SQS arn (" {source} ") and function (" {name} ")'
                if is_queue
                else f'The event source arn (" {source} ") and function (" {name} ") provided '
                "mapping"
            )
            raise conflict(
                f"{what} already exists. Please update or delete the existing mapping with UUID "
                f"{uuid}"
            )

    def _find(self, region: str, given: Parameters) -> Answer:
        kept = self._store.sources.get(given["UUID"])
        if kept is None or Arn.parse(kept["mapping"]["EventSourceMappingArn"]).region != region:
            raise absent("The resource you requested does not exist.")
        return kept


def _check(given: Parameters, taken: tuple[str, ...], *, is_queue: bool) -> None:
    for name, value in given.items():
        if value and name not in (*taken, *_BESIDE):
            raise invalid(f"the local AWS does not carry out {name} for this event source")
    if given.get("TumblingWindowInSeconds"):
        raise invalid("the local AWS has no tumbling windows (TumblingWindowInSeconds)")
    if (given.get("DestinationConfig") or {}).get("OnSuccess"):
        raise invalid(
            "Unsupported DestinationConfig parameter for given event source mapping type."
        )
    if not is_queue and "EventSourceArn" in given:
        position = given.get("StartingPosition")
        if not position:
            raise invalid(
                "1 validation error detected: Value null at 'startingPosition' failed to satisfy "
                "constraint: Member must not be null."
            )
        if position == "AT_TIMESTAMP":
            raise invalid(f"Unsupported starting position for arn type: {given['EventSourceArn']}")
    for each in (given.get("FilterCriteria") or {}).get("Filters") or ():
        try:
            is_pattern = isinstance(json.loads(each.get("Pattern") or ""), dict)
        except ValueError:
            is_pattern = False
        if not is_pattern:
            raise invalid("Invalid filter pattern definition.")

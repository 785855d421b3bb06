"""Event source mappings: which function is given what lies in which queue."""

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

_TAKEN = (
    *("BatchSize", "FilterCriteria", "FunctionResponseTypes", "MaximumBatchingWindowInSeconds"),
    "ScalingConfig",
)
_BESIDE = ("Enabled", "EventSourceArn", "FunctionName", "Tags", "UUID")

_NEEDED = ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
"""What the function's role must be allowed to ("Create and configure an Amazon SQS event source
mapping", AWS Lambda developer guide)."""


class EventSources:
    """Each method is an action of the API; ``changed`` is called after each change."""

    def __init__(self, context: LocalContext, store: Store, changed: Callable[[], None]) -> None:
        self._context = context
        self._store = store
        self._changed = changed

    def create_event_source_mapping(self, region: str, given: Parameters) -> Answer:
        """Have a function given what a queue holds."""
        if not given.get("EventSourceArn"):
            raise invalid("Unrecognized event source.")
        source = Arn.parse(given["EventSourceArn"])
        if source.service != "sqs":
            raise invalid(f"the local AWS takes no events from {source.service}, only from SQS")
        uuid = str(uuid4())
        mapping = {
            "BatchSize": 10,  # as the rest, of a queue's (recorded by LocalStack's suite, 2025)
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
            kept = {"tags": dict(given.get("Tags") or {})}
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
        _check(given)
        mapping |= {name: given[name] for name in _TAKEN if given.get(name) is not None}
        for name in ("FilterCriteria", "ScalingConfig"):
            if not any((mapping.get(name) or {}).values()):
                mapping.pop(name, None)
        if mapping["BatchSize"] > 10 and not mapping["MaximumBatchingWindowInSeconds"]:
            raise invalid(
                "Maximum batch window in seconds must be greater than 0 if maximum batch size is "
                "greater than 10"
            )
        if given.get("FunctionName") or "FunctionArn" not in mapping:
            arn, configuration = self._function(region, given["FunctionName"])
            mapping["FunctionArn"] = arn
            self._check_role(configuration, mapping["EventSourceArn"])
            self._check_alone(mapping, configuration["FunctionName"])
        mapping["StateTransitionReason"] = "USER_INITIATED"
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
        """Raise `AwsError` when the function's role may not read the queue."""
        name = session_name(configuration["FunctionName"])
        session = self._context.sessions.assume(configuration["Role"], name)
        for action in _NEEDED:
            if not self._context.evaluator.allows(session, f"sqs:{action}", source):
                raise invalid(
                    f"The function execution role does not have permissions to call {action} on SQS"
                )

    def _check_alone(self, mapping: Answer, name: str) -> None:
        source = mapping["EventSourceArn"]
        for uuid, each in self._store.sources.items():
            other = each["mapping"]
            if uuid == mapping["UUID"] or any(
                other[key] != mapping[key] for key in ("EventSourceArn", "FunctionArn")
            ):
                continue
            raise conflict(
                f'An event source mapping with SQS arn (" {source} ") and function (" {name} ") '
                "already exists. Please update or delete the existing mapping with UUID "
                f"{uuid}"
            )

    def _find(self, region: str, given: Parameters) -> Answer:
        kept = self._store.sources.get(given["UUID"])
        if kept is None or Arn.parse(kept["mapping"]["EventSourceMappingArn"]).region != region:
            raise absent("The resource you requested does not exist.")
        return kept


def _check(given: Parameters) -> None:
    for name, value in given.items():
        if value and name not in (*_TAKEN, *_BESIDE):
            raise invalid(f"the local AWS does not carry out {name} of an event source mapping")
    for each in (given.get("FilterCriteria") or {}).get("Filters") or ():
        try:
            is_pattern = isinstance(json.loads(each.get("Pattern") or ""), dict)
        except ValueError:
            is_pattern = False
        if not is_pattern:
            raise invalid("Invalid filter pattern definition.")

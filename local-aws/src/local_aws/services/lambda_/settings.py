"""What is set beside a function's configuration: its tags, and the executions reserved for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from local_aws.services.lambda_.limits import (
    ACCOUNT_CONCURRENCY,
    LEAST_UNRESERVED,
    check_tags,
    invalid,
)
from local_aws.services.lambda_.names import Target, absent, find_function, qualifier_of
from local_aws.services.lambda_.store import LATEST, Function, Store

Parameters = Mapping[str, Any]
Answer = dict[str, Any]


class Settings:
    """Each method is an action of the API."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def tag_resource(self, region: str, given: Parameters) -> Answer:
        """Add tags to a function or an event source mapping."""
        tags, revise = self._tagged(region, given)
        if not given["Tags"]:
            raise invalid("An error occurred and the request cannot be processed.")
        check_tags(tags | given["Tags"])
        tags.update(given["Tags"])
        revise()
        return {}

    def untag_resource(self, region: str, given: Parameters) -> Answer:
        """Take tags from a function or an event source mapping."""
        tags, revise = self._tagged(region, given)
        for key in given["TagKeys"]:
            tags.pop(key, None)
        revise()
        return {}

    def list_tags(self, region: str, given: Parameters) -> Answer:
        """The tags of a function or an event source mapping."""
        return {"Tags": dict(self._tagged(region, given)[0])}

    def get_function_code_signing_config(self, region: str, given: Parameters) -> Answer:
        """No function has one: code is not signed here."""
        return {"FunctionName": self._whole_function(region, given).name}

    def put_function_concurrency(self, region: str, given: Parameters) -> Answer:
        """Reserve executions for a function; with 0 it runs no more."""
        wanted = given["ReservedConcurrentExecutions"]
        with self._store.lock:
            function = self._whole_function(region, given)
            reserved_by_others = sum(
                each.reserved_concurrency or 0
                for each in self._store.all(region)
                if each is not function
            )
            if wanted > ACCOUNT_CONCURRENCY - reserved_by_others - LEAST_UNRESERVED:
                raise invalid(
                    "Specified ReservedConcurrentExecutions for function decreases account's "
                    "UnreservedConcurrentExecution below its minimum value of "
                    f"[{LEAST_UNRESERVED}]."
                )
            function.reserved_concurrency = wanted
        return {"ReservedConcurrentExecutions": wanted}

    def get_function_concurrency(self, region: str, given: Parameters) -> Answer:
        """What is reserved, when anything is."""
        concurrency = find_function(self._store, region, given).reserved_concurrency
        return {} if concurrency is None else {"ReservedConcurrentExecutions": concurrency}

    def delete_function_concurrency(self, region: str, given: Parameters) -> Answer:
        """Reserve nothing any more."""
        self._whole_function(region, given).reserved_concurrency = None
        return {}

    def _whole_function(self, region: str, given: Parameters) -> Function:
        """The function, of which no version may be named."""
        if qualifier_of(given, region):
            raise invalid(
                "This operation is permitted on Lambda functions only. Aliases and versions do "
                "not support this operation. Please specify either a function name or an "
                "unqualified function ARN."
            )
        return find_function(self._store, region, {**given, "Qualifier": LATEST})

    def _tagged(
        self, region: str, given: Parameters
    ) -> tuple[dict[str, str], Callable[[], object]]:
        """The tags of what is named, and what makes another revision of it."""
        kept = self._store.sources.get(given["Resource"].rpartition(":")[2])
        if kept is not None:
            return kept["tags"], dict
        if ":event-source-mapping:" in given["Resource"]:
            raise absent("The resource you requested does not exist.")
        if ":function:" not in given["Resource"]:
            raise invalid(
                "the local AWS tags functions and event source mappings only, not "
                f"{given['Resource']}"
            )
        if Target.parse(given["Resource"], region).qualifier:
            raise invalid(
                "Tags on function aliases and versions are not supported. Please specify a "
                "function ARN."
            )
        function = find_function(self._store, region, {"FunctionName": given["Resource"]})
        return function.tags, function.revise

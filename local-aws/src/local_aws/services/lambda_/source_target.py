"""What queues and streams give their records to: a mapping's function, in its role's name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from local_aws.context import LocalContext
from local_aws.services.lambda_.invocations import Invoker, Result, version_to_invoke
from local_aws.services.lambda_.names import session_name
from local_aws.services.lambda_.records import Records
from local_aws.services.lambda_.store import Configuration, Function, Store

LOOK_SECONDS = 0.2
"""Between two looks at a source that had nothing; AWS waits at a queue for 20 seconds."""

Record = dict[str, Any]


class Target:
    """The function of a mapping, and what a source does in its role's name."""

    def __init__(
        self, context: LocalContext, store: Store, invoker: Invoker, records: Records, kept: Record
    ) -> None:
        self.context = context
        self.records = records
        self.kept = kept
        self.mapping: Mapping[str, Any] = kept["mapping"]
        self.region: str = self.mapping["EventSourceMappingArn"].split(":")[3]
        self._store = store
        self._invoker = invoker

    def version(self) -> tuple[Function, Configuration]:
        """What runs now. Raises `AwsError` when nothing does."""
        given = {"FunctionName": self.mapping["FunctionArn"]}
        return version_to_invoke(self._store, self.region, given)

    def client(self, service: str) -> Any:
        """A client of the source's service in the role's name."""
        _, configuration = self.version()
        name = session_name(configuration["FunctionName"])
        session = self.context.sessions.assume(configuration["Role"], name)
        return self.context.client_as(session, service, self.region)

    def invoke(self, records: Sequence[Record]) -> Result:
        """Give the function a batch. Raises `AwsError` where it finds no room."""
        function, configuration = self.version()
        qualifier = self.mapping["FunctionArn"].partition(f":function:{function.name}")[2]
        event = json.dumps({"Records": list(records)})
        return self._invoker.run(function, configuration, event, qualifier=qualifier.lstrip(":"))

    def wanted(self, record: Record) -> bool:
        """Whether a record, its body read where it is JSON, passes one of the filters."""
        filters = (self.mapping.get("FilterCriteria") or {}).get("Filters") or ()
        if not filters:
            return True
        from moto.events.models import EventPattern  # loading it takes long

        return any(EventPattern.load(each["Pattern"]).matches_event(record) for each in filters)

    def failed_items(self, result: Result, known: Sequence[str]) -> set[str]:
        """Which records of a batch are to come again: all where the function, or its answer,
        failed ("Implementing partial batch responses")."""
        if result.failed:
            return set(known)
        if "ReportBatchItemFailures" not in self.mapping["FunctionResponseTypes"]:
            return set()
        answer = json.loads(result.body) or {}
        failures = answer.get("batchItemFailures") if isinstance(answer, dict) else answer
        if not failures:
            return set()
        try:
            failed = {each["itemIdentifier"] for each in failures}
        except (KeyError, TypeError):
            return set(known)
        return failed if failed <= set(known) else set(known)

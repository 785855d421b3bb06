"""Events that other services bring: only to functions whose policy lets that service in."""

from __future__ import annotations

import json
import logging
from fnmatch import fnmatchcase
from typing import Any
from uuid import uuid4

from local_aws.arn import Arn
from local_aws.context import ACCOUNT_ID
from local_aws.protocol import AwsError
from local_aws.services.lambda_.asynchronous import Queue
from local_aws.services.lambda_.names import Target, find_version, qualifier_of
from local_aws.services.lambda_.store import Function, Store

_log = logging.getLogger(__name__)


class Deliveries:
    """What SNS, EventBridge and S3 do with a function."""

    def __init__(self, store: Store, queue: Queue) -> None:
        self._store = store
        self._queue = queue

    def deliver(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> None:
        """Give the function ``arn`` an event, as ``service`` does (``sns.amazonaws.com``).

        A function that is gone, or whose policy has no statement for the service and this
        source, gets nothing; the service on AWS is told so, and drops the event too.
        """
        region = Arn.parse(arn).region
        given = {"FunctionName": arn}
        try:
            function, _ = find_version(self._store, region, given)
            if not admits(function, qualifier_of(given, region), service, source_arn):
                _log.warning(
                    "%s was not given an event of %s: no statement of its policy allows "
                    "lambda:InvokeFunction to %s",
                    Target.parse(arn, region).name,
                    source_arn,
                    service,
                )
                return
            payload = json.dumps(event).encode()
            self._queue.take(region, {**given, "Payload": payload}, str(uuid4()))
        except AwsError as error:
            _log.warning("an event of %s was lost: %s", source_arn, error.message)


def admits(function: Function, qualifier: str, service: str, source_arn: str) -> bool:
    """Whether the function's policy lets ``service`` invoke it for ``source_arn``."""
    return any(
        service in _services(statement)
        and statement["Action"] in ("lambda:InvokeFunction", "lambda:*", "*")
        and _holds(statement.get("Condition") or {}, source_arn)
        for statement in function.policies.get(qualifier, [])
    )


def _services(statement: dict[str, Any]) -> tuple[str, ...]:
    principal = statement["Principal"]
    return () if isinstance(principal, str) else (principal.get("Service", ""),)


def _holds(condition: dict[str, dict[str, str]], source_arn: str) -> bool:
    known = {"AWS:SourceArn": source_arn, "AWS:SourceAccount": ACCOUNT_ID}
    return all(
        key in known and fnmatchcase(known[key], wanted)
        for operator in condition.values()
        for key, wanted in operator.items()
    )

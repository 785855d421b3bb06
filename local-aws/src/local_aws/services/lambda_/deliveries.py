"""Events that other services bring: only to functions whose policy lets that service in."""

from __future__ import annotations

import json
import logging
from typing import Any
from uuid import uuid4

from local_aws.arn import Arn
from local_aws.permissions import deployed
from local_aws.permissions.evaluator import PolicyEvaluator
from local_aws.protocol import AwsError
from local_aws.services.lambda_.asynchronous import Queue
from local_aws.services.lambda_.names import Target, find_version
from local_aws.services.lambda_.store import Store

_log = logging.getLogger(__name__)


class Deliveries:
    """What SNS, EventBridge and S3 do with a function."""

    def __init__(self, store: Store, queue: Queue, evaluator: PolicyEvaluator) -> None:
        self._store = store
        self._queue = queue
        self._evaluator = evaluator

    def deliver(
        self, arn: str, event: Any, *, service: str, source_arn: str, role_arn: str | None
    ) -> None:
        """Give the function ``arn`` an event, as ``service`` does (``sns.amazonaws.com``).

        A function that is gone, or whose policy has no statement for the service and this
        source, gets nothing; the service on AWS is told so, and drops the event too.
        """
        region = Arn.parse(arn).region
        given = {"FunctionName": arn}
        of = {"aws:SourceArn": source_arn, "aws:SourceAccount": deployed.owner_of(source_arn)}
        try:
            find_version(self._store, region, given)
            if not self._evaluator.lets_service(service, "lambda:InvokeFunction", arn, of):
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

"""Invoke: one event through one process, its answer, and what its log says of it.

What Lambda itself writes around what a function has printed has the form of the AWS Lambda
developer guide, "Configuring JSON and plain text log formats", for plain text.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from local_aws.protocol import AwsError
from local_aws.services.lambda_.limits import (
    ASYNCHRONOUS_PAYLOAD_BYTES,
    RESPONSE_BYTES,
    SYNCHRONOUS_PAYLOAD_BYTES,
)
from local_aws.services.lambda_.logs import LogWriter
from local_aws.services.lambda_.names import (
    find_version,
    pending,
    qualified,
    qualifier_of,
    version_of,
)
from local_aws.services.lambda_.pool import Pool
from local_aws.services.lambda_.sandbox import HandOn, Invocation, Outcome
from local_aws.services.lambda_.store import LATEST, Configuration, Function, Store

TAIL_BYTES = 4096
"""How much of the log LogResult carries (botocore's documentation of Invoke)."""


@dataclass(frozen=True, kw_only=True)
class Result:
    """What an invocation answered: ``body`` is JSON, or what it ``streamed``; ``log`` the lines
    written of it."""

    request_id: str
    version: str
    body: str
    failed: bool
    streamed: bool
    error_type: str
    log: Sequence[str]

    @property
    def log_tail(self) -> str:
        """The end of the log, as LogResult has it."""
        tail = "\n".join([*self.log, ""]).encode()[-TAIL_BYTES:]
        return base64.b64encode(tail).decode()

    @property
    def cannot_start(self) -> bool:
        """Whether the code could not be loaded, which the same code never will be: the errors of
        github.com/aws/aws-lambda-python-runtime-interface-client, and of its sister for Node.js,
        before a handler is called."""
        return self.failed and self.error_type in _BEFORE_THE_HANDLER

    @property
    def reason(self) -> str:
        """A failure in one line: its type and message."""
        message = json.loads(self.body).get("errorMessage", "") if self.failed else ""
        return f"{self.error_type}: {message}"


_BEFORE_THE_HANDLER = frozenset(
    f"Runtime.{name}"
    for name in (
        *("CallbackHandlerDeprecated", "HandlerNotFound", "ImportModuleError"),
        *("MalformedHandlerName", "UserCodeSyntaxError"),
    )
)


class Invoker:
    """Runs functions; what they print is written to their log groups."""

    def __init__(self, store: Store, pool: Pool, logs: LogWriter) -> None:
        self._store = store
        self._pool = pool
        self._logs = logs

    def invoke(self, region: str, given: Mapping[str, Any], request_id: str) -> dict[str, Any]:
        """Invoke with InvocationType RequestResponse or DryRun, as the API answers it."""
        if given.get("InvocationType") == "DryRun":
            version_to_invoke(self._store, region, given)
            check_payload(given.get("Payload") or b"", "RequestResponse")
            return {"StatusCode": 204}
        result = self.asked(region, given, request_id)
        answer: dict[str, Any] = {
            "StatusCode": 200,
            "ExecutedVersion": result.version,
            "Payload": result.body.encode(),
        }
        if result.failed:
            answer["FunctionError"] = "Unhandled"
        if given.get("LogType") == "Tail":
            answer["LogResult"] = result.log_tail
        return answer

    def asked(
        self,
        region: str,
        given: Mapping[str, Any],
        request_id: str,
        hand_on: HandOn | None = None,
    ) -> Result:
        """`run` for what the API is given; raises for what it refuses."""
        function, configuration = version_to_invoke(self._store, region, given)
        payload = given.get("Payload") or b""
        check_payload(payload, "RequestResponse")
        return self.run(
            function,
            configuration,
            payload.decode(),
            request_id=request_id,
            qualifier=qualifier_of(given, region),
            client_context=_client_context(given.get("ClientContext")),
            hand_on=hand_on,
        )

    def run(
        self,
        function: Function,
        configuration: Configuration,
        event: str,
        *,
        request_id: str | None = None,
        qualifier: str = "",
        client_context: str | None = None,
        hand_on: HandOn | None = None,
    ) -> Result:
        """Run one event, JSON or nothing; a failure is a result too. ``hand_on`` takes the parts
        of a streamed answer.

        Raises `AwsError` when it cannot be run at all: throttled, or no code.
        """
        request_id = request_id or str(uuid4())
        arn = qualified(function.arn, qualifier)
        with self._pool.worker(function, configuration) as worker:
            outcome = worker.sandbox.invoke(
                Invocation(
                    request_id=request_id,
                    event=event or "{}",
                    invoked_function_arn=arn,
                    timeout_seconds=float(configuration["Timeout"]),
                    client_context=client_context,
                    hand_on=hand_on,
                )
            )
            if not outcome.failed and len(outcome.body.encode()) > RESPONSE_BYTES:
                _refuse_answer(outcome)
            log = log_of(request_id, configuration, outcome)
            self._logs.write(worker.stream, log)
        return Result(
            request_id=request_id,
            version=configuration["Version"],
            body=outcome.body,
            failed=outcome.failed,
            streamed=outcome.streamed,
            error_type=outcome.error_type,
            log=log,
        )


def version_to_invoke(
    store: Store, region: str, given: Mapping[str, Any]
) -> tuple[Function, Configuration]:
    """The function that Invoke means, and what runs of it now.

    Raises ResourceNotFoundException, and ResourceConflictException while it is Pending.
    """
    qualifier = qualifier_of(given, region) or LATEST
    function, _ = find_version(store, region, {**given, "Qualifier": qualifier})
    running = function.running(version_of(function, qualifier))
    if running is None:
        raise pending()
    return function, running


def check_payload(payload: bytes, invocation_type: str) -> None:
    """Raise `AwsError` for a payload that is too large or is not JSON."""
    asynchronous = invocation_type == "Event"
    limit = ASYNCHRONOUS_PAYLOAD_BYTES if asynchronous else SYNCHRONOUS_PAYLOAD_BYTES
    if len(payload) > limit:
        raise AwsError(
            "RequestTooLargeException",
            f"{len(payload)} byte payload is too large for the {invocation_type} invocation type "
            f"(limit {limit} bytes)",
            status=413,
        )
    try:
        json.loads(payload or b"{}")
    except ValueError as error:
        raise AwsError(
            "InvalidRequestContentException", f"Could not parse request body into json: {error}"
        ) from None


def _client_context(encoded: str | None) -> str | None:
    if encoded is None:
        return None
    try:
        text = base64.b64decode(encoded).decode()
        json.loads(text)
    except ValueError:
        raise AwsError(
            "InvalidRequestContentException",
            "Client context must be a valid Base64-encoded JSON object.",
        ) from None
    return text


def _refuse_answer(outcome: Outcome) -> None:
    outcome.failed = True
    outcome.error_type = "Function.ResponseSizeTooLarge"
    outcome.body = json.dumps(
        {
            "errorType": outcome.error_type,
            "errorMessage": "Response payload size exceeded maximum allowed payload size "
            f"({RESPONSE_BYTES} bytes).",
        }
    )


_SAID_BY_LAMBDA = ("Sandbox.Timedout", "Runtime.ExitError", "Runtime.OutOfMemory")


def log_of(request_id: str, configuration: Configuration, outcome: Outcome) -> list[str]:
    """The lines of one invocation: its start, what was printed, what went wrong, its report."""
    said = [] if outcome.error_type not in _SAID_BY_LAMBDA else [_last_words(request_id, outcome)]
    init = "" if outcome.init_ms is None else f"\tInit Duration: {outcome.init_ms:.2f} ms"
    status = ""
    if outcome.ending == "timeout":
        status = "\tStatus: timeout"
    elif outcome.error_type in _SAID_BY_LAMBDA:
        status = f"\tStatus: error\tError Type: {outcome.error_type}"
    return [
        f"START RequestId: {request_id} Version: {configuration['Version']}",
        *outcome.lines,
        *said,
        f"END RequestId: {request_id}",
        f"REPORT RequestId: {request_id}\tDuration: {outcome.duration_ms:.2f} ms\t"
        f"Billed Duration: {math.ceil(outcome.duration_ms)} ms\t"
        f"Memory Size: {configuration['MemorySize']} MB\tMax Memory Used: {outcome.memory_mb} MB"
        f"{init}{status}",
    ]


def _last_words(request_id: str, outcome: Outcome) -> str:
    message: str = json.loads(outcome.body)["errorMessage"]
    if outcome.ending == "timeout":
        return f"{request_id} {message.partition('Error: ')[2]}"
    return f"{message}\n{outcome.error_type}"

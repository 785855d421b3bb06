"""Calls a function for an API, as the service that may do so or in a role's name."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as WaitedEnough
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypeVar

from botocore.exceptions import ClientError

from local_aws.arn import Arn
from local_aws.context import LocalContext
from local_aws.permissions import RoleSession

APIGATEWAY = "apigateway.amazonaws.com"
SESSION = "BackplaneAssumeRoleSession"
"""What API Gateway's sessions are called (recorded by LocalStack's suite, 2024)."""

Result = TypeVar("Result")


class NotPermitted(Exception):
    """The function's policy, or the role, does not let the API call it; AWS says no more."""


class TooSlow(Exception):
    """The API waits no longer; what it waits for goes on."""


@dataclass(frozen=True)
class Outcome:
    """A function's answer; ``failed`` when it raised, was too slow or has ended. ``request_id`` is
    the invocation's."""

    payload: bytes
    failed: bool
    request_id: str = ""

    @property
    def value(self) -> Any:
        """The payload's value. Raises ValueError when it is no JSON."""
        return json.loads(self.payload)


class Functions:
    """Those of one local AWS."""

    def __init__(self, context: LocalContext) -> None:
        self._context = context

    def call(
        self,
        arn: str,
        event: Mapping[str, Any] | bytes,
        *,
        source_arn: str,
        role_arn: str | None = None,
        seconds: float,
        **more: Any,
    ) -> Outcome:
        """Invoke the function at ``arn``, for what is at ``source_arn``; with a role, in its name.

        ``more`` is given to Invoke. Raises `NotPermitted`, `TooSlow` after so many seconds, and
        ClientError for what Lambda refuses. A function runs as fast as it does, so these seconds
        are real ones, whatever the time scale.
        """
        payload = event if isinstance(event, bytes) else json.dumps(event).encode()
        client = self._caller_of(arn, source_arn, role_arn)
        with _permitted():
            answer = within(
                seconds, lambda: client.invoke(FunctionName=arn, Payload=payload, **more)
            )
        return Outcome(
            answer["Payload"].read(),
            "FunctionError" in answer,
            answer["ResponseMetadata"].get("RequestId", ""),
        )

    def stream(
        self,
        arn: str,
        event: bytes,
        *,
        source_arn: str,
        role_arn: str | None = None,
        seconds: float,
    ) -> Iterator[bytes]:
        """`call`, for an answer in parts; returns with the first, and all may take so long.

        A function that fails, or takes longer, breaks it off: ConnectionAbortedError.
        """
        end = time.monotonic() + seconds
        client = self._caller_of(arn, source_arn, role_arn)
        with _permitted():
            told = within(
                seconds,
                lambda: client.invoke_with_response_stream(FunctionName=arn, Payload=event),
            )
        return _parts(told["EventStream"], end)

    def session(self, role_arn: str) -> RoleSession:
        """API Gateway's session in a role. Raises `NotPermitted` unless the role lets it in."""
        if not self._context.evaluator.trusts(role_arn, APIGATEWAY):
            raise NotPermitted
        return self._context.sessions.assume(role_arn, SESSION)

    def _caller_of(self, arn: str, source_arn: str, role_arn: str | None) -> Any:
        if role_arn is None and not self._is_let_in(arn, source_arn):
            raise NotPermitted
        place = Arn.parse(arn)
        if role_arn is None:
            return self._context.client("lambda", place.region, account=place.account)
        return self._context.client_as(self.session(role_arn), "lambda", place.region)

    def _is_let_in(self, arn: str, source_arn: str) -> bool:
        given = {
            "aws:SourceArn": source_arn,
            "aws:SourceAccount": self._context.account_id,
        }
        return self._context.evaluator.lets_service(APIGATEWAY, "lambda:InvokeFunction", arn, given)


def _parts(events: Iterable[Mapping[str, Any]], end: float) -> Iterator[bytes]:
    for event in events:
        if time.monotonic() > end:
            raise ConnectionAbortedError("the function took too long")
        if event.get("InvokeComplete", {}).get("ErrorCode"):
            raise ConnectionAbortedError(event["InvokeComplete"]["ErrorDetails"])
        yield event.get("PayloadChunk", {}).get("Payload", b"")


@contextmanager
def _permitted() -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"].startswith("AccessDenied"):
            raise NotPermitted from None
        raise


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What ``work`` returns or raises; raises `TooSlow` when it takes longer, and lets it go on."""
    done: Future[Result] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except Exception as error:
            done.set_exception(error)

    Thread(target=run, name="api integration", daemon=True).start()
    try:
        return done.result(seconds)
    except WaitedEnough:
        raise TooSlow from None

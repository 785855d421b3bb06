"""A rollout as it happens, to its end: the config that was wanted serves, or why it does not."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Literal

from sagemaker_serving.client.aws import Aws
from sagemaker_serving.errors import Failure, NotFound, RolloutFailed
from sagemaker_serving.operations.rollout.logs import ContainerLogs, LogLine
from sagemaker_serving.operations.rollout.signs import FailureSigns
from sagemaker_serving.operations.rollout.stack import StackIntention, stack_intention
from sagemaker_serving.operations.rollout.state import EndpointState, VariantState, endpoint_state

Kind = Literal["status", "variant", "log", "note", "done"]

_A_ROLLOUT_AGO = timedelta(hours=1)
"""How far back the log of a rollout that has ended is read."""

_SILENCE_SECONDS = 60.0
"""How long AWS may fail to answer before the watch fails with it."""

_LINES_MAY_COME_SECONDS = 6.0
"""How long the last words of a container that failed are waited for: they reach CloudWatch later
than the failure reaches DescribeEndpoint."""


@dataclass(frozen=True, kw_only=True)
class RolloutEvent:
    """Something that happened: ``state`` is the endpoint then, ``message`` says it in words."""

    at: datetime
    kind: Kind
    message: str
    state: EndpointState = field(repr=False)
    line: LogLine | None = None


def watch(
    endpoint_name: str,
    aws: Aws | None = None,
    *,
    config: str | None = None,
    timeout_seconds: float = 3600.0,
    poll_seconds: float = 2.0,
    grace_seconds: float = 5.0,
) -> Iterator[RolloutEvent]:
    """What happens to an endpoint until it is settled, each thing as it happens.

    Ends when the wanted config serves: ``config``; else the one that the
    rollout under way, or CloudFormation's stack, brings. Without any of these,
    when the endpoint is in service and nothing is said of a failed update.
    Without ``config`` a stack is waited for that is still at work, or about to
    be, as what it does next may take the endpoint back.

    :param aws: where the endpoint is; by default the AWS of the shell.
    :param poll_seconds: how often AWS is asked.
    :param grace_seconds: how long a container whose log shows a failure may still come up.

    Raises `NotFound` when there is no such endpoint, `RolloutFailed` with the
    cause and the container's last lines as soon as one fails, when another
    config serves than was wanted (SageMaker goes back to the old one without an
    error), and when the stack went back; `Failure` after ``timeout_seconds``.
    """
    where = aws if aws is not None else Aws()
    return _Watch(where, endpoint_name, config, grace_seconds).events(timeout_seconds, poll_seconds)


class _Watch:
    def __init__(
        self, aws: Aws, endpoint_name: str, config: str | None, grace_seconds: float
    ) -> None:
        self._sagemaker = aws.client("sagemaker")
        self._aws = aws
        self._wanted = config
        self._is_given = config is not None
        self._state = endpoint_state(self._sagemaker, endpoint_name)
        self._heard = time.monotonic()
        self._was_seen_coming = False
        self._reads = aws.client("logs")
        self._logs = self._logs_of_this_rollout()
        self._signs = FailureSigns(grace_seconds=grace_seconds)
        self._told: dict[tuple[str, bool], str] = {}
        self._noted: set[str] = set()

    def events(self, timeout_seconds: float, poll_seconds: float) -> Iterator[RolloutEvent]:
        end = time.monotonic() + timeout_seconds
        yield self._event("status", _status(self._state))
        while True:
            yield from self._look()
            if self._state.is_settled and (yield from self._is_done()):
                return
            if time.monotonic() > end:
                raise Failure(
                    f"{self._state.name} is still {self._state.status} after "
                    f"{timeout_seconds:.0f} s; watch it again, or give a longer --timeout"
                )
            time.sleep(poll_seconds)
            before, self._state = self._state, self._described()
            if before.is_settled and not self._state.is_settled:
                self._logs = self._logs_of_this_rollout()
            if _status(self._state) != _status(before):
                yield self._event("status", _status(self._state))

    def _logs_of_this_rollout(self) -> ContainerLogs:
        ago = timedelta() if not self._state.is_settled else _A_ROLLOUT_AGO
        return ContainerLogs(self._reads, self._state.name, self._state.since - ago)

    def _described(self) -> EndpointState:
        """The endpoint now; as it was last seen, while AWS does not answer for a moment."""
        try:
            state = endpoint_state(self._sagemaker, self._state.name)
        except NotFound:
            raise Failure(f"{self._state.name} was deleted while it was watched") from None
        except Failure:
            if time.monotonic() - self._heard > _SILENCE_SECONDS:
                raise
            return self._state
        self._heard = time.monotonic()
        return state

    def _look(self) -> Iterator[RolloutEvent]:
        """What the variants and their containers say."""
        state = self._state
        if state.is_settled:
            return
        if state.coming_config is not None and self._wanted is None:
            self._wanted = state.coming_config
        self._was_seen_coming |= state.coming_config == self._wanted is not None
        for variant in state.variants:
            told = _variant(variant)
            if self._told.get((variant.name, variant.coming)) != told:
                self._told[variant.name, variant.coming] = told
                yield self._event("variant", told)
        yield from self._read_logs()
        failed = self._signs.failed()
        if failed is not None:
            stream, meaning = failed
            raise self._failure(
                f"a container of {state.name} failed, {stream}: {meaning}", stream.partition("/")[0]
            )

    def _read_logs(self) -> Iterator[RolloutEvent]:
        for line in self._logs.new_lines():
            self._signs.see(line)
            yield self._event("log", f"{line.stream}: {line.text}", line)
        if self._logs.refusal is not None:
            yield from self._note(self._logs.refusal)

    def _is_done(self) -> Generator[RolloutEvent, None, bool]:
        """Whether all is as it was wanted; raises `RolloutFailed` when it will not be."""
        state, stack = self._state, None
        has_failed = self._was_seen_coming and self._has_failed()
        if not has_failed and (not self._is_given or state.config != self._wanted):
            stack = stack_intention(self._aws.client("cloudformation"), self._sagemaker, state)
            if stack is not None and (yield from self._waits_for(stack)):
                return False
            # The stack may have moved the endpoint between the two answers.
            if self._described() != state:
                return False
        reason = self._what_is_wrong(stack)
        if reason is not None:
            failed = self._was_seen_coming or state.failure_reason is not None
            if failed or (stack is not None and stack.went_back):
                yield from self._last_words()
                raise self._failure(reason, self._named_in(reason))
            raise RolloutFailed(reason, log_group=self._logs.group, log_lines=())
        came = self._was_seen_coming or self._is_given
        nothing = "" if came else "; no rollout is under way"
        yield self._event("done", f"{state.name} serves {state.config}{nothing}")
        return True

    def _has_failed(self) -> bool:
        """Whether SageMaker has given up, whatever a stack makes of it.

        Of an update that failed there is a reason, although the endpoint is in service.
        Source: botocore sagemaker, DescribeEndpointOutput.
        """
        state = self._state
        went_back = state.config != self._wanted and state.failure_reason is not None
        return state.status != "InService" or went_back

    def _waits_for(self, stack: StackIntention) -> Generator[RolloutEvent, None, bool]:
        """Whether a deploy is under way, which may yet move the endpoint, on or back."""
        if stack.is_in_progress:
            yield from self._note(f"stack {stack.stack} is {stack.status}; waiting for it")
        elif stack.change_set is not None:
            yield from self._note(
                f"stack {stack.stack} is about to be updated, by {stack.change_set}; waiting for it"
            )
        else:
            return False
        return True

    def _what_is_wrong(self, stack: StackIntention | None) -> str | None:
        state = self._state
        because = f": {state.failure_reason}" if state.failure_reason else ""
        if state.status != "InService":
            return f"{state.name} is {state.status}{because}"
        serves = f"{state.name} serves {state.config}"
        if self._wanted is not None:
            if state.config == self._wanted:
                return None
            if stack is not None and stack.went_back and not because:
                return f"{serves}, not {self._wanted}: {_went_back(stack)}"
            went_back = ": SageMaker went back to it" if because else ""
            return f"{serves}, not {self._wanted}{went_back}{because}"
        if stack is None:
            return f"{serves}, and its last update failed{because}" if because else None
        if stack.went_back:
            return f"{serves}, but {_went_back(stack, state.failure_reason)}"
        if stack.wants_another(state.config):
            return f"{serves}, not {stack.config} as its stack {stack.stack} says{because}"
        return None

    def _last_words(self) -> Iterator[RolloutEvent]:
        """Waits a little for lines that are still on their way to CloudWatch."""
        yield from self._read_logs()
        may_come = self._was_seen_coming or not self._logs.last_lines()
        end = time.monotonic() + (_LINES_MAY_COME_SECONDS if may_come else 0.0)
        quiet = 0
        while time.monotonic() < end and quiet < 2 and self._logs.refusal is None:
            time.sleep(0.5)
            found = list(self._read_logs())
            yield from found
            quiet = quiet + 1 if not found and self._logs.last_lines() else 0

    def _named_in(self, reason: str) -> str | None:
        names = [variant.name for variant in self._state.variants]
        names += [line.variant for line in self._logs.last_lines()]
        return next((name for name in names if f" {name} " in f"{reason} "), None)

    def _failure(self, cause: str, variant: str | None) -> RolloutFailed:
        lines = self._logs.last_lines(variant) or self._logs.last_lines()
        if not self._was_seen_coming:  # others that were started within the hour may be well
            lines = [line for line in lines if line.stream == lines[-1].stream]
        told = [f"{line.stream}: {line.text}" for line in lines]
        return RolloutFailed(cause, log_group=self._logs.group, log_lines=told)

    def _note(self, text: str) -> Iterator[RolloutEvent]:
        if text not in self._noted:
            self._noted.add(text)
            yield self._event("note", text)

    def _event(self, kind: Kind, message: str, line: LogLine | None = None) -> RolloutEvent:
        return RolloutEvent(
            at=datetime.now(UTC), kind=kind, message=message, state=self._state, line=line
        )


def _status(state: EndpointState) -> str:
    if state.coming_config is not None and state.coming_config != state.config:
        return f"{state.status}: {state.config} -> {state.coming_config}"
    return f"{state.status}: {state.config}"


def _went_back(stack: StackIntention, failure: str | None = None) -> str:
    why = stack.reason or failure or "no reason is told"
    return f"its stack {stack.stack} is {stack.status}: {why}"


def _variant(variant: VariantState) -> str:
    which = "new" if variant.coming else "serving"
    parts = [f"{variant.name} ({which})"]
    if variant.desired_instances is not None:
        parts.append(f"{variant.instances or 0} of {variant.desired_instances} instances")
    if variant.weight is not None:
        parts.append(f"weight {variant.weight:g}")
    if variant.phase:
        parts.append(variant.phase + (f": {variant.message}" if variant.message else ""))
    return ", ".join(parts)

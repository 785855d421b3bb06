"""The processes of functions: warm ones are used again, idle ones ended, none above the limits."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from local_aws.context import LocalContext
from local_aws.process import ForkServer
from local_aws.protocol import AwsError
from local_aws.services.lambda_.code import CodeStore
from local_aws.services.lambda_.launches import launch_of, shown_runtime
from local_aws.services.lambda_.layers import zips_of
from local_aws.services.lambda_.limits import CONCURRENT_EXECUTIONS
from local_aws.services.lambda_.logs import Stream
from local_aws.services.lambda_.names import Target, session_name
from local_aws.services.lambda_.runtimes import runs_by
from local_aws.services.lambda_.sandbox import Sandbox, forks_with_boto3
from local_aws.services.lambda_.store import Configuration, Function, Store, without_state

_log = logging.getLogger(__name__)

IDLE_SECONDS = 300.0
"""How long a process waits for another event; AWS says no figure."""


SESSION_SECONDS = 36 * 3600
"""How long a process's own credentials hold; AWS says no figure."""


@dataclass(kw_only=True)
class Worker:
    """A process of one version of a function, and where its log goes."""

    function: str
    region: str
    runs: Configuration
    sandbox: Sandbox
    stream: Stream
    busy: bool = True
    used_at: float = field(default_factory=time.monotonic)


class Pool:
    """Hands out processes; all of them end with `close`."""

    def __init__(self, context: LocalContext, store: Store, code: CodeStore, folder: Path) -> None:
        self._context = context
        self._store = store
        self._code = code
        self._runtime = folder / "runtime"
        self._forks: ForkServer | None = None
        self._workers: list[Worker] = []
        self._lock = threading.Condition()
        self._closed = False
        self._stopping = threading.Event()
        self._reaper: threading.Thread | None = None
        self._said: set[str] = set()

    @contextmanager
    def worker(self, function: Function, configuration: Configuration) -> Iterator[Worker]:
        """A process of that version for one invocation, a warm one when there is one.

        Raises `AwsError` (TooManyRequestsException) above the function's reserved concurrency or
        the region's.
        """
        worker = self._take(function, configuration)
        try:
            yield worker
        finally:
            self._give_back(worker)

    def end_idle(self, region: str, function_name: str) -> None:
        """End the function's processes that are not at work: its code or settings have changed."""
        name = Target.parse(function_name, region).name
        self._end(lambda each: (each.region, each.function) == (region, name) and not each.busy)

    def finish(self, region: str, function_name: str) -> None:
        """Return when no process of the function is at work, or after 10 seconds.

        One may still be: a custom resource's function has answered before it returns.
        """
        name = Target.parse(function_name, region).name

        def is_idle() -> bool:
            own = (each for each in self._workers if (each.region, each.function) == (region, name))
            return not any(each.busy for each in own)

        with self._lock:
            self._lock.wait_for(is_idle, timeout=10)

    def status(self) -> list[dict[str, Any]]:
        """Each process, as ``local status`` shows it."""
        with self._lock:
            workers = list(self._workers)
        return [
            {
                "name": worker.function,
                "pid": worker.sandbox.pid,
                "memory_bytes": worker.sandbox.memory_bytes(),
                "busy": worker.busy,
                "log": f"{worker.stream.group} {worker.stream.name}",
            }
            for worker in workers
        ]

    def close(self) -> None:
        """End every process, at work or not."""
        with self._lock:
            self._closed = True
            idle = [worker for worker in self._workers if not worker.busy]
            busy = [worker for worker in self._workers if worker.busy]
            self._workers = busy
        for worker in idle:
            worker.sandbox.close()
        for worker in busy:
            worker.sandbox.end()  # closed by the thread that invokes it
        if self._forks is not None:
            self._forks.close()
        self._stopping.set()

    def _take(self, function: Function, configuration: Configuration) -> Worker:
        zips = zips_of(self._store, configuration)
        folders = (
            self._code.unpacked(configuration["CodeSha256"]),
            self._code.unpacked(*zips) if zips else None,
        )
        with self._lock:
            if self._closed:
                raise AwsError("ServiceException", "the local AWS stops", status=500)
            if self._reaper is None:
                self._reaper = threading.Thread(target=self._reap, daemon=True)
                self._reaper.start()
            self._check_concurrency(function)
            for worker in self._workers:
                if not worker.busy and _fits(worker, function, configuration):
                    worker.busy = True
                    return worker
            worker = self._start(function, configuration, *folders)
            self._workers.append(worker)
            return worker

    def _give_back(self, worker: Worker) -> None:
        with self._lock:
            worker.busy = False
            self._lock.notify_all()
            worker.used_at = time.monotonic()
            if worker.sandbox.alive and not self._closed:
                return
            self._workers.remove(worker)
        worker.sandbox.close()

    def _reap(self) -> None:
        while not self._stopping.wait(IDLE_SECONDS / 10):
            self._end(_is_idle_for_long)

    def _end(self, chosen: Callable[[Worker], bool]) -> None:
        with self._lock:
            ending = [worker for worker in self._workers if chosen(worker)]
            self._workers = [worker for worker in self._workers if worker not in ending]
        for worker in ending:
            worker.sandbox.close()

    def _check_concurrency(self, function: Function) -> None:
        busy = [worker for worker in self._workers if worker.busy]
        here = [worker for worker in busy if worker.region == function.region]
        own = [worker for worker in here if worker.function == function.name]
        reserved = function.reserved_concurrency
        if reserved is not None and len(own) >= reserved:
            raise TooManyRequests("ReservedFunctionConcurrentInvocationLimitExceeded")
        if len(here) >= CONCURRENT_EXECUTIONS:
            raise TooManyRequests("ConcurrentInvocationLimitExceeded")

    def _start(
        self,
        function: Function,
        configuration: Configuration,
        task_root: Path,
        layers: Path | None,
    ) -> Worker:
        role, name = configuration["Role"], session_name(function.name)
        stream = Stream(
            session=self._context.sessions.assume(role, name),
            region=function.region,
            group=configuration["LoggingConfig"]["LogGroup"],
            name=f"{datetime.now(UTC):%Y/%m/%d}/[{configuration['Version']}]{uuid4().hex}",
        )
        self._say_what_it_runs_by(function, configuration["Runtime"])
        launch = launch_of(
            configuration,
            stream,
            self._context.sessions.hand_out(role, name, SESSION_SECONDS, of_service=True),
            task_root=task_root,
            layers=layers,
            runtime=self._runtime,
            url=self._context.url,
        )
        with self._lock:
            if launch.imports_boto3 and self._forks is None:
                self._forks = forks_with_boto3(self._runtime, shown_runtime(self._runtime))
        return Worker(
            function=function.name,
            region=function.region,
            runs=_what_runs(configuration),
            sandbox=Sandbox(launch, self._forks),
            stream=stream,
        )

    def _say_what_it_runs_by(self, function: Function, runtime: str) -> None:
        if function.arn not in self._said and runtime != runs_by(runtime):
            self._said.add(function.arn)
            _log.warning("%s asks for %s and runs by %s", function.name, runtime, runs_by(runtime))


class TooManyRequests(AwsError):
    """Lambda's throttling; ``reason`` is its Reason member."""

    def __init__(self, reason: str) -> None:
        super().__init__("TooManyRequestsException", "Rate Exceeded.", status=429)
        self.members = {"Reason": reason}


def _fits(worker: Worker, function: Function, configuration: Configuration) -> bool:
    return (
        worker.sandbox.alive
        and (worker.region, worker.function) == (function.region, function.name)
        and worker.runs == _what_runs(configuration)
    )


def _what_runs(configuration: Configuration) -> Configuration:
    """What a process was started for: another revision may be the same code and settings."""
    return {**without_state(configuration), "RevisionId": None}


def _is_idle_for_long(worker: Worker) -> bool:
    return not worker.busy and time.monotonic() - worker.used_at > IDLE_SECONDS

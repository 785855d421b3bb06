"""The processes the front starts: how they are started, what they report, how they end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.orphans import Process, end_of, fork_child, spawn

STOP_SECONDS = 1.5
"""How long a child may take to end once told, before it is killed."""


class ChildFailed(Failure):
    """A child that could not start, or that died; ``kind`` is what it called its failure."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, eq=False)
class Child:
    """A Python module run as a process on a parent_pipe (`parent_pipe`).

    It lives at most as long as this process, and reports lines of JSON:
    ``started``, ``ready``, or ``failed`` with a reason.
    """

    name: str
    _process: Process
    _parent_fd: int
    _reports: asyncio.StreamReader
    _stop_signal: signal.Signals
    _ended: asyncio.Task[int]

    @classmethod
    async def start(
        cls,
        name: str,
        module: str,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        directory: Path,
        pass_fds: Sequence[int] = (),
        isolated: bool = True,
        stop_signal: signal.Signals = signal.SIGTERM,
    ) -> Child:
        """Start ``python -m module arguments…`` in ``directory``; it is not waited for.

        Where that module has been imported, as in a fork of `fork_server`, a fork of this process
        is it. ``isolated``: PYTHON* variables mean nothing to it, and no code of the user's runs
        in it.
        """
        their_parent_pipe, parent_fd = os.pipe()
        reports_fd, their_reports = os.pipe()
        command = [f"--parent-fd={their_parent_pipe}", f"--report-fd={their_reports}", *arguments]
        passed = (their_parent_pipe, their_reports, *pass_fds)
        imported = sys.modules.get(f"{module}.__main__")
        process: Process
        try:
            if imported is not None:

                def life() -> int:
                    os.chdir(directory)
                    os.environ.clear()
                    os.environ.update(environment)
                    return int(imported.main(command))

                process = fork_child(life, keep=passed)
            else:
                process = await spawn(
                    *(sys.executable, "-I" if isolated else "-P", "-m", module, *command),
                    env=environment,
                    cwd=directory,
                    stdin=asyncio.subprocess.DEVNULL,
                    pass_fds=passed,
                )
        finally:
            os.close(their_parent_pipe)
            os.close(their_reports)
        ended = asyncio.create_task(end_of(process, ran_user_code=not isolated))
        reports = await pipe_reader(reports_fd)
        return cls(name, process, parent_fd, reports, stop_signal, ended)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    async def reported(self, event: str) -> None:
        """Wait until the child reports ``event``.

        Raises `ChildFailed` with the reason when it reports ``failed``, or
        ends without saying anything.
        """
        while line := await self._reports.readline():
            facts: dict[str, Any] = json.loads(line)
            if facts["event"] == event:
                return
            if facts["event"] == "failed":
                raise ChildFailed(facts["reason"], facts.get("kind", ""))
        raise await self.died()

    async def died(self) -> ChildFailed:
        """Wait for the child's end and return what to say of it."""
        status = await asyncio.shield(self._ended)
        how = f"with status {status}" if status >= 0 else f"by {signal.Signals(-status).name}"
        return ChildFailed(f"the {self.name} (pid {self.pid}) ended {how}")

    async def stop(self) -> None:
        """End the child: its stop signal, then after `STOP_SECONDS` SIGKILL.

        What it forked is waited for as long again.
        """
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(self._stop_signal)
        try:
            await asyncio.wait_for(asyncio.shield(self._ended), STOP_SECONDS)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._ended
        finally:
            # What the child itself had started reads the end of the file now…
            os.close(self._parent_fd)
        # …and until the last of them has gone, the reports have no end.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._reports.read(), STOP_SECONDS)


async def pipe_reader(fd: int) -> asyncio.StreamReader:
    """What comes through a pipe, whose reading end ``fd`` it closes when all is read."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(fd, "rb")
    )
    return reader

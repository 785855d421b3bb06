"""Commands as a shell runs them, each a fork of a process that has imported what they need.

A start of Python with those imports takes half a second of processor time and more; a fork takes a
hundredth of it. What a command is given and does to its process is its own in either case. So it is
with the local AWS that a command starts, whose imports take a second and a half.
"""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import IO

import click
import pytest

from local_aws import daemon
from local_aws.process import has_ended
from local_aws.process.forking import fork

Run = Callable[..., subprocess.CompletedProcess[str]]
PROGRAMS = {"sagemaker-serving": "sagemaker_serving.cli", "local-aws": "local_aws.__main__"}
_forks = get_context("forkserver")
_forks.set_forkserver_preload([*PROGRAMS.values(), "tests.cli.preloaded", __name__])


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs ``sagemaker-serving`` in an empty folder, as a shell without AWS settings would."""
    return run_in(tmp_path)


def run_in(home: Path, program: str = "sagemaker-serving") -> Run:
    """Runs ``program`` in a folder that is also the user's home."""

    def run_command(
        *arguments: str,
        folder: Path = home,
        stdin: str = "",
        within: float = 120,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        variables = {
            "HOME": str(home),
            "AWS_EC2_METADATA_DISABLED": "true",
            "NODE_COMPILE_CACHE": os.environ.get("NODE_COMPILE_CACHE", ""),
            "SAGEMAKER_SERVING_END_WITH": str(os.getpid()),
            "LOCAL_AWS_END_WITH": str(os.getpid()),
            **variables,
        }
        with begun((program, *arguments), folder, variables, stdin) as ended:
            return ended(within)

    return run_command


@contextmanager
def begun(
    command: tuple[str, ...], folder: Path, variables: Mapping[str, str], stdin: str = ""
) -> Iterator[Callable[[float], subprocess.CompletedProcess[str]]]:
    """A command that runs; what waits so many seconds for its end, and is told how it was."""
    environment = {"PATH": os.environ["PATH"], **variables}
    with TemporaryDirectory() as place:
        streams = [Path(place, name) for name in ("stdin", "stdout", "stderr")]
        streams[0].write_text(stdin)
        process = _forks.Process(target=_command, args=(command, folder, environment, streams))

        def ended(within: float) -> subprocess.CompletedProcess[str]:
            process.join(within)
            if process.exitcode is None:
                raise subprocess.TimeoutExpired(command, within)
            printed, complained = (stream.read_text() for stream in streams[1:])
            return subprocess.CompletedProcess(command, process.exitcode, printed, complained)

        process.start()
        try:
            yield ended
        finally:
            if process.exitcode is None:
                process.kill()


def _command(
    command: tuple[str, ...], folder: Path, environment: Mapping[str, str], streams: list[Path]
) -> None:
    """The command as this process, which becomes one that a shell has started."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, stream in enumerate(streams):
        opened = os.open(stream, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    for text in (sys.stdout, sys.stderr):
        assert hasattr(text, "reconfigure")
        text.reconfigure(encoding="utf-8")
    sys.stdin = os.fdopen(0, encoding="utf-8")  # multiprocessing has closed it
    sys.argv = [str(Path(sys.executable).parent / command[0]), *command[1:]]
    vars(daemon)["subprocess"] = SimpleNamespace(**{**vars(subprocess), "Popen": _ForkedDaemon})
    sys.exit(import_module(PROGRAMS[command[0]]).main())


class _ForkedDaemon:
    """The process that `daemon.start` begins, as `subprocess.Popen` has it."""

    returncode: int | None = None

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdout: IO[bytes],
        pass_fds: Sequence[int],
        env: Mapping[str, str],
        **_: object,
    ) -> None:
        def live() -> int:
            os.setsid()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(stdout.fileno(), 1)
            os.dup2(stdout.fileno(), 2)
            os.environ.clear()
            os.environ.update(env)
            sys.argv = list(command[2:])
            daemon.main()
            return 0

        self.pid = fork(live, keep=(*pass_fds, stdout.fileno()))

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        has_ended(self.pid, within_seconds=timeout)
        return self.poll()

    def kill(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def on_a_terminal(folder: Path, *arguments: str) -> str:
    """What the command draws on a terminal."""
    reader, writer = pty.openpty()
    command = [str(Path(sys.executable).parent / "sagemaker-serving"), *arguments]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=writer):
        os.close(writer)
        shown = b""
        with suppress(OSError):  # EIO, once no process has the other end
            while read := os.read(reader, 1 << 16):
                shown += read
    os.close(reader)
    return shown.decode()


def commands(of: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """A command and all below it, each with the words that call it."""
    yield name, of
    if isinstance(of, click.Group):
        context = click.Context(of)
        for each in of.list_commands(context):
            found = of.get_command(context, each)
            assert found is not None
            yield from commands(found, f"{name} {each}".strip())

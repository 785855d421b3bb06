"""The local AWS as a process of its own: start it, find it, end it."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from local_aws import terminal
from local_aws.errors import Failure, Mistake, ReportedError
from local_aws.garbage import collect_seldom
from local_aws.process import (
    end_descendants,
    end_leftovers_from_now_on,
    has_ended,
    raise_file_limit,
    return_freed_memory,
)
from local_aws.process.address import DEFAULT_PORT, Address, StateDirLock, answers, find, is_held
from local_aws.process.forking import exit_at_once
from local_aws.process.isolation import isolated
from local_aws.state.folder import forget
from local_aws.state.state_dir import state_dir_errors

_START_SECONDS = 60
_STOP_SECONDS = 20
_REASON = "local-aws: "
"""What the log's line begins with that says why the process ended."""

_started: dict[int, subprocess.Popen[bytes]] = {}
"""What this process has started, and will have to wait for."""

_LET_GO = b"."
"""What a parent writes into the pipe when its end shall not be the local AWS's."""


def start(
    state_dir: Path,
    port: int = DEFAULT_PORT,
    *,
    with_parent: bool = False,
    end_with: int | None = None,
    fresh: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Address:
    """Starts the local AWS in the background and returns when it answers.

    What was deployed when it last ran in ``state_dir`` is found again, unless
    ``fresh``, which forgets it. ``port`` 0 takes a free one. Its own log is
    ``<state_dir>/local.log``. It ends as soon as the calling process does, even
    by kill -9: with ``with_parent`` always, else until this function returns;
    and when the process ``end_with`` does. ``environment`` are variables beside
    this process's own, as `sagemaker.settings` names them. Raises `Mistake` for a
    port or folder in use and for a kept state that cannot be used, `Failure` with
    the log's last lines when it does not start within a minute.
    """
    StateDirLock(state_dir).release()
    log_path = state_dir / "local.log"
    command = [sys.executable, "-m", __name__, "--state-dir", str(state_dir), "--port", str(port)]
    command += ["--log", str(log_path.resolve())]
    if fresh:
        command.append("--fresh")
    if end_with is not None:
        command += ["--end-with", str(end_with)]
    reading, writing = os.pipe()
    with state_dir_errors(state_dir):
        opened = log_path.open("wb")
    with opened as log:
        process = subprocess.Popen(
            [*command, "--parent-fd", str(reading)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(reading,),
            env=isolated({**os.environ, **(environment if environment is not None else {})}),
            start_new_session=True,
        )
    os.close(reading)
    try:
        _wait_for_answers(state_dir, process, log_path)
    except BaseException:
        os.close(writing)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_SECONDS)
        raise
    if not with_parent:
        with contextlib.suppress(BrokenPipeError):  # it has ended meanwhile
            os.write(writing, _LET_GO)
        os.close(writing)
    _started[process.pid] = process
    return find(state_dir)


def _wait_for_answers(state_dir: Path, process: subprocess.Popen[bytes], log_path: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    while not answers(state_dir):
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise _not_started(process.returncode, log_path)
        time.sleep(0.05)


def stop(state_dir: Path) -> None:
    """Ends the local AWS of ``state_dir`` and every process it started.

    Raises `NotFound` when none runs there.
    """
    address = find(state_dir)
    os.kill(address.pid, signal.SIGTERM)
    end = time.monotonic() + _STOP_SECONDS
    while is_held(state_dir):
        if time.monotonic() > end:
            os.kill(address.pid, signal.SIGKILL)
            end = time.monotonic() + _STOP_SECONDS
        time.sleep(0.05)
    if address.pid in _started:
        _started.pop(address.pid).wait()


def main() -> None:
    """The process itself: serves until SIGTERM, SIGINT, SIGHUP, or its parent's end."""
    collect_seldom()
    return_freed_memory()
    terminal.install()
    parser = argparse.ArgumentParser(prog="python -m local_aws.daemon")
    parser.add_argument("--state-dir", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--log", help="the file that its output goes to")
    parser.add_argument("--parent-fd", type=int)
    parser.add_argument("--end-with", type=int)
    parser.add_argument("--fresh", action="store_true")
    arguments = parser.parse_args()
    try:
        serve(
            arguments.state_dir,
            arguments.port,
            log=arguments.log,
            parent_fd=arguments.parent_fd,
            end_with=arguments.end_with,
            fresh=arguments.fresh,
        )
    except ReportedError as error:
        _end_now(f"{_REASON}{error}", error.exit_status)
    except Exception:
        _end_now(traceback.format_exc(), 1)


def _end_now(why: str, status: int) -> NoReturn:
    """Threads of what could not be stopped would keep the process running for ever."""
    with contextlib.suppress(OSError):  # on a full disk it ends, too
        print(why, file=sys.stderr)
    exit_at_once(status)


def serve(
    state_dir: Path,
    port: int,
    *,
    log: str | None = None,
    parent_fd: int | None = None,
    end_with: int | None = None,
    fresh: bool = False,
) -> None:
    """Holds ``state_dir`` and serves in this process until it is told to end.

    Or until the process ``end_with`` has ended. ``log`` is the file that this process's output
    goes to, for others to read. ``fresh`` forgets what is kept there first. Raises what `start`
    does.
    """
    end = _End()
    if parent_fd is not None:
        threading.Thread(target=_watch_parent, args=(parent_fd, end), daemon=True).start()
    if end_with is not None:
        threading.Thread(target=_watch_process, args=(end_with, end), daemon=True).start()
    end_leftovers_from_now_on()
    raise_file_limit()
    os.umask(0o077)  # whatever is written from here on is nobody else's to read
    hold = StateDirLock(state_dir)
    try:
        if fresh:
            forget(state_dir)
        _isolate_this_process()
        from local_aws.boto import read_models_once
        from local_aws.gateway import Gateway

        read_models_once()
        gateway = Gateway(state_dir.resolve(), port)
        gateway.start()
        try:
            gateway.warm_up()
            address = Address(
                url=gateway.url,
                pid=os.getpid(),
                credentials=gateway.context.credentials,
                log=log,
            )
            os.environ.update(address.environment(gateway.region))  # for clients that others make
            hold.publish(address)
            print(f"listening on {gateway.url}", flush=True)
            end.wait()
        finally:
            gateway.stop()
    finally:
        hold.unpublish()
        end_descendants()


def _isolate_this_process() -> None:
    """In the foreground it has the environment of the user's shell."""
    kept = isolated(os.environ)
    os.environ.clear()
    os.environ.update(kept)


class _End:
    """What this process waits for: a signal that tells it to end, or `come`.

    A thread that waits for a lock, a queue or an event misses a signal that comes in the moment
    before it waits. The pipe does not: Python's own handler writes the signal's number into it,
    whichever thread it comes to (docs.python.org/3.11/library/signal.html, "set_wakeup_fd"). For
    the main thread.
    """

    _SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

    def __init__(self) -> None:
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._writing, False)
        signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)
        for number in self._SIGNALS:
            signal.signal(number, lambda *_: None)

    def come(self) -> None:
        """Have it end, from any thread."""
        os.write(self._writing, bytes([signal.SIGTERM]))

    def wait(self) -> None:
        """Return when it is to end; others than its own signals are handled meanwhile."""
        while not any(number in self._SIGNALS for number in os.read(self._reading, 512)):
            pass


def _watch_parent(descriptor: int, end: _End) -> None:
    """Wait until the parent lets go, or is gone."""
    if os.read(descriptor, 1) != _LET_GO:
        end.come()


def _watch_process(pid: int, end: _End) -> None:
    has_ended(pid, within_seconds=None)
    end.come()


def _not_started(status: int | None, log_path: Path) -> ReportedError:
    lines = log_path.read_text(encoding="utf-8", errors="replace").splitlines()
    reasons = [line.removeprefix(_REASON) for line in lines if line.startswith(_REASON)]
    if reasons:
        return Mistake(reasons[-1]) if status == Mistake.exit_status else Failure(reasons[-1])
    lines = lines[-5:]
    return Failure(f"the local AWS did not start; {log_path} ends with: " + " / ".join(lines))


if __name__ == "__main__":
    main()

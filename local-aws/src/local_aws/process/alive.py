"""A program that speaks to a local AWS ends when that does: at once, and saying so."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from local_aws.errors import Failure, LocalAwsEnded, ReportedError
from local_aws.process import has_ended
from local_aws.process.address import Address
from local_aws.process.forking import exit_at_once
from local_aws.program import program

GRACE_SECONDS = 1.0
"""How long an interrupted program may take to end: it may be cleaning up by calls that nobody
answers any more."""

_SOON_SECONDS = 0.2
"""How much earlier than a process its connections may end."""


@contextmanager
def ending_with(address: Address) -> Iterator[None]:
    """Interrupts the block, whatever it waits for, when the local AWS ends.

    Then, and when the block fails in that moment, it raises `LocalAwsEnded`. Where the block has
    not ended `GRACE_SECONDS` later the program says so and exits with 1. For the main thread.
    """
    watch = _Watch(address)
    before = signal.signal(signal.SIGUSR1, _interrupt)
    try:
        try:
            watch.start()
            yield
        finally:
            watch.stop()
    except _Interrupted:
        raise ended(address) from None
    except Exception as error:
        may_come_of_it = type(error) is Failure or not isinstance(error, ReportedError)
        if has_ended(address.pid, within_seconds=_SOON_SECONDS if may_come_of_it else 0.0):
            raise ended(address) from None
        raise
    finally:
        signal.signal(signal.SIGUSR1, before)


def ended(address: Address) -> LocalAwsEnded:
    """What to say of the local AWS at ``address`` that has ended."""
    return LocalAwsEnded(
        f"the local AWS (process {address.pid}) has ended{_last_words(address.log)}; start it "
        f"again with {program().command('up')}, which finds what was deployed"
    )


class _Watch:
    """Waits for the end of a local AWS in a thread, and interrupts the main thread."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._is_over = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._watch, name="local AWS", daemon=True).start()

    def stop(self) -> None:
        """From now on nothing is interrupted."""
        with self._lock:
            self._is_over.set()

    def _watch(self) -> None:
        has_ended(self._address.pid, within_seconds=None)
        with self._lock:
            main = threading.main_thread().ident
            if self._is_over.is_set() or main is None:
                return
            signal.pthread_kill(main, signal.SIGUSR1)
        if not self._is_over.wait(GRACE_SECONDS):
            print(f"{program().name}: {ended(self._address)}", file=sys.stderr)
            exit_at_once(LocalAwsEnded.exit_status)


class _Interrupted(BaseException):
    """No Exception: nobody who goes on after failures shall go on after this one."""


def _interrupt(*_: object) -> None:
    raise _Interrupted


def _last_words(log: str | None) -> str:
    lines: list[str] = []
    if log is not None:
        with suppress(OSError):
            lines = Path(log).read_text(encoding="utf-8", errors="replace").splitlines()
    return f"; {log} ends with {lines[-1].strip()!r}" if lines else ""

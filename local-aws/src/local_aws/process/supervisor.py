"""A program that runs a command, and ends together with all that the command has started.

``python -I -S supervisor.py LIFELINE PIDFDS COMMAND…``: LIFELINE is the reading end of a pipe,
PIDFDS (``-`` for none) are pidfds between commas. The command and whatever descends from it are
killed when the command ends, when nobody holds LIFELINE's other end any more, when the process of
a pidfd ends, and at SIGTERM, SIGINT, SIGHUP and SIGQUIT. Then the supervisor ends as the command
did: with its status, or by the signal that ended it.

A process that forks twice and begins a session of its own keeps no parent, group or session by
which to find it. Linux gives such an orphan to its nearest ancestor that has asked for them
(prctl(2), PR_SET_CHILD_SUBREAPER, man7.org): here that is the supervisor, so that
everything is below it for as long as it lives. If the supervisor itself is killed, the command
dies with it (PR_SET_PDEATHSIG) and the rest falls to the next one above that adopts orphans. Other
systems have no prctl: what is killed is the command's process group, and what is still below it.

It runs beside every process of a function, so it takes the standard library alone, little of that.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence

PATIENCE_SECONDS = 5.0
"""How long killed processes may take to be gone; one that waits for a disk cannot be killed."""

Spare = Callable[[int, int], bool]
"""``spare(pid, session)``: whether a child is left alone, with all below it."""

_STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
_LOOK_AGAIN_SECONDS = 0.002
_POLL_MILLISECONDS = None if sys.platform == "linux" else 1000
"""macOS's poll may miss an end that comes after data, and finds it when it is called anew
(github.com/NixOS/nix/pull/13901)."""


def supervise(
    parent_pipe: int, pidfds: Sequence[int] = (), *, of_the_child: Sequence[int] = ()
) -> None:
    """Fork, and return in the child alone, which has a session of its own; see the module.

    ``of_the_child`` are descriptors that the parent does not keep, so that their other ends tell
    when the child and all that it started are gone; ``parent_pipe`` may be one, to be read there.
    """
    adopt_orphans()
    waking, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    before = {number: signal.signal(number, _note) for number in (signal.SIGCHLD, *_STOPS)}
    supervisor = os.getpid()
    child = os.fork()
    if child == 0:
        signal.set_wakeup_fd(-1)
        for number, handler in before.items():
            signal.signal(number, handler)
        for descriptor in {waking, wake, parent_pipe, *pidfds} - {*of_the_child}:
            os.close(descriptor)
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(1)
        return
    _keep_only(parent_pipe, of_the_child)
    status = _watch(child, waking, parent_pipe, pidfds)
    with contextlib.suppress(OSError):
        os.killpg(child, signal.SIGKILL)
    time.sleep(_LOOK_AGAIN_SECONDS)  # mostly that was all, and nothing need be looked for
    statuses = end_descendants()
    _end_like(statuses.get(child, int(signal.SIGKILL)) if status is None else status)


def adopt_orphans() -> bool:
    """Become the parent of descendants whose own parents end; False where that is unheard of."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_descendants(of: int | None = None, *, spare: Spare | None = None) -> dict[int, int]:
    """Kill whatever descends from this process, until nothing of it is left.

    Returns the wait statuses of the children that it reaped. ``of`` is another process that
    adopts orphans, in place of this one; it is stopped first, so that it starts nothing more. Gives
    up once nothing has changed for `PATIENCE_SECONDS`.
    """
    root, is_other = (os.getpid(), False) if of is None else (of, True)
    if is_other:
        with contextlib.suppress(OSError):
            os.kill(root, signal.SIGSTOP)
    statuses: dict[int, int] = {}
    alive: set[int] = set()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        before = (alive, len(statuses))
        if not is_other and spare is None and not _reap_all(statuses):
            break
        alive, dead = _kill_below(root, spare)
        if not is_other and spare is not None:
            _reap(dead, statuses)
        if not alive and (is_other or spare is not None):
            break
        if (alive, len(statuses)) != before:
            deadline = time.monotonic() + PATIENCE_SECONDS
        time.sleep(_LOOK_AGAIN_SECONDS if alive else 0)
    return statuses


def reap_orphans(spare: Spare) -> None:
    """Take note of adopted children that have ended, so that they are no zombies any more."""
    table = _processes()
    root = os.getpid()
    orphans = [pid for pid, each in table.items() if each[0] == root and not spare(pid, each[2])]
    _reap([pid for pid in orphans if not table[pid][3]], {})


def _watch(child: int, waking: int, parent_pipe: int, pidfds: Sequence[int]) -> int | None:
    """The child's wait status once it has ended; None when it is to be ended."""
    poll = select.poll()
    poll.register(waking, select.POLLIN)
    # Only its end: what it carries is for the child. Linux would tell without being asked, macOS
    # would not (github.com/lionheart/openradar-mirror/issues/19355).
    poll.register(parent_pipe, select.POLLHUP)
    for pidfd in pidfds:
        poll.register(pidfd, select.POLLIN)
    while True:
        for descriptor, _ in poll.poll(_POLL_MILLISECONDS):
            if descriptor != waking or any(number in _STOPS for number in os.read(waking, 512)):
                return None
        statuses: dict[int, int] = {}
        _reap_all(statuses)
        if child in statuses:
            return statuses[child]


def _reap_all(statuses: dict[int, int]) -> bool:
    """Reap every child that has ended; whether there are others. The kernel's word, not a look."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            statuses[pid] = status
    return False


def _reap(dead: Sequence[int], statuses: dict[int, int]) -> None:
    for each in dead:
        with contextlib.suppress(ChildProcessError):
            pid, status = os.waitpid(each, os.WNOHANG)
            if pid:
                statuses[pid] = status


_Process = tuple[int, int, int, bool]
"""Parent, process group, session, and whether it is alive."""


def _kill_below(root: int, spare: Spare | None) -> tuple[set[int], list[int]]:
    """Kill once all that is seen below ``root``: what was alive of it, and its dead children."""

    def is_meant(pid: int, process: _Process) -> bool:
        return process[0] == root and (spare is None or not spare(pid, process[2]))

    def kill_if_meant(pid: int, process: _Process) -> None:
        if is_meant(pid, process):
            _kill(pid)

    table = _processes(kill_if_meant)
    children: dict[int, list[int]] = {}
    for pid, process in table.items():
        children.setdefault(process[0], []).append(pid)
    family: set[int] = set()
    found = [pid for pid in children.get(root, ()) if is_meant(pid, table[pid])]
    while found:
        pid = found.pop()
        if pid not in family:
            family.add(pid)
            found += children.get(pid, ())
    # A whole group at once: of one that forks and forks, no child can slip away from that.
    groups = {table[pid][1] for pid in family} - {
        process[1] for pid, process in table.items() if pid not in family
    }
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    for pid in family:
        _kill(pid)
    dead = [pid for pid in family if table[pid][0] == root and not table[pid][3]]
    return {pid for pid in family if table[pid][3]}, dead


def _processes(see: Callable[[int, _Process], None] = lambda *_: None) -> dict[int, _Process]:
    """Every process by its id, as /proc has it (proc_pid_stat(5), man7.org).

    The newest is looked at, and shown to ``see``, first: a process that forks and ends, over and
    over, has moved on in the time that it takes to look at all the others.
    """
    table: dict[int, _Process] = {}
    try:
        pids = [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit()]
    except FileNotFoundError:
        return _processes_without_proc()
    for pid in sorted(pids, reverse=True):
        with contextlib.suppress(OSError):
            stat = _read(f"/proc/{pid}/stat")
            state, *numbers = stat[stat.rindex(b")") + 2 :].split()
            parent, group, session = map(int, numbers[:3])
            # Its first thread may have ended while others go on.
            is_alive = state not in (b"Z", b"X") or int(numbers[16]) > 1
            table[pid] = (parent, group, session, is_alive)
            see(pid, table[pid])
    return table


def _processes_without_proc() -> dict[int, _Process]:
    """Every process by its id, as macOS's ps has it (ps(1), manp.gs/mac/1/ps)."""
    import subprocess

    table: dict[int, _Process] = {}
    command = ["ps", "-A", "-o", "pid=,ppid=,pgid=,stat="]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as listing:
        assert listing.stdout is not None
        for line in listing.stdout:
            *numbers, state = line.split()
            pid, parent, group = map(int, numbers)
            with contextlib.suppress(OSError):
                table[pid] = (parent, group, os.getsid(pid), not state.startswith(b"Z"))
    table.pop(listing.pid, None)
    return table


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)


def _keep_only(parent_pipe: int, of_the_child: Sequence[int]) -> None:
    for descriptor in {*of_the_child} - {parent_pipe}:
        os.close(descriptor)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def _end_like(status: int) -> None:
    """End this process as the one with this wait status did."""
    if os.WIFSIGNALED(status):
        import resource

        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # it has dumped its own
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status))


def _note(*_: object) -> None:
    """What is done at a signal is done where the descriptor that it wakes is read."""


def _prctl(option: int, value: int) -> bool:
    if sys.platform != "linux":
        return False
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    return bool(prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0))) == 0)


def main() -> None:
    """Run the command that the arguments name; ends with 127 when there is no such program."""
    parent_pipe, pidfds, *command = sys.argv[1:]
    supervise(int(parent_pipe), [int(each) for each in pidfds.split(",") if each != "-"])
    for number in _IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(127)


if __name__ == "__main__":
    main()

"""A command ends with all that it has started, whoever ends first, and by whatever means."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from local_aws.process import Tree, has_ended, supervisor
from tests.leaving import LEAVE, PATIENCE_SECONDS, Note, gone, program, said

LEAVES_AND_STAYS = f"{LEAVE}\nleave(_sys.argv[1])\nprint('left', flush=True)\n_signal.pause()\n"


@pytest.fixture
def note(tmp_path: Path) -> Note:
    return Note(tmp_path / "note")


def python(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code, *map(str, arguments)]


def tree(code: str, *arguments: object, **options: Any) -> Tree:
    """The code as a tree that prints into a pipe."""
    return Tree(python(code, *arguments), stdout=subprocess.PIPE, text=True, **options)


def first_line(of: Tree) -> str:
    assert of.process.stdout is not None
    return str(of.process.stdout.readline()).strip()


ENDINGS = [
    ("", 0),
    ("_sys.exit(3)", 3),
    ("_os._exit(4)", 4),
    ("1 / 0", 1),
    ("_os.kill(_os.getpid(), _signal.SIGKILL)", -signal.SIGKILL),
    ("_os.kill(_os.getpid(), _signal.SIGSEGV)", -signal.SIGSEGV),
    ("_os.killpg(0, _signal.SIGTERM)", -signal.SIGTERM),
]


@pytest.mark.parametrize(("last", "status"), ENDINGS, ids=[ending[0] for ending in ENDINGS])
def test_what_a_command_leaves_ends_with_it_and_its_status_is_told(
    note: Note, last: str, status: int
) -> None:
    # What it left holds the pipe: without an end of that there would be no end of reading.
    with tree(f"{LEAVE}\nleave(_sys.argv[1])\n{last}", note, stderr=subprocess.DEVNULL) as command:
        command.process.communicate(timeout=PATIENCE_SECONDS)
    assert command.process.returncode == status
    assert note.nothing_is_left()


def test_nothing_is_left_when_it_is_ended(note: Note) -> None:
    with tree(LEAVES_AND_STAYS, note) as command:
        assert first_line(command) == "left"
        below = psutil.Process(command.process.pid).children(recursive=True)
    assert {*note.pids} < {process.pid for process in below}
    assert gone(process.pid for process in below)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_a_supervisor_that_is_told_to_end_leaves_nothing(note: Note, number: int) -> None:
    with tree(LEAVES_AND_STAYS, note) as command:
        assert first_line(command) == "left"
        command.process.send_signal(number)
        assert note.nothing_is_left()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_outlives_the_program_that_started_it(note: Note, number: int) -> None:
    starts = (
        "import subprocess, sys; from local_aws.process import Tree\n"
        "tree = Tree(sys.argv[1:]); tree.process.wait()"
    )
    command = [sys.executable, "-c", starts, *python(LEAVES_AND_STAYS, note)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as starter:
        note.wait()
        below = psutil.Process(starter.pid).children(recursive=True)
        starter.send_signal(number)
    assert gone(process.pid for process in below)
    assert note.nothing_is_left()


def test_it_ends_with_the_process_of_a_pidfd(note: Note) -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        pidfd = os.pidfd_open(other.pid)
        with tree(LEAVES_AND_STAYS, note, pidfds=[pidfd]) as command:
            os.close(pidfd)
            assert first_line(command) == "left"
            other.kill()
            assert command.process.wait(PATIENCE_SECONDS) == -signal.SIGKILL
            assert note.nothing_is_left()


ADOPTS = """
import subprocess, sys
from local_aws.process import Tree, end_leftovers_from_now_on, ending_all

at_once, code, *notes = sys.argv[1:]
if at_once == "True":
    end_leftovers_from_now_on()
with ending_all():
    silent = {"stdout": subprocess.DEVNULL}  # what they print is not what this one says
    trees = [Tree([sys.executable, "-I", "-S", "-c", code, note], **silent) for note in notes]
    other = subprocess.Popen(["sleep", "600"])
    print(*[tree.process.pid for tree in trees], other.pid, flush=True)
    sys.stdin.read()
print("ended")
"""


@pytest.mark.parametrize("at_once", [True, False])
def test_what_a_killed_supervisor_leaves_ends_at_once_or_with_the_program(
    tmp_path: Path, at_once: bool
) -> None:
    first, second = Note(tmp_path / "first"), Note(tmp_path / "second")
    with program(ADOPTS, at_once, LEAVES_AND_STAYS, first, second) as adopting:
        supervisor, _, other = map(int, said(adopting).split())
        first.wait()
        second.wait()
        os.kill(supervisor, signal.SIGKILL)
        if at_once:
            assert first.nothing_is_left()
        assert not any(map(has_ended, [*second.pids, other])), "these have nothing to do with it"
        adopting.communicate()
        assert adopting.returncode == 0
    assert first.nothing_is_left()
    assert second.nothing_is_left()
    assert gone([other])


STOPS_ITS_SUPERVISOR = f"""{LEAVE}
_os.kill(_os.getppid(), _signal.SIGSTOP)
leave(_sys.argv[1])
_signal.pause()
"""


def test_a_command_that_stops_its_supervisor_does_not_escape(
    note: Note, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("local_aws.process.tree.PATIENCE_SECONDS", 0.1)
    with tree(STOPS_ITS_SUPERVISOR, note):
        note.wait()
    assert note.nothing_is_left()


MOVES_ON = """
import os
for _ in range(100_000):
    if os.fork():
        os._exit(0)
    os.setsid()
"""
"""Never the same process for longer than it takes to fork."""

MULTIPLIES = """
import os, signal
for _ in range(8):
    if os.fork() == 0 and {alone}:
        os.setsid()
signal.alarm(600)
print("all there", flush=True)
signal.pause()
"""
"""256 processes."""


@pytest.mark.slow
@pytest.mark.parametrize("alone", [True, False])
def test_many_processes_end_to_the_last(alone: bool) -> None:
    with tree(MULTIPLIES.format(alone=alone)) as command:
        for _ in range(256):
            assert first_line(command) == "all there"
        below = psutil.Process(command.process.pid).children(recursive=True)
    assert len(below) == 256
    assert gone(process.pid for process in below)


def test_one_that_forks_and_ends_over_and_over_is_caught() -> None:
    """It holds a pipe, of which there is an end once it has ended."""
    reading, writing = os.pipe()
    with Tree(python(MOVES_ON), stdout=writing):
        os.close(writing)
    with os.fdopen(reading, "rb") as printed:
        assert printed.read() == b""


def test_ps_tells_of_processes_what_proc_does() -> None:
    with tree(f"{LEAVE}\nprint('up', flush=True)\n_signal.pause()") as command:
        first_line(command)
        (child,) = psutil.Process(command.process.pid).children()
        pids = (os.getpid(), command.process.pid, child.pid)
        by_ps, by_proc = supervisor._processes_without_proc(), supervisor._processes()
        assert {pid: by_ps[pid] for pid in pids} == {pid: by_proc[pid] for pid in pids}


def test_a_program_that_does_not_exist_is_named() -> None:
    with Tree(["no-such-program"], stderr=subprocess.PIPE, text=True) as command:
        _, printed = command.process.communicate(timeout=PATIENCE_SECONDS)
    assert command.process.returncode == 127
    assert printed == "no-such-program: No such file or directory\n"


def test_a_command_is_given_what_it_would_be_without_a_supervisor() -> None:
    """Descriptors, and signals that Python ignores for itself."""
    code = (
        "import os, signal; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])\n"
        "for line in open('/proc/self/status'):\n"
        "    if line.startswith(('SigIgn', 'SigBlk')): print(line)"
    )
    shell = ["sh", "-c", f'exec "$0" -I -S -c "{code}"', sys.executable]
    bare = subprocess.run(shell, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    with Tree(shell, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as command:
        printed, _ = command.process.communicate(timeout=PATIENCE_SECONDS)
    assert printed == bare.stdout

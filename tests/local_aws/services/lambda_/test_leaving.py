"""What a function leaves behind as daemons do lives as long as its process, and no longer."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from local_aws.process import ForkServer, has_ended
from tests.leaving import LEAVE, Note, gone, program, said
from tests.local_aws.aws import eventually
from tests.local_aws.sandboxes import forks_in, invoked, started

AT_IMPORT = "{leave}\nleave({note!r})\n{import_ends}\ndef handler(event, context):\n    {ends}\n"
IN_A_HANDLER = "{leave}\ndef handler(event, context):\n    leave({note!r})\n    {ends}\n"
IN_A_FORK = f"import boto3\n{IN_A_HANDLER}"
SOURCES = {"at-import": AT_IMPORT, "in-a-handler": IN_A_HANDLER, "in-a-fork": IN_A_FORK}

ENDINGS = {
    "returns": ("return 1", ""),
    "raises": ("1 / 0", ""),
    "exits": ("_os._exit(1)", "exit"),
    "crashes": ("_os.kill(_os.getpid(), _signal.SIGSEGV)", "exit"),
    "takes-too-long": ("_signal.pause()", "timeout"),
    "takes-too-much": ("x = b'x' * (1 << 28); _signal.pause()", "memory"),
    "ends-its-supervisor": ("_os.kill(_os.getppid(), _signal.SIGTERM); _signal.pause()", "exit"),
}
"""How a handler ends, and what the local AWS says of that."""


@pytest.fixture
def note(tmp_path: Path) -> Note:
    return Note(tmp_path / "note")


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runtime")


@pytest.fixture(scope="module")
def forks(runtime: Path) -> Iterator[ForkServer]:
    with closing(forks_in(runtime)) as forks:
        yield forks


@pytest.mark.parametrize(
    ("kind", "ends"),
    [
        *(("in-a-handler", ends) for ends in ENDINGS),
        *(("in-a-fork", ends) for ends in ("returns", "exits", "takes-too-much")),
        ("in-a-fork", "ends-its-supervisor"),
        ("at-import", "returns"),
    ],
)
def test_nothing_is_left_of_a_function_however_it_ends(
    tmp_path: Path,
    note: Note,
    kind: str,
    ends: str,
    runtime: Path,
    forks: ForkServer,
) -> None:
    how, told = ENDINGS[ends]
    code = SOURCES[kind].format(leave=LEAVE, note=str(note), ends=how, import_ends="")
    of = forks if kind == "in-a-fork" else None
    sandbox = started(tmp_path, code, runtime=runtime, forks=of)
    outcome = invoked(sandbox, timeout_seconds=5 if told == "timeout" else 60)
    assert outcome.ending == told
    if not told:
        assert not any(map(has_ended, note.pids)), "on AWS too they live until the next event"
    sandbox.close()
    assert note.nothing_is_left()


def test_nothing_is_left_of_a_function_that_fails_at_import(tmp_path: Path, note: Note) -> None:
    code = AT_IMPORT.format(leave=LEAVE, note=str(note), ends="pass", import_ends="1 / 0")
    sandbox = started(tmp_path, code)
    assert invoked(sandbox).error_type == "ZeroDivisionError"
    assert note.nothing_is_left()
    sandbox.close()


FORKS_ONE_THAT_STAYS = """
import os, signal, sys
def handler(event, context):
    if os.fork() == 0:
        signal.pause()
    os._exit(1)
"""


def test_a_process_that_ends_is_noticed_though_a_fork_of_it_holds_its_pipes(tmp_path: Path) -> None:
    sandbox = started(tmp_path, FORKS_ONE_THAT_STAYS)
    outcome = invoked(sandbox)
    assert (outcome.ending, outcome.error_type) == ("exit", "Runtime.ExitError")
    sandbox.close()


TAKES_MEMORY_ELSEWHERE = """
import os, signal
def handler(event, context):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            held = b"x" * (1 << 28)
            signal.pause()
        os._exit(0)
    os.wait()
    signal.pause()
"""


def test_memory_of_what_has_left_the_function_is_its_memory(tmp_path: Path) -> None:
    sandbox = started(tmp_path, TAKES_MEMORY_ELSEWHERE)
    assert invoked(sandbox).ending == "memory"
    assert not sandbox.alive
    sandbox.close()


def test_the_supervisor_is_none_of_the_functions_memory(tmp_path: Path) -> None:
    sandbox = started(tmp_path, "import os\ndef handler(event, context):\n    return os.getpid()\n")
    own = int(invoked(sandbox).body)
    assert own == sandbox.pid
    process = psutil.Process(own)

    def counts_it_alone() -> bool:
        # It may still be letting go of what its answer took, so both looks are taken again.
        used, counted = process.memory_info(), sandbox.memory_bytes()
        return counted == int(used.rss - used.shared)

    eventually(counts_it_alone)
    sandbox.close()


PROGRAM = """
import sys
from pathlib import Path
from local_aws.process import end_leftovers_from_now_on
from tests.local_aws.sandboxes import forks_in, invoked, started

end_leftovers_from_now_on()
runtime = Path(sys.argv[1], "runtime")
forks = forks_in(runtime) if sys.argv[2].startswith("import boto3") else None
sandbox = started(Path(sys.argv[1]), sys.argv[2], runtime=runtime, forks=forks)
print(sandbox._process.pid, flush=True)
invoked(sandbox, timeout_seconds=600)
print("invoked", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("killed", ["program", "supervisor"])
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_nothing_is_left_by_kill_9(tmp_path: Path, note: Note, source: str, killed: str) -> None:
    """Of the program that runs functions, or of a function's supervisor alone."""
    ends = "_signal.pause()"
    code = source.format(leave=LEAVE, note=str(note), ends=ends, import_ends="")
    with program(PROGRAM, tmp_path, code) as running:
        supervisor = int(said(running))
        note.wait()
        root = psutil.Process(running.pid if killed == "program" else supervisor)
        below = [child.pid for child in root.children(recursive=True)]
        if killed == "program":
            running.kill()
        else:
            os.kill(supervisor, signal.SIGKILL)
            assert said(running) == "invoked", "that its process is gone is noticed"
        assert note.nothing_is_left()
        assert gone(below)
        running.kill()

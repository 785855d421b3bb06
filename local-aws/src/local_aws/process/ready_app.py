"""A CDK app in Python that waits for its next synth, with all that it imports imported.

Most of a synth's seconds go into starting the CDK CLI, Python's imports and jsii's Node. A process
that has done all this runs the app's own code again, once, in the environment that the CLI gave it
before. So the assembly is the one that the CLI's synth gives. `ReadyApp` starts such a process and
asks it; the module is also that process.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import runpy
import shlex
import shutil
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextlib import chdir, suppress
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any

from local_aws.process import ISOLATED_PYTHON, SUPERVISOR, has_ended
from local_aws.process.assembly import annotations_in
from local_aws.process.node import path_with_node

_IDLE_SECONDS = 3600.0
"""How long an app waits, which takes some 200 MB of memory."""
_PYTHONS = ("python", "python3")
_OVERFLOW = "CONTEXT_OVERFLOW_LOCATION_ENV"
"""Where the CLI wrote a context that is too long for a variable: into a file that is gone now
(aws-cdk 2.1148, ``writeContextToEnv``)."""
_State = tuple[int, int, int] | None
_NOTE, _BEFORE, _GIVEN, _OUTPUT = "note.json", "before.json", "given.json", "output"
_SOCKET = "socket"
_GO, _DONE, _ENDED_EARLY = b".", "done", "the app that waited has ended early"


class NotReady(Exception):
    """No app waits that would synthesize what the CDK CLI would; it says why."""


class ReadyApp:
    """The app in ``folder`` that waits to synthesize into ``assembly``, if there is one.

    ``given`` is what the synth depends on beside the app's own files, by what it is called: plain
    data. The app ends with the process ``pid``.
    """

    def __init__(self, folder: Path, assembly: Path, *, given: Mapping[str, Any], pid: int) -> None:
        self._folder, self._assembly = folder.resolve(), assembly
        self._place = assembly.with_name(f"{assembly.name}.ready")
        self._given = json.loads(json.dumps(given))
        self._pid = pid

    def synth(self) -> str:
        """Have it synthesize; gives what the CDK CLI would have printed. Raises `NotReady`."""
        place, assembly = self._place, self._assembly
        if self.noting() is None:
            raise NotReady("only an app that cdk.json runs as `python FILE.py` can wait")
        with socket.socket(socket.AF_UNIX) as asking:
            try:
                with chdir(place):  # an address may have 107 bytes (unix(7), man7.org)
                    asking.connect(_SOCKET)
                    Path(_SOCKET).unlink()
                before = json.loads((place / _GIVEN).read_text(encoding="utf-8"))
            except OSError:
                raise NotReady("no synth has made it ready yet") from None
            for name, value in self._given.items():
                if before.get(name) != value:
                    raise NotReady(f"{name} is not as it was")
            why_not = _ENDED_EARLY
            with suppress(OSError), asking.makefile() as answers:
                asking.sendall(_GO)
                # What the deploy needs, meanwhile.
                importlib.import_module("local_aws.boto")
                why_not = answers.read() or why_not
        if why_not != _DONE:
            raise NotReady(why_not)
        if errors := annotations_in(assembly, "error"):
            raise NotReady(errors[0])
        said = (place / _OUTPUT).read_text(encoding="utf-8", errors="replace")
        marks = [*annotations_in(assembly, "info"), *annotations_in(assembly, "warning")]
        return "".join([said, *(f"{each}\n" for each in marks)])

    def noting(self) -> Sequence[str] | None:
        """The app's command, which also notes with what it ran; None of an app that cannot wait."""
        try:
            settings = json.loads((self._folder / "cdk.json").read_text(encoding="utf-8"))
            python, file, *arguments = shlex.split(settings["app"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        is_this = python in _PYTHONS and Path(sys.executable).with_name(python).exists()
        if not is_this or not file.endswith(".py") or "build" in settings:
            return None
        self._place.mkdir(mode=0o700, exist_ok=True)
        return [python, "-m", __name__, str(self._place), "--", file, *arguments]

    def prepare(self) -> None:
        """Start the app that waits for the next synth, once one has noted with what it ran.

        Of the apps of a local AWS only that which was deployed last waits.
        """
        place = self._place
        try:
            note = json.loads((place / _NOTE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        if _OVERFLOW in note["environment"]:
            return
        shutil.rmtree(place)
        for other in place.parent.glob(f"*.ready/{_SOCKET}"):
            with suppress(OSError), socket.socket(socket.AF_UNIX) as ending, chdir(other.parent):
                ending.connect(_SOCKET)  # and no word of what it is to do
                Path(_SOCKET).unlink()
        place.mkdir(mode=0o700)
        programs = place / "programs"
        programs.mkdir()
        note["environment"]["PATH"] = os.pathsep.join(path_with_node(programs))
        (place / _BEFORE).write_text(json.dumps(note), encoding="utf-8")
        (place / _GIVEN).write_text(json.dumps(self._given), encoding="utf-8")
        # The supervisor holds both ends: the app ends by itself, and not with this process.
        lifeline = os.pipe()
        try:
            with socket.socket(socket.AF_UNIX) as listening, (place / _OUTPUT).open("ab") as output:
                with chdir(place):
                    listening.bind(_SOCKET)
                listening.listen()
                subprocess.Popen(
                    [
                        *(*ISOLATED_PYTHON, SUPERVISOR, str(lifeline[0]), "-"),
                        *(sys.executable, "-m", __name__, str(place)),
                        *(str(listening.fileno()), str(self._pid)),
                    ],
                    cwd=self._folder,
                    env=note["environment"],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=(*lifeline, listening.fileno()),
                    start_new_session=True,
                )
        finally:
            for each in lifeline:
                os.close(each)


def main() -> None:
    """Run an app and note with what, or wait with what was noted until it is to run again."""
    place, *given = sys.argv[1:]
    del sys.path[0]  # this process's folder, which is not always the app's
    if given[0] == "--":
        _run(Path(place), {"environment": dict(os.environ), "arguments": given[1:]})
    else:
        _wait(Path(place), *map(int, given))


def _wait(place: Path, listens: int, pid: int) -> None:
    answer = [_DONE]
    threading.Thread(target=_end_with, args=(pid,), daemon=True).start()
    # What comes first is done last: an app may synthesize as jsii ends.
    atexit.register(lambda: connection.sendall(answer[0].encode()))
    note = json.loads((place / _BEFORE).read_text(encoding="utf-8"))
    with socket.socket(fileno=listens) as listening:
        listening.settimeout(_IDLE_SECONDS)
        read = _imported(note["modules"])
        try:
            connection, _ = listening.accept()
        except TimeoutError:
            os._exit(0)
    if not connection.recv(1):
        os._exit(0)
    changed = [path for path, state in read.items() if _state(path) != state]
    for path in [*changed, *_shadowing(_folder_of(note["arguments"]))]:
        answer[0] = f"{path} has changed"
        return
    threading.Thread(target=_end_without, args=(connection,), daemon=True).start()
    os.truncate(place / _OUTPUT, 0)
    try:
        _run(place, note)
    except SystemExit as end:
        if end.code not in (None, 0):
            answer[0] = f"{_ENDED_EARLY}, with {end.code}"
    except BaseException:
        traceback.print_exc()
        answer[0] = _ENDED_EARLY
    for stream in (sys.stdout, sys.stderr):
        stream.flush()


def _run(place: Path, note: dict[str, Any]) -> None:
    """As ``python FILE.py …`` does, and note what it imported."""
    sys.argv = list(note["arguments"])
    folder = _folder_of(sys.argv)
    sys.path.insert(0, str(folder))
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    finally:
        modules = [
            name
            for name, module in list(sys.modules.items())
            if getattr(module, "__file__", None) and not _is_of(folder, name)
        ]
        with suppress(OSError):
            noted = json.dumps(note | {"modules": modules})
            (place / _NOTE).write_text(noted, encoding="utf-8")


def _imported(modules: Iterable[str]) -> dict[str, _State]:
    """Import them in their order; gives the files that this read, as they were then."""
    read: dict[str, _State] = {}

    def listen(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            path = arguments[0]
            if path.endswith(".pyc"):
                path = source_from_cache(path)
            read.setdefault(path, _state(path))

    sys.addaudithook(listen)
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)
    places = tuple(f"{each}{os.sep}" for each in sys.path)
    found = {path: state for path, state in read.items() if path.startswith(places)}
    libraries = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    return {path: _state(path) for path in filter(None, libraries)} | found


def _state(path: str) -> _State:
    """What changes with a file's content; its ctime also does where another folder links to it."""
    with suppress(OSError):
        status = Path(path).stat()
        return status.st_mtime_ns, status.st_size, status.st_ino
    return None


def _shadowing(folder: Path) -> list[str]:
    """Files of the app that would be imported in place of what is imported already."""
    names = {name.partition(".")[0] for name in sys.modules}
    own = [
        file for name in names for file in (folder / f"{name}.py", folder / name / "__init__.py")
    ]
    return [str(file) for file in own if file.exists()]


def _is_of(folder: Path, module: str) -> bool:
    first = module.partition(".")[0]
    return (folder / first).is_dir() or (folder / f"{first}.py").is_file()


def _folder_of(arguments: Sequence[str]) -> Path:
    return Path(arguments[0]).resolve().parent


def _end_with(pid: int) -> None:
    has_ended(pid, within_seconds=None)
    os._exit(0)


def _end_without(asking: socket.socket) -> None:
    """End where nobody waits for the answer any more."""
    asking.recv(1)
    os._exit(1)


if __name__ == "__main__":
    main()

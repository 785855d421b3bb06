"""An app that waits for its next synth: what it does anew, and when it does not do it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psutil
import pytest

from local_aws.process.ready_app import NotReady, ReadyApp
from tests.leaving import LEAVE, Killed, Note, gone
from tests.local_aws.aws import eventually

APP = """\
import json, os, sys
from pathlib import Path

import library
import own

print("built with", own.SAYS)
Path(os.environ["CDK_OUTDIR"], "built.json").write_text(
    json.dumps([own.SAYS, Path("model.txt").read_text(), library.READ, sys.argv[1:], sys.path[0]])
)
"""
LIBRARY = """\
import os
from pathlib import Path

READ = Path(__file__).with_name("library.txt").read_text()
Path(os.environ["IMPORTS"]).open("a").write("imported\\n")
"""


class App:
    """A folder with an app, and a library beside it that the app imports."""

    def __init__(self, folder: Path, local_aws: int, state: Path | None = None) -> None:
        self.folder = folder / "app"
        self.assembly = (state or folder / "state") / f"cdk.out-{folder.name}"
        self.libraries, self.imports = folder / "libraries", folder / "imports"
        for each in (self.folder, self.assembly, self.libraries):
            each.mkdir(parents=True)
        self.write("app.py", APP)
        self.write("own.py", "SAYS = 1")
        self.write("model.txt", "first")
        self.write("cdk.json", json.dumps({"app": "python app.py --loud"}))
        (self.libraries / "library.py").write_text(LIBRARY)
        (self.libraries / "library.txt").write_text("data")
        self._local_aws = local_aws

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def ready(self, given: Mapping[str, Any]) -> ReadyApp:
        return ReadyApp(self.folder, self.assembly, given=given, pid=self._local_aws)

    def prepared(self, given: Mapping[str, Any], **variables: str) -> ReadyApp:
        """The app as the CDK CLI runs it, and then one that waits."""
        ready = self.ready(given)
        noting = ready.noting()
        assert noting is not None
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(self.libraries),
            "CDK_OUTDIR": str(self.assembly),
            "IMPORTS": str(self.imports),
            **variables,
        }
        subprocess.run([sys.executable, *noting[1:]], cwd=self.folder, env=environment, check=False)
        ready.prepare()
        return ready

    @property
    def built(self) -> Any:
        return json.loads((self.assembly / "built.json").read_text())

    @property
    def process(self) -> psutil.Process:
        """The one that waits."""
        place = f"{self.assembly}.ready"

        def found() -> list[psutil.Process]:
            return [
                each
                for each in psutil.process_iter(["cmdline"])
                if place in (command := each.info["cmdline"] or ()) and "-S" not in command
            ]

        return eventually(found)[0]


@pytest.fixture
def local_aws() -> Any:
    with Killed(["sleep", "600"]) as process:
        yield process
        process.kill()


@pytest.fixture
def app(tmp_path: Path, local_aws: Killed) -> App:
    return App(tmp_path, local_aws.pid)


def test_its_own_code_and_files_are_read_anew_and_libraries_were_imported_before(app: App) -> None:
    ready = app.prepared({"context": {"env": "dev"}})
    assert app.built == [1, "first", "data", ["--loud"], str(app.folder)]
    eventually(lambda: app.imports.read_text().count("imported") == 2)
    app.write("own.py", "SAYS = 'more'")
    app.write("model.txt", "second")
    assert ready.synth() == "built with more\n"
    assert app.built == ["more", "second", "data", ["--loud"], str(app.folder)]
    assert app.imports.read_text().count("imported") == 2
    ready.prepare()
    app.write("model.txt", "third")
    ready.synth()
    assert app.built[1] == "third", "one comes after the other"


def test_an_app_that_synthesizes_as_it_ends_has_done_so(app: App) -> None:
    late = "import atexit\natexit.register(lambda: Path('late').write_text(own.SAYS))\n"
    app.write("app.py", f"{APP}{late}")
    app.write("own.py", "SAYS = 'one'")
    ready = app.prepared({})
    app.write("own.py", "SAYS = 'another'")
    ready.synth()
    assert (app.folder / "late").read_text() == "another"


def test_what_an_app_marks_is_told_and_an_error_left_to_the_cli(app: App) -> None:
    ready = app.prepared({})
    stack = {
        "type": "aws:cloudformation:stack",
        "metadata": {
            "/Shop": [{"type": "aws:cdk:warning", "data": "it is cold"}],
            "/Shop/Heater": [{"type": "aws:cdk:info", "data": "it is off"}],
        },
    }
    manifest = app.assembly / "manifest.json"
    manifest.write_text(json.dumps({"artifacts": {"Shop": stack}}))
    assert ready.synth().splitlines() == [
        "built with 1",
        "[Info at /Shop/Heater] it is off",
        "[Warning at /Shop] it is cold",
    ]
    ready.prepare()
    manifest.write_text(manifest.read_text().replace("aws:cdk:warning", "aws:cdk:error"))
    with pytest.raises(NotReady, match=r"\[Error at /Shop\] it is cold"):
        ready.synth()


def _library(app: App) -> str:
    (app.libraries / "library.py").write_text(f"{LIBRARY}\nMORE = 1\n")
    return "library.py has changed"


def _data_of_a_library(app: App) -> str:
    (app.libraries / "library.txt").write_text("other data")
    return "library.txt has changed"


def _gone_library(app: App) -> str:
    (app.libraries / "library.py").unlink()
    return "library.py has changed"


def _in_the_place_of_a_library(app: App) -> str:
    app.write("library.py", "READ = 'own'")
    return "library.py has changed"


def _an_app_that_ends(app: App) -> str:
    app.write("app.py", "raise SystemExit(2)")
    return "the app that waited has ended early, with 2"


def _an_app_that_fails(app: App) -> str:
    app.write("app.py", "1 / 0")
    return "the app that waited has ended early$"


def _an_app_that_is_killed(app: App) -> str:
    app.write("app.py", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    return "the app that waited has ended early$"


def _another_language(app: App) -> str:
    app.write("cdk.json", json.dumps({"app": "npx ts-node app.ts"}))
    return "only an app that cdk.json runs as `python FILE.py` can wait"


def _a_build(app: App) -> str:
    app.write("cdk.json", json.dumps({"app": "python app.py --loud", "build": "make"}))
    return "only an app that cdk.json runs"


@pytest.mark.parametrize(
    "change",
    [
        _a_build,
        _library,
        _data_of_a_library,
        _gone_library,
        _in_the_place_of_a_library,
        _an_app_that_ends,
        _an_app_that_fails,
        _an_app_that_is_killed,
        _another_language,
    ],
)
def test_it_says_why_it_does_not_synthesize(app: App, change: Callable[[App], str]) -> None:
    ready = app.prepared({"context": {}})
    eventually(lambda: app.imports.read_text().count("imported") == 2)
    with pytest.raises(NotReady, match=change(app)):
        ready.synth()
    with pytest.raises(NotReady, match=r"no synth has made it ready yet|only an app"):
        ready.synth()


def test_what_else_a_synth_depends_on_is_named_when_it_is_another(app: App) -> None:
    app.prepared({"the context": {"env": "dev"}, "cdk.json": "{}"})
    waiting = app.process
    with pytest.raises(NotReady, match=r"^the context is not as it was$"):
        app.ready({"the context": {"env": "prod"}, "cdk.json": "{}"}).synth()
    assert gone([waiting.pid])


def test_a_context_too_long_for_a_variable_is_left_to_the_cli(app: App) -> None:
    ready = app.prepared({}, CONTEXT_OVERFLOW_LOCATION_ENV="/tmp/gone.json")
    with pytest.raises(NotReady, match="no synth has made it ready yet"):
        ready.synth()


def test_of_two_apps_of_a_local_aws_the_one_that_was_deployed_last_waits(
    app: App, tmp_path: Path, local_aws: Killed
) -> None:
    first = app.prepared({})
    waiting = app.process
    other = App(tmp_path / "other", local_aws.pid, app.assembly.parent)
    last = other.prepared({})
    assert gone([waiting.pid])
    with pytest.raises(NotReady, match="no synth has made it ready yet"):
        first.synth()
    assert last.synth() == "built with 1\n"


def test_it_ends_with_the_local_aws(app: App, local_aws: Killed) -> None:
    app.prepared({})
    waiting = app.process
    local_aws.kill()
    assert gone([waiting.pid])


def test_it_ends_with_who_asked_and_so_does_what_it_has_started(app: App, tmp_path: Path) -> None:
    note = Note(tmp_path / "note")
    app.prepared({})
    app.write("app.py", f"{LEAVE}\nleave({str(note)!r})\n_signal.pause()\n")
    waiting = app.process
    ask = (
        "import sys; from pathlib import Path; from local_aws.process.ready_app import ReadyApp\n"
        "folder, assembly, pid = sys.argv[1:]\n"
        "ReadyApp(Path(folder), Path(assembly), given={}, pid=int(pid)).synth()\n"
    )
    command = [sys.executable, "-c", ask, str(app.folder), str(app.assembly), "1"]
    with Killed(command) as asking:
        note.wait()
        asking.kill()
        assert gone([waiting.pid])
    assert note.nothing_is_left()

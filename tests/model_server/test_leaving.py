"""What a model's code leaves behind as daemons do ends with its worker, and with the server."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
import requests

from local_aws.process import has_ended
from tests.leaving import LEAVE, Note, gone, program, said
from tests.model_server.servers import until

pytestmark = pytest.mark.slow

STARTER = """
import sys
from pathlib import Path
from sagemaker_serving.model_server.process import ModelServer
from local_aws.process import end_leftovers_from_now_on

model, program, log, *environment = sys.argv[1:]
end_leftovers_from_now_on()
variables = dict(each.split("=", 1) for each in environment)
server = ModelServer.start(
    Path(model), environment=variables, log_path=Path(log), port=0, program=program
)
print(server.pid, server.place.url, flush=True)
sys.stdin.read()
server.stop()
"""
"""As a local AWS starts servers."""

HANDLER = "def handler(data, context):\n    {request}\n    return data.read(), 'x/y'\n"
FUNCTIONS = """
def model_fn(folder):
    return 1

def transform_fn(model, data, content_type, accept):
    {request}
    return "x", "text/plain"
"""
Model = Callable[..., Path]
SCRIPTS = {"tensorflow": HANDLER, "pytorch": FUNCTIONS}


@pytest.fixture
def note(tmp_path: Path) -> Note:
    return Note(tmp_path / "note")


@pytest.fixture
def a_model(saved_models: Path, tmp_path: Path, note: Note) -> Model:
    return partial(make_model, tmp_path / "m", saved_models / "half_plus_three", note)


def make_model(folder: Path, saved_model: Path, note: Note, program: str, *, moment: str) -> Path:
    """Its script leaves something at its import, or in each request."""
    leave = f"leave({str(note)!r})"
    script = SCRIPTS[program].format(request=leave if moment == "request" else "pass")
    code = folder / "code"
    code.mkdir(parents=True)
    top = leave if moment == "import" else ""
    (code / "inference.py").write_text(f"{LEAVE}\n{top}\n{script}")
    shutil.copytree(saved_model, folder / saved_model.name)
    return folder


_PACKAGE = "sagemaker_serving.model_server"


class Started:
    """A server and the program that has started it."""

    def __init__(self, starter: subprocess.Popen[str]) -> None:
        self.starter = starter
        pid, self.url = said(starter).split()
        self.pid = int(pid)

    def below(self) -> list[psutil.Process]:
        found: list[psutil.Process] = psutil.Process(self.pid).children(recursive=True)
        return found

    def worker(self) -> int:
        """The process that the front has started for the user's code."""
        found = []
        for child in psutil.Process(self.pid).children():
            with suppress(psutil.NoSuchProcess, ProcessLookupError):  # it ends as we look
                is_one = {f"{_PACKAGE}.handler", f"{_PACKAGE}.mms.worker"} & {*child.cmdline()}
                if is_one and os.getsid(child.pid) == os.getsid(self.pid):
                    found.append(child.pid)
        (worker,) = found
        return int(worker)


@contextmanager
def started(model: Path, program_: str, **environment: str) -> Iterator[Started]:
    variables = [f"{name}={value}" for name, value in environment.items()]
    with program(STARTER, model, program_, model.parent / "log", *variables) as starter:
        try:
            yield Started(starter)
        finally:
            starter.kill()


def end(server: Started, who: str) -> None:
    """Have somebody end."""
    if who == "server":
        assert server.starter.stdin is not None
        server.starter.stdin.close()
    elif who == "worker by kill -9":
        os.kill(server.worker(), signal.SIGKILL)
    elif who == "starter by kill -9":
        server.starter.kill()
    else:
        os.kill(server.pid, getattr(signal, who.removeprefix("front by ")))


WHO = (
    *("server", "starter by kill -9", "worker by kill -9"),
    *("front by SIGTERM", "front by SIGHUP", "front by SIGKILL"),
)


@pytest.mark.parametrize(
    ("framework", "who"),
    [("pytorch", "server"), ("tensorflow", "starter by kill -9"), ("tensorflow", WHO[-1])],
)
def test_what_is_left_at_import_ends_with_whoever_ends(
    a_model: Model, note: Note, framework: str, who: str
) -> None:
    model = a_model(framework, moment="import")
    with started(model, framework) as server:
        note.wait()
        below = [process.pid for process in server.below()]
        assert not any(map(has_ended, note.pids))
        end(server, who)
        assert note.nothing_is_left()
        assert gone([server.pid, *below])


@pytest.mark.parametrize("who", WHO)
def test_what_is_left_in_a_request_ends_with_whoever_ends(
    a_model: Model, note: Note, who: str
) -> None:
    model = a_model("pytorch", moment="request")
    with started(model, "pytorch") as server:
        until(lambda: requests.get(f"{server.url}/ping", timeout=60).status_code == 200)
        assert requests.post(f"{server.url}/invocations", data=b"x", timeout=60).status_code == 200
        assert not any(map(has_ended, note.pids)), "on AWS too they live on"
        below = [process.pid for process in server.below()]
        end(server, who)
        assert note.nothing_is_left()
        assert gone([server.pid, *below])


@pytest.mark.long
def test_what_a_handler_left_ends_with_its_worker_and_the_server_lives_on(
    a_model: Model, note: Note
) -> None:
    model = a_model("tensorflow", moment="request")

    def answers() -> bool:
        return requests.post(f"{server.url}/invocations", data="x", timeout=60).status_code == 200

    with started(model, "tensorflow") as server:
        until(answers, seconds=90)
        before = note.pids
        assert not any(map(has_ended, before))
        end(server, "worker by kill -9")
        assert gone(before)
        until(answers)
        assert not has_ended(server.pid)


@pytest.mark.parametrize(
    "who",
    [
        "serve by SIGKILL",
        pytest.param("serve by SIGHUP", marks=pytest.mark.long),
        "serve by SIGINT",
        pytest.param("front", marks=pytest.mark.long),
    ],
)
def test_nothing_is_left_of_serve(a_model: Model, note: Note, who: str) -> None:
    model = a_model("pytorch", moment="import")
    cli = Path(sys.executable).parent / "sagemaker-serving"
    command = [str(cli), "serve", str(model), "--port", "0"]
    with subprocess.Popen([*command, "--framework", "pytorch"], stdout=subprocess.PIPE) as serve:
        note.wait()
        (front,) = psutil.Process(serve.pid).children()
        below = [each.pid for each in front.children(recursive=True)]
        if who == "front":
            front.kill()
        else:
            serve.send_signal(getattr(signal, who.removeprefix("serve by ")))
        serve.communicate()
    assert note.nothing_is_left()
    assert gone([front.pid, *below])


ENDS_AT_ONCE = """
import os
def model_fn(folder):
    return 1

def transform_fn(model, data, content_type, accept):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
    return "x", "text/plain"
"""


def test_what_left_the_worker_and_has_ended_is_no_zombie(a_model: Model) -> None:
    model = a_model("pytorch", moment="never")
    (model / "code" / "inference.py").write_text(ENDS_AT_ONCE)
    with started(model, "pytorch") as server:
        until(lambda: requests.get(f"{server.url}/ping", timeout=60).status_code == 200)
        for _ in range(3):
            requests.post(f"{server.url}/invocations", data=b"x", timeout=60)
        worker = server.worker()
        until(lambda: [each.pid for each in psutil.Process(server.pid).children()] == [worker])


SETUP = """{leave}
nothing = _os.open(_os.devnull, _os.O_RDWR)
_os.dup2(nothing, 1)
_os.dup2(nothing, 2)
leave({note!r})
{then}
"""
"""One that held the pipe of what builds it would keep pip waiting, wherever that runs."""


@pytest.mark.long
@pytest.mark.parametrize("then", ["_sys.exit('enough')", "_signal.pause()"], ids=["fails", "stays"])
@pytest.mark.parametrize("framework", SCRIPTS)
def test_what_a_package_leaves_as_it_is_built_ends_with_that(
    a_model: Model, tmp_path: Path, note: Note, framework: str, then: str
) -> None:
    model = a_model(framework, moment="never")
    package = tmp_path / "package"
    package.mkdir()
    (package / "setup.py").write_text(SETUP.format(leave=LEAVE, note=str(note), then=then))
    (model / "code" / "requirements.txt").write_text(f"{package}\n")
    offline = {"PIP_NO_BUILD_ISOLATION": "0", "PIP_NO_INDEX": "1"}
    with started(model, framework, **offline) as server:
        note.wait()
        if "pause" in then:
            end(server, "server")
        assert note.nothing_is_left()
        if "exit" in then:
            assert gone([server.pid])
            assert "failed to install required packages" in (tmp_path / "log").read_text()

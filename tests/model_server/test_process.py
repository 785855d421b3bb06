"""A model server's life: how it starts, fails to, and ends."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
import requests

from sagemaker_serving.model_server.process import ModelServer, ServerNotHealthy
from tests.leaving import lives
from tests.model_server.servers import (
    HEALTHY_WITHIN_SECONDS,
    log_of,
    processes_of,
    running,
    starting,
    until,
)

pytestmark = pytest.mark.slow

GOOD = "def handler(data, context):\n    return data.read(), 'x/y'\n"


ENGINE = "model_server.engine"


def bare_model(folder: Path, **code: str) -> Path:
    """A model that looks like one until TensorFlow opens it."""
    version = folder / "broken" / "1"
    version.mkdir(parents=True)
    (version / "saved_model.pb").write_bytes(b"no protobuf")
    for name, text in code.items():
        (folder / "code").mkdir(exist_ok=True)
        (folder / "code" / name.replace("_", ".")).write_text(text)
    return folder


def failure(
    model: Path,
    folder: Path,
    environment: dict[str, str] | None = None,
    *,
    held: str | None = None,
) -> tuple[int | None, str]:
    """The exit status of a server that cannot start, and the last line of its log.

    Its process of the module ``held`` gets nowhere, so that it is not the first that fails.
    """
    with starting(model, folder, environment) as server:
        if held is not None:
            until(lambda: is_held(processes_of(server), held))
        with pytest.raises(ServerNotHealthy) as failed:
            server.wait_until_healthy(HEALTHY_WITHIN_SECONDS)
        assert str(failed.value).endswith("\n".join(server.last_log_lines()))
        assert failed.value.log_lines == server.last_log_lines()
        assert "Traceback" not in failed.value.log_lines[-1]
        return server.poll(), server.last_log_lines()[-1]


def test_a_folder_without_a_saved_model_ends_the_start(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, line = failure(tmp_path / "empty", tmp_path)
    assert status == 2
    assert "no SavedModel bundles found!" in line


def test_a_default_model_that_is_not_there_ends_the_start(tmp_path: Path) -> None:
    status, line = failure(
        bare_model(tmp_path / "m"), tmp_path, {"SAGEMAKER_TFS_DEFAULT_MODEL_NAME": "other"}
    )
    assert status == 2
    assert line.endswith("SAGEMAKER_TFS_DEFAULT_MODEL_NAME is 'other'; the model has broken")


def test_a_saved_model_that_cannot_be_loaded_ends_the_start_with_tensorflow_s_reason(
    tmp_path: Path,
) -> None:
    status, line = failure(bare_model(tmp_path / "m"), tmp_path)
    assert status == 1
    assert "broken/1 cannot be loaded: Cannot parse file" in line


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (
            "x = 1\n",
            "code/inference.py: NotImplementedError: "
            "Handlers are not implemented correctly in user script.",
        ),
        ("def handler(:\n", "code/inference.py: SyntaxError: "),
    ],
)
def test_code_that_cannot_be_imported_ends_the_start(
    tmp_path: Path, script: str, reason: str
) -> None:
    model = bare_model(tmp_path / "m", inference_py=script)
    status, line = failure(model, tmp_path, held=ENGINE)
    assert status == 1
    assert reason in line


def test_requirements_that_cannot_be_installed_end_the_start(tmp_path: Path) -> None:
    model = bare_model(
        tmp_path / "m", inference_py=GOOD, requirements_txt="./missing-1.0-py3-none-any.whl\n"
    )
    status, line = failure(model, tmp_path, held=ENGINE)
    assert status == 1
    assert "failed to install required packages" in line
    assert "ERROR: " in line
    assert "missing-1.0-py3-none-any.whl" in line


@contextmanager
def under_way(folder: Path) -> Iterator[tuple[ModelServer, list[psutil.Process]]]:
    """A server that has started engine, worker and the worker's fork, TensorFlow not imported."""
    model = bare_model(folder / "m", inference_py=GOOD)
    with starting(model, folder) as server:
        # It imports TensorFlow and finds no model sooner than a worker forks on a busy machine.
        until(lambda: is_held(processes_of(server), ENGINE))
        until(lambda: len(processes_of(server)) == 4)
        named(server, ENGINE).resume()
        yield server, processes_of(server)


def is_held(processes: Iterable[psutil.Process], module: str) -> bool:
    """Whether the process of ``module`` is one of them, and held from now on."""
    for process in processes:
        with suppress(psutil.Error):
            if any(module in argument for argument in process.cmdline()):
                process.suspend()
                return True
    return False


def gone(processes: list[psutil.Process]) -> bool:
    return not any(lives(process) for process in processes)


def test_kill_9_of_the_front_leaves_no_process(tmp_path: Path) -> None:
    with under_way(tmp_path) as (server, processes):
        scratch = Path(processes[1].cwd())
        os.kill(server.pid, signal.SIGKILL)
        until(lambda: gone(processes))
        server.stop()
        assert not scratch.exists()


def test_sigterm_ends_everything_and_is_no_failure(tmp_path: Path) -> None:
    with under_way(tmp_path) as (server, processes):
        scratch = Path(processes[1].cwd())
        assert scratch.is_dir()
        os.kill(server.pid, signal.SIGTERM)
        until(lambda: server.poll() is not None)
        assert server.poll() == 0
        until(lambda: gone(processes))
        until(lambda: not scratch.exists())


@pytest.mark.parametrize(
    ("module", "name"), [("server.engine", "engine"), ("server.handler", "handler worker")]
)
def test_a_process_that_dies_during_the_start_takes_the_server_with_it(
    tmp_path: Path, module: str, name: str
) -> None:
    with under_way(tmp_path) as (server, processes):
        victim = next(process for process in processes if module in " ".join(process.cmdline()))
        victim.kill()
        until(lambda: server.poll() is not None)
        assert server.poll() == 1
        said = f"the {name} (pid {victim.pid}) ended by SIGKILL"
        assert server.last_log_lines()[-1].endswith(said)
        until(lambda: gone(processes))
        assert not server.ping()


def named(server: ModelServer, module: str) -> psutil.Process:
    return next(
        process for process in processes_of(server) if module in " ".join(process.cmdline())
    )


@pytest.mark.long
def test_what_dies_later_is_started_again_and_ends_the_server_only_when_that_fails(
    saved_models: Path, tmp_path: Path
) -> None:
    model = tmp_path / "m"
    (model / "code").mkdir(parents=True)
    (model / "code" / "inference.py").write_text(GOOD)
    shutil.copytree(saved_models / "half_plus_three", model / "half_plus_three")

    def answers(method: str, path: str) -> int:
        return requests.request(
            method, f"{server.place.url}{path}", data="x", timeout=120
        ).status_code

    with running(model, tmp_path, fork_server=None) as server:
        engine, worker = named(server, "server.engine"), named(server, "server.handler")
        engine.kill()
        until(lambda: answers("GET", "/tfs/v1/models/half_plus_three") == 502)
        assert (answers("GET", "/ping"), answers("POST", "/invocations")) == (200, 200)
        worker.kill()
        until(lambda: answers("POST", "/invocations") == 502)
        until(lambda: answers("POST", "/invocations") == 200)
        until(lambda: answers("GET", "/tfs/v1/models/half_plus_three") == 200, seconds=90)
        for name, process in (("engine", engine), ("handler worker", worker)):
            said = f"the {name} (pid {process.pid}) ended by SIGKILL unexpectedly. restarting."
            assert said in log_of(server)
        shutil.rmtree(model / "half_plus_three" / "123")
        named(server, "server.engine").kill()
        until(lambda: server.poll() is not None, seconds=90)
        assert server.poll() == 1
        assert "cannot be loaded" in server.last_log_lines()[-1]


def test_it_does_not_ping_before_it_is_ready_and_may_be_stopped_twice(tmp_path: Path) -> None:
    with under_way(tmp_path) as (server, processes):
        assert not server.ping(0.1)
        with pytest.raises(ServerNotHealthy, match=r"did not answer /ping within 0\.2 s"):
            server.wait_until_healthy(0.2)
        server.stop()
        until(lambda: gone(processes))
        server.stop()
        assert server.memory_bytes() == 0


BATCHING = {
    "SAGEMAKER_TFS_ENABLE_BATCHING": "true",
    "SAGEMAKER_TFS_MAX_BATCH_SIZE": "16",
    "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "300000",
    "SAGEMAKER_TFS_DEFAULT_MODEL_NAME": "kinds",
}


@pytest.mark.long
def test_concurrent_requests_are_joined_when_batching_is_on(
    saved_models: Path, tmp_path: Path
) -> None:
    # A batch is full long before its time is over, however late one of its requests is.
    patient = {**BATCHING, "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "60000000"}
    with running(saved_models, tmp_path, patient) as server:
        log = log_of(server)
        assert "max_batch_size { value: 16 }\nbatch_timeout_micros { value: 60000000 }\n" in log
        body = {"signature_name": "batch_size", "instances": [0.0, 0.0]}
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: invoke(server, body), range(8)))
        assert [answer.json() for answer in answers] == [{"predictions": [16, 16]}] * 8
        refused = invoke(server, {"instances": [0.0] * 17})
        assert refused.status_code == 400
        assert refused.json() == {
            "error": "Task size 17 is larger than maximum input batch size 16"
        }


def test_a_request_under_way_is_answered_when_the_server_is_told_to_stop(
    saved_models: Path, tmp_path: Path
) -> None:
    alone = {**BATCHING, "SAGEMAKER_TFS_BATCH_TIMEOUT_MICROS": "800000"}
    with running(saved_models, tmp_path, alone) as server, ThreadPoolExecutor(1) as pool:
        # Alone in its batch, a request takes 0.8 s.
        answer = pool.submit(invoke, server, {"instances": [1.0]})
        front = psutil.Process(server.pid)
        until(lambda: any(c.status == "ESTABLISHED" for c in front.net_connections("tcp")))
        # Accepted is not yet read, and nothing outside tells when it is.
        time.sleep(0.5)
        server.stop()
        assert answer.result().json() == {"predictions": [1.0]}


def invoke(server: ModelServer, body: object) -> requests.Response:
    return requests.post(f"{server.place.url}/invocations", json=body, timeout=60)

"""A model server as seen by the program that starts it."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import psutil

from local_aws.process import Fork, end_descendants, popen
from sagemaker_serving.errors import Failure
from sagemaker_serving.model_server.fork_client import ContainerForks, minimal_environment
from sagemaker_serving.model_server.places import Place
from sagemaker_serving.model_server.ports import listen, listen_privately
from sagemaker_serving.model_server.programs import VERSIONED, Program

PING_TIMEOUT_SECONDS = 2.0
"""How long SageMaker waits for an answer to /ping
(docs.aws.amazon.com/sagemaker/latest/dg/your-algorithms-inference-code.html)."""

SAFE_PORT_RANGE = "9000-9999"
"""The ports of multi-model mode where the environment names none: enough for 449 models.
SageMaker sets a range of its own choice."""

_POLL_SECONDS = 0.05
_STOP_POLL_SECONDS = 0.01
_TAIL_BYTES = 64 * 1024


class ServerNotHealthy(Failure):
    """A model server ended or stayed unhealthy; ``log_lines`` are its last words."""

    def __init__(self, message: str, log_lines: list[str]) -> None:
        super().__init__(message)
        self.log_lines = log_lines


class ModelServer:
    """One running container: the front's process and all it started.

    It ends with this process, however this process ends; `stop` ends it
    sooner.
    """

    def __init__(
        self,
        process: Fork | subprocess.Popen[bytes],
        place: Place,
        log_path: Path,
        parent_fd: int,
        scratch: Path,
    ) -> None:
        self._process = process
        self._scratch = scratch
        self._parent_fd: int | None = parent_fd
        self.place = place
        self.pid = process.pid
        self.log_path = log_path

    @classmethod
    def start(
        cls,
        model_dir: Path,
        *,
        environment: Mapping[str, str],
        log_path: Path,
        port: int | None = None,
        container_version: str | None = None,
        program: str = Program.TENSORFLOW,
        command: str = "",
        fork_server: ContainerForks | None = None,
    ) -> Self:
        """Start a server of ``model_dir`` (a folder or a model.tar.gz) without waiting for it.

        ``environment`` is the container's; to it only PATH, LANG and TMPDIR
        are added (and by the server HOME, OMP_NUM_THREADS, TF_CPP_MIN_LOG_LEVEL and
        TF_ENABLE_ONEDNN_OPTS; in multi-model mode, as by the platform,
        `SAFE_PORT_RANGE`), nothing else of this process, credentials least of
        all. Its log is appended to ``log_path``. It listens on ``port`` of
        127.0.0.1, 0 taking a free one; without a ``port`` on a Unix socket that
        only this user can reach; `place` is right at once. ``container_version`` is the
        image's framework version, None the newest; it says nothing to other
        programs than TensorFlow's. ``program`` is one of `Program`; ``command`` is what
        `Program.COMMAND` runs, by the shell, and it has no ``port``. With a ``fork_server``
        TensorFlow's is a fork where it can be. Raises `Mistake` when the port is in use.
        """
        scratch = Path(tempfile.mkdtemp(prefix="sagemaker-serving-"))
        try:
            public, place = _listening(port, scratch)
        except BaseException:
            scratch.rmdir()
            raise
        their_parent_pipe, parent_fd = os.pipe()
        try:
            with public, log_path.open("ab") as log:
                module, *own = _server(program, container_version, command)
                own += [f"--model-dir={model_dir.absolute()}", f"--scratch={scratch}"]
                whole = {**minimal_environment(), **_platform_s(environment), **environment}
                process: Fork | subprocess.Popen[bytes] | None = None
                if fork_server is not None and program == Program.TENSORFLOW:
                    process = fork_server.begin_container(
                        own,
                        environment=whole,
                        public=public.fileno(),
                        parent=their_parent_pipe,
                        output=log.fileno(),
                    )
                if process is None:
                    process = popen(
                        [
                            *(sys.executable, "-I", "-m", module, *own),
                            f"--socket-fd={public.fileno()}",
                            f"--parent-fd={their_parent_pipe}",
                        ],
                        env=whole,
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=subprocess.STDOUT,
                        pass_fds=(public.fileno(), their_parent_pipe),
                    )
                return cls(process, place, log_path, parent_fd, scratch)
        except BaseException:
            os.close(parent_fd)
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        finally:
            os.close(their_parent_pipe)

    def poll(self) -> int | None:
        """The exit status; None while the server runs."""
        return self._process.poll()

    def ping(self, within_seconds: float = PING_TIMEOUT_SECONDS) -> bool:
        """Whether GET /ping answers 200 in time; one that starts does not answer."""
        connection = self.place.connection(within_seconds)
        try:
            connection.request("GET", "/ping")
            return connection.getresponse().status == 200
        except (http.client.HTTPException, OSError):
            return False
        finally:
            connection.close()

    def wait_until_healthy(self, deadline_seconds: float) -> None:
        """Wait until /ping answers 200.

        Raises `ServerNotHealthy` as soon as the server ends, or when it is not
        healthy after ``deadline_seconds``.
        """
        deadline = time.monotonic() + deadline_seconds
        while not self.ping():
            status = self.poll()
            if status is not None:
                raise self._not_healthy(f"the model server ended with status {status}")
            if time.monotonic() >= deadline:
                raise self._not_healthy(
                    f"the model server did not answer /ping within {deadline_seconds:g} s"
                )
            time.sleep(_POLL_SECONDS)

    def last_log_lines(self, count: int = 20) -> list[str]:
        """The last ``count`` lines of the log that are not blank."""
        with self.log_path.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _TAIL_BYTES))
            text = log.read().decode(errors="replace")
        return [line for line in text.splitlines() if line.strip()][-count:]

    def memory_bytes(self) -> int:
        """Memory of all the server's processes, shared pages counted once; 0 once it has ended."""
        try:
            front = psutil.Process(self.pid)
            processes = [front, *front.children(recursive=True)]
        except psutil.NoSuchProcess:
            return 0
        return sum(map(memory_share, processes))

    def stop(self, grace_seconds: float = 2.0) -> None:
        """End every process of the server; what is left after ``grace_seconds`` is killed."""
        if self._parent_fd is None:
            return
        self._process.terminate()
        if self._process.returncode is None:
            deadline = time.monotonic() + grace_seconds
            while not self._has_ended() and time.monotonic() < deadline:
                time.sleep(_STOP_POLL_SECONDS)
            if not self._has_ended():
                end_descendants(self.pid)
            # A child is not reaped yet, so the group's number cannot be anybody else's.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
        os.close(self._parent_fd)
        self._parent_fd = None
        # The front removes it, unless it was killed.
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _has_ended(self) -> bool:
        """Whether the front has ended; a child is not reaped, unless another thread was quicker."""
        if isinstance(self._process, Fork):
            return self._process.poll() is not None
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.pid, flags) is not None
        except ChildProcessError:
            return True

    def _not_healthy(self, message: str) -> ServerNotHealthy:
        lines = self.last_log_lines()
        return ServerNotHealthy(f"{message}; its log ends:\n" + "\n".join(lines), lines)


def _listening(port: int | None, scratch: Path) -> tuple[socket.socket, Place]:
    if port is None:
        path = scratch / "front.sock"
        return listen_privately(path), Place(socket_path=path)
    public = listen(port)
    return public, Place(port=public.getsockname()[1])


def _server(program: str, container_version: str | None, command: str) -> list[str]:
    """The module that is run, and what it alone is told."""
    if program == Program.STUB:
        return ["sagemaker_serving.model_server.stub"]
    if program == Program.TRITON:
        return ["sagemaker_serving.model_server.triton"]
    if program == Program.COMMAND:
        return ["sagemaker_serving.model_server.command", f"--command={command}"]
    if program in (Program.RAY_SERVE, Program.RAY_SERVE_STREAMING):
        return ["sagemaker_serving.model_server.ray_serve", f"--program={program}"]
    is_told = container_version is not None and program in VERSIONED
    version = [f"--container-version={container_version}"] if is_told else []
    if program != Program.TENSORFLOW:
        return ["sagemaker_serving.model_server.mms", f"--program={program}", *version]
    return ["sagemaker_serving.model_server", *version]


def _platform_s(environment: Mapping[str, str]) -> dict[str, str]:
    """What SageMaker sets beside the user's own variables, and the container cannot do without."""
    multi_model = environment.get("SAGEMAKER_MULTI_MODEL", "").lower() == "true"
    return {"SAGEMAKER_SAFE_PORT_RANGE": SAFE_PORT_RANGE} if multi_model else {}


def memory_share(process: psutil.Process) -> int:
    """Resident memory, of shared pages the process's part; all of them where only Linux tells."""
    try:
        if psutil.LINUX:
            return int(process.memory_full_info().pss)
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0

"""``python -m …fork_server``: import TensorFlow once, then fork a container at each request."""

from __future__ import annotations

import argparse
import gc
import json
import os
import select
import signal
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress

import sagemaker_serving.model_server.engine.__main__
import sagemaker_serving.model_server.engine_forks.__main__  # noqa: F401
from local_aws.garbage import collect_seldom
from sagemaker_serving.model_server.__main__ import main as serve
from sagemaker_serving.model_server.engine.process import import_tensorflow
from sagemaker_serving.model_server.fork_client import READY, SIZE, read_exactly
from sagemaker_serving.model_server.forking import fork
from sagemaker_serving.model_server.logs import start_logging


def main() -> None:
    """Fork until the other end of the socket is closed."""
    parser = argparse.ArgumentParser(prog="fork_server")
    parser.add_argument("--socket-fd", type=int, required=True)
    asking = socket.socket(fileno=parser.parse_args().socket_fd)
    start_logging()
    collect_seldom()
    import_tensorflow()
    # What has been imported is nobody's garbage: collecting would copy the pages that forks share.
    gc.collect()
    gc.freeze()
    asking.sendall(READY)
    _Forks(asking).run()


class _Forks:
    """Begins containers, and says how they ended."""

    def __init__(self, asking: socket.socket) -> None:
        self._asking = asking
        self._tell: dict[int, int] = {}
        """Where the status of each is to be written, by its process id."""

    def run(self) -> None:
        """Until nobody can ask any more."""
        waking, wake = os.pipe()
        os.set_blocking(waking, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poll = select.poll()
        for descriptor in (self._asking.fileno(), waking):
            poll.register(descriptor, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == waking:
                    os.read(waking, 512)
                    self._tell_ends()
                elif not self._begin():
                    return

    def _begin(self) -> bool:
        """Carry out one request; False when there will be no more."""
        size, received, _, _ = socket.recv_fds(self._asking, SIZE.size, 4)
        if not size:
            return False
        for descriptor in received:
            os.set_inheritable(descriptor, False)
        request = json.loads(read_exactly(self._asking, SIZE.unpack(size)[0]))
        tell, *given = received
        pid = fork(lambda: _be_a_container(given, **request), keep=given)
        for descriptor in given:
            os.close(descriptor)
        self._tell[pid] = tell
        self._asking.sendall(SIZE.pack(pid))
        return True

    def _tell_ends(self) -> None:
        for pid, tell in list(self._tell.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with suppress(BrokenPipeError):
                    os.write(tell, str(os.waitstatus_to_exitcode(status)).encode())
                os.close(tell)
                del self._tell[pid]


def _be_a_container(
    given: Sequence[int], *, arguments: list[str], environment: Mapping[str, str]
) -> int:
    public, parent, output = given
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(environment)
    return serve([*arguments, f"--socket-fd={public}", f"--parent-fd={parent}"])


if __name__ == "__main__":
    main()

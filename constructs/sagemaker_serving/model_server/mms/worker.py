"""``python -m …server.mms.worker``: the model and the user's code, one request at a time.

gunicorn's sync workers do what the real front does with its own: each loads the
model for itself, answers one request after another, is ended when one takes too
long, and is started again when it dies.
"""

from __future__ import annotations

import argparse
import json
import logging
import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeGuard

from gunicorn.arbiter import Arbiter
from gunicorn.errors import HaltServer

from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.logs import start_logging
from sagemaker_serving.model_server.mms.loading import (
    NO_MEMORY,
    RAISED,
    contract_of,
    load_service,
)
from sagemaker_serving.model_server.own_gunicorn import Gunicorn
from sagemaker_serving.model_server.parent_watch import add_child_arguments, exit_at_end_of, report
from sagemaker_serving.model_server.programs import PACKAGES, Program
from sagemaker_serving.model_server.toolkit.service import Request, Service
from sagemaker_serving.model_server.toolkit.settings import Settings, read_settings

log = logging.getLogger("worker")

_TOLD = 500
"""Characters of an exception's message that are told; its whole text stands above in the log."""

HEADERS_AS_SENT = "HTTP_X_HEADERS_AS_SENT"
"""Where the front puts the caller's headers, in JSON: WSGI forgets how they were spelt."""

_SIGN_OF_LIFE_SECONDS = 1.0


def main() -> int:
    """Serve until SIGTERM."""
    arguments = _arguments()
    exit_at_end_of(arguments.parent_fd)
    start_logging()
    report(arguments.report_fd, event="started")
    settings = read_settings(
        os.environ, contract_of(arguments.program, arguments.container_version)
    )
    gunicorn = Gunicorn(
        lambda: _application(arguments, settings),
        bind=f"unix:{arguments.socket_path}",
        workers=arguments.workers,
        timeout=settings.response_timeout_seconds,
        limit_request_field_size=0,
        loglevel="warning",
        control_socket_disable=True,
        pre_fork=lambda server, worker: setattr(worker, "was_ready", _Flag()),
        post_fork=lambda server, worker: _begin(arguments, worker),
        post_worker_init=lambda worker: _ready(arguments, worker),
        child_exit=lambda server, worker: _ended(arguments, worker),
    )
    try:
        gunicorn.run()
    except HaltServer as halted:  # a worker failed to load, and was told to end as well
        return int(halted.exit_status)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="worker")
    add_child_arguments(parser)
    parser.add_argument("--socket-path", required=True)
    parser.add_argument("--program", type=Program, required=True)
    parser.add_argument("--model-dir", type=Path, required=True)
    parser.add_argument("--model-name", required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--container-version")
    parser.add_argument("--last-path", help="where modules are looked for at the end")
    return parser.parse_args()


def _application(arguments: argparse.Namespace, settings: Settings) -> Any:
    """The model as a WSGI application; a model that does not load ends the container's start."""
    try:
        # As in the image: paths without a folder are the model's.
        os.chdir(arguments.model_dir)
        if arguments.last_path is not None:
            sys.path.append(arguments.last_path)
        service = load_service(
            arguments.program,
            arguments.model_dir,
            settings,
            arguments.scratch,
            model_name=arguments.model_name,
            container_version=arguments.container_version,
        )
    except ReportedError as error:
        report(arguments.report_fd, event="failed", reason=str(error))
        sys.exit(Arbiter.WORKER_BOOT_ERROR)
    except Exception as error:
        log.exception("the model cannot be loaded")
        # In one line, as the last lines of a log are quoted: XGBoost's errors end in its stack.
        told = " ".join(str(error).split())[:_TOLD]
        reason = f"the model cannot be loaded: {type(error).__name__}: {told}{_advice(error)}"
        report(arguments.report_fd, event="failed", reason=reason, kind=_kind(error))
        sys.exit(Arbiter.WORKER_BOOT_ERROR)
    return _wsgi(service)


def _kind(error: Exception) -> str:
    """How TorchServe's worker tells this failure of a load (``model_service_worker.py``)."""
    if isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "CUDA" in str(error)):
        return NO_MEMORY
    return RAISED if isinstance(error, RuntimeError) else ""


def _advice(error: Exception) -> str:
    """What to do about a package that the image has and this machine has not."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    package = _OF_IMAGES.get(name or "")
    return "" if package is None else f"; the image has it: pip install {package}"


_OF_IMAGES = {
    **dict.fromkeys(("torch", "sagemaker_inference"), "'sagemaker-serving[torch]'"),
    **PACKAGES,
}


def _wsgi(service: Service) -> Callable[[dict[str, Any], Any], Iterable[bytes]]:
    def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        answer = service.answer(
            Request(headers=json.loads(environ[HEADERS_AS_SENT]), body=environ["wsgi.input"].read())
        )
        headers = [("Content-Length", str(len(answer.body)))]
        if _is_header(answer.content_type):
            headers.append(("Content-Type", answer.content_type))
        start_response(f"{answer.status} {_phrase(answer.status)}", headers)
        return [answer.body]

    return application


def _is_header(value: object) -> TypeGuard[str]:
    """Whether a function's own content type can be sent at all."""
    return isinstance(value, str) and value.isascii() and value.isprintable()


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _begin(arguments: argparse.Namespace, worker: Any) -> None:
    """What a new worker does first; while it loads its model nobody takes it for hung."""
    exit_at_end_of(arguments.parent_fd)
    worker.loaded = threading.Event()

    def signs_of_life() -> None:
        while not worker.loaded.wait(_SIGN_OF_LIFE_SECONDS):
            worker.notify()

    threading.Thread(target=signs_of_life, daemon=True).start()


def _ready(arguments: argparse.Namespace, worker: Any) -> None:
    worker.loaded.set()
    # A worker that is ended for taking too long must not answer with gunicorn's page.
    signal.signal(signal.SIGABRT, signal.SIG_DFL)
    worker.was_ready.set()
    report(arguments.report_fd, event="ready")


def _ended(arguments: argparse.Namespace, worker: Any) -> None:
    """A worker that ends while it loads has failed, as one that raises: nobody waits for more."""
    if not worker.was_ready.is_set():
        reason = "the model cannot be loaded: its code ended the process"
        report(arguments.report_fd, event="failed", reason=reason)


class _Flag:
    """A bit that a worker sets and gunicorn reads: a page of memory that they share."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, 1)

    def set(self) -> None:
        self._page[0] = 1

    def is_set(self) -> bool:
        return self._page[0] == 1


if __name__ == "__main__":
    sys.exit(main())

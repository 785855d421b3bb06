"""``python -m …server.handler``: import the user's code, then serve it with gunicorn."""

# The parent_pipe takes the thread functions as they are now: a patched thread would block all.
from sagemaker_serving.model_server.parent_watch import add_child_arguments, exit_at_end_of, report

# As in the image: everything that follows, the user's code too, is cooperative.
import gevent.monkey  # isort: skip

gevent.monkey.patch_all()

import argparse  # noqa: E402
import json  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

from sagemaker_serving.model_server.contract import CONTRACTS, Contract  # noqa: E402
from sagemaker_serving.model_server.engine_forks.client import EngineForksClient  # noqa: E402
from sagemaker_serving.model_server.generations import Generation  # noqa: E402
from sagemaker_serving.model_server.handler.answering import Handlers  # noqa: E402
from sagemaker_serving.model_server.handler.imports import import_as_the_image  # noqa: E402
from sagemaker_serving.model_server.handler.models import Served, models_application  # noqa: E402
from sagemaker_serving.model_server.handler.service import Upstream, application  # noqa: E402
from sagemaker_serving.model_server.handler.user_code import load_handlers  # noqa: E402
from sagemaker_serving.model_server.logs import start_logging  # noqa: E402
from sagemaker_serving.model_server.own_gunicorn import Gunicorn  # noqa: E402
from sagemaker_serving.model_server.settings import Settings, read_settings  # noqa: E402

log = logging.getLogger("handler")


def main() -> int:
    """Serve until SIGTERM; gunicorn's 3 when a worker cannot import the user's code.

    The reason is reported then.
    """
    arguments = _arguments()
    exit_at_end_of(arguments.parent_fd)
    start_logging()
    settings = read_settings(os.environ)
    contract = CONTRACTS[arguments.generation]
    import_as_the_image(arguments.container_version, os.environ["PYTHONPATH"].split(os.pathsep))
    report(arguments.report_fd, event="started")
    Gunicorn(
        lambda: _application(arguments, settings, contract),
        bind=f"unix:{arguments.socket_path}",
        worker_class=settings.gunicorn.worker_class,
        workers=settings.gunicorn.workers,
        threads=settings.gunicorn.threads,
        timeout=settings.gunicorn.timeout_seconds,
        loglevel=settings.gunicorn.loglevel,
        control_socket_disable=True,
        post_fork=lambda server, worker: exit_at_end_of(arguments.parent_fd),
        post_worker_init=lambda worker: report(arguments.report_fd, event="ready"),
    ).run()
    return 0


def _application(arguments: argparse.Namespace, settings: Settings, contract: Contract) -> Any:
    """Made in each of gunicorn's workers, as the image's: what user code opens is not forked."""
    handlers = _imported(arguments)
    if arguments.engine_forks_path is not None:
        served = Served(
            folder=arguments.model_dir,
            wait_seconds=contract.wait_time(settings),
            batching=settings.batching is not None,
        )
        wait = contract.multi_model.waits(settings.gunicorn.workers)
        return models_application(
            served, EngineForksClient(arguments.engine_forks_path, wait), handlers, contract
        )
    upstream = Upstream(
        rest_ports=arguments.rest_ports,
        grpc_ports=arguments.grpc_ports,
        default_model=arguments.default_model,
        timeout_seconds=contract.wait_time(settings),
    )
    return application(upstream, handlers, contract.handler)


def _imported(arguments: argparse.Namespace) -> Handlers:
    script: Path | None = arguments.script
    try:
        return None if script is None else load_handlers(script)
    except Exception as error:
        log.exception("code/inference.py cannot be imported")
        reason = f"code/inference.py: {type(error).__name__}: {error}"
        report(arguments.report_fd, event="failed", reason=reason)
        raise


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="handler")
    add_child_arguments(parser)
    parser.add_argument("--socket-path", required=True)
    parser.add_argument("--script", type=Path, help="inference.py; absent: the default handler")
    parser.add_argument("--model-dir", type=Path, required=True)
    parser.add_argument("--rest-ports", type=json.loads, help="the engines', in single-model mode")
    parser.add_argument("--grpc-ports", type=json.loads, help="the same, for gRPC")
    parser.add_argument("--default-model", help="in single-model mode")
    parser.add_argument(
        "--engine-forks-path", type=Path, help="its unix socket, in multi-model mode"
    )
    parser.add_argument("--generation", type=Generation, required=True)
    parser.add_argument("--container-version", help="absent: the newest")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

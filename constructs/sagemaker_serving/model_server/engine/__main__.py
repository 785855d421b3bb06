"""``python -m …server.engine``: load the models, then answer on the REST port."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import socket
from collections.abc import Sequence

from local_aws.garbage import collect_seldom
from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.engine.process import import_tensorflow, load, serve
from sagemaker_serving.model_server.logs import start_logging
from sagemaker_serving.model_server.parent_watch import add_child_arguments, exit_at_end_of, report
from sagemaker_serving.model_server.settings import read_settings


def main(command_line: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM; 1 when a model cannot be loaded, with the reason reported."""
    arguments = _arguments(command_line)
    exit_at_end_of(arguments.parent_fd)
    start_logging()
    collect_seldom()
    import_tensorflow()
    report(arguments.report_fd, event="started")
    settings = read_settings(os.environ)
    try:
        registry = load(arguments.models, settings)
    except ReportedError as error:
        report(arguments.report_fd, event="failed", reason=str(error))
        return 1
    asyncio.run(
        serve(
            registry,
            settings,
            socket.socket(fileno=arguments.socket_fd),
            grpc_listener=None
            if arguments.grpc_socket_fd is None
            else socket.socket(fileno=arguments.grpc_socket_fd),
            link_path=arguments.link_path,
            ready=lambda: report(arguments.report_fd, event="ready"),
        )
    )
    return 0


def _arguments(command_line: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="engine")
    add_child_arguments(parser)
    parser.add_argument("--socket-fd", type=int, required=True)
    parser.add_argument("--grpc-socket-fd", type=int)
    parser.add_argument("--link-path", required=True)
    parser.add_argument(
        "--models", type=json.loads, required=True, help='{"name": {"1": "/folder"}}'
    )
    return parser.parse_args(command_line)


if __name__ == "__main__":
    status = main()
    logging.shutdown()
    # Tearing TensorFlow down takes a second, and nothing is left to be saved.
    os._exit(status)

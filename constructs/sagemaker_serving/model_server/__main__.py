"""``python -m sagemaker_serving.model_server``: the container as a program.

The container's environment is this process's own. stdout and stderr are its
log; when the start fails, the last line says why and the status is not 0.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import socket
import sys
import tempfile
from pathlib import Path

from local_aws.process import ending_all, raise_file_limit
from sagemaker_serving.errors import ReportedError
from sagemaker_serving.model_server.logs import start_logging
from sagemaker_serving.model_server.mms import supervisor as mms
from sagemaker_serving.model_server.orphans import reap_orphans_as_they_end
from sagemaker_serving.model_server.ports import listen
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.supervisor import serve

log = logging.getLogger("front")


def main() -> int:
    """Serve until told to stop (status 0); 2 for the user's mistake, 1 for other failures."""
    arguments = _arguments()
    start_logging()
    raise_file_limit()
    try:
        public = (
            listen(arguments.port)
            if arguments.socket_fd is None
            else socket.socket(fileno=arguments.socket_fd)
        )
        with ending_all():
            asyncio.run(_serve(arguments, public))
    except ReportedError as error:
        log.error("%s", error)
        return error.exit_status
    return 0


async def _serve(arguments: argparse.Namespace, public: socket.socket) -> None:
    reap_orphans_as_they_end()
    model, scratch, parent_fd = arguments.model_dir, _scratch(arguments), arguments.parent_fd
    if arguments.program is Program.TENSORFLOW:
        version = arguments.container_version
        await serve(model, public, scratch, container_version=version, parent_fd=parent_fd)
    else:
        await mms.serve(model, public, scratch, program=arguments.program, parent_fd=parent_fd)


def _scratch(arguments: argparse.Namespace) -> Path:
    given: Path | None = arguments.scratch
    return Path(tempfile.mkdtemp(prefix="sagemaker-serving-")) if given is None else given


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sagemaker_serving.model_server")
    parser.add_argument(
        "--model-dir", type=Path, required=True, help="a model's folder or model.tar.gz"
    )
    place = parser.add_mutually_exclusive_group(required=True)
    place.add_argument("--port", type=int, help="on 127.0.0.1; 0 takes a free one")
    place.add_argument("--socket-fd", type=int, help="a listening socket instead")
    parser.add_argument("--program", type=Program, default=Program.TENSORFLOW)
    parser.add_argument("--container-version", help="framework version; absent: the newest")
    parser.add_argument("--scratch", type=Path, help="an empty folder to use and remove")
    parser.add_argument("--parent-fd", type=int, help="end when this descriptor does")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

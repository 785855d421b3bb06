"""``python -m sagemaker_serving.model_server``: TensorFlow's container as a program."""

from __future__ import annotations

import argparse
import socket
import sys
from pathlib import Path

from sagemaker_serving.model_server import supervisor
from sagemaker_serving.model_server.entry import container_arguments, run


def main() -> int:
    """Serve until told to stop; the exit status is that of `run`."""
    parser = container_arguments("sagemaker_serving.model_server")
    parser.add_argument("--container-version", help="framework version; absent: the newest")
    return run(parser.parse_args(), _serve)


async def _serve(arguments: argparse.Namespace, public: socket.socket, scratch: Path) -> None:
    await supervisor.serve(
        arguments.model_dir,
        public,
        scratch,
        container_version=arguments.container_version,
        parent_fd=arguments.parent_fd,
    )


if __name__ == "__main__":
    sys.exit(main())

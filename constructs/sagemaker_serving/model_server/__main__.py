"""``python -m sagemaker_serving.model_server``: TensorFlow's container as a program."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.supervisor import serve


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve as the arguments say, by default those of the command line; the exit status."""
    parser = container_arguments("sagemaker_serving.model_server")
    parser.add_argument("--container-version", help="framework version; absent: the newest")
    return run(parser.parse_args(arguments), serve, "container_version")


if __name__ == "__main__":
    sys.exit(main())

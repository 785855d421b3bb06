"""``python -m sagemaker_serving.model_server``: TensorFlow's container as a program."""

from __future__ import annotations

import sys

from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.supervisor import serve

if __name__ == "__main__":
    parser = container_arguments("sagemaker_serving.model_server")
    parser.add_argument("--container-version", help="framework version; absent: the newest")
    sys.exit(run(parser.parse_args(), serve, "container_version"))

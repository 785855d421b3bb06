"""``python -m sagemaker_serving.model_server.ray_serve``: Ray Serve's container as a program."""

from __future__ import annotations

import sys

from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.programs import Program
from sagemaker_serving.model_server.ray_serve.supervisor import serve

if __name__ == "__main__":
    parser = container_arguments("sagemaker_serving.model_server.ray_serve")
    parser.add_argument("--program", type=Program, required=True)
    sys.exit(run(parser.parse_args(), serve, "program"))

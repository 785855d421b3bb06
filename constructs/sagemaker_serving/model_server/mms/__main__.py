"""``python -m sagemaker_serving.model_server.mms``: PyTorch's or Neo's container as a program."""

from __future__ import annotations

import sys

from sagemaker_serving.model_server.entry import container_arguments, run
from sagemaker_serving.model_server.mms.supervisor import serve
from sagemaker_serving.model_server.programs import Program

if __name__ == "__main__":
    parser = container_arguments("sagemaker_serving.model_server.mms")
    parser.add_argument("--program", type=Program, required=True)
    parser.add_argument("--container-version", help="PyTorch's version; absent: the newest")
    sys.exit(run(parser.parse_args(), serve, "program", "container_version"))

"""``python -m …fork_server``: import TensorFlow once, then fork a container at each request."""

from __future__ import annotations

import gc
import os
import socket
import sys
from collections.abc import Mapping, Sequence

import sagemaker_serving.model_server.engine.__main__
import sagemaker_serving.model_server.engine_forks.__main__  # noqa: F401
from local_aws.garbage import collect_seldom
from local_aws.process import forking
from sagemaker_serving.model_server.__main__ import main as serve
from sagemaker_serving.model_server.engine.process import import_tensorflow
from sagemaker_serving.model_server.logs import start_logging


def main() -> None:
    """Fork until the other end of the socket, the last argument, is closed."""
    asking = socket.socket(fileno=int(sys.argv[-1]))
    start_logging()
    collect_seldom()
    import_tensorflow()
    # What has been imported is nobody's garbage: collecting would copy the pages that forks share.
    gc.collect()
    gc.freeze()
    if (asked := forking.serve(asking)) is not None:
        request, given = asked
        forking.live(lambda: _be_a_container(given, **request), keep=given)


def _be_a_container(
    given: Sequence[int], *, arguments: list[str], environment: Mapping[str, str]
) -> int:
    public, parent, output = given
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.clear()
    os.environ.update(environment)
    return serve([*arguments, f"--socket-fd={public}", f"--parent-fd={parent}"])


if __name__ == "__main__":
    main()

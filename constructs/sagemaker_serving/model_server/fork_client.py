"""Asking for containers, from the local SageMaker."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence

from local_aws.process import Fork, ForkServer
from sagemaker_serving.model_server.variables import TENSORFLOW_VARIABLES

_OF_THE_CONTAINER = ("SAGEMAKER_", "AWS_")
"""What begins so is read by the container, and by none of the libraries that TensorFlow loads: so
says getenv(3), where all its names were written down while they were imported."""


class ContainerForks(ForkServer):
    """The process that has TensorFlow, from the first container that asks for one."""

    def __init__(self) -> None:
        module = "sagemaker_serving.model_server.fork_server"
        super().__init__(
            [sys.executable, "-I", "-m", module],
            {**minimal_environment(), **TENSORFLOW_VARIABLES},
        )

    def begin_container(
        self,
        arguments: Sequence[str],
        *,
        environment: Mapping[str, str],
        public: int,
        parent: int,
        output: int,
    ) -> Fork | None:
        """A container with this environment, on the listening socket ``public``.

        It ends when the pipe ``parent`` does; its log goes to ``output``. None: it has to be a
        process of its own, for a variable that TensorFlow may have read before, or because
        TensorFlow is not here, or cannot be imported.
        """
        if not self._is_shared(environment) or importlib.util.find_spec("tensorflow") is None:
            return None
        request = {"arguments": list(arguments), "environment": dict(environment)}
        return self.begin(request, [public, parent, output])

    def _is_shared(self, environment: Mapping[str, str]) -> bool:
        """Whether TensorFlow would have been imported alike with this environment."""
        return all(
            name.startswith(_OF_THE_CONTAINER) or self._environment.get(name) == value
            for name, value in environment.items()
        )


def minimal_environment() -> dict[str, str]:
    """What every container has of this process's environment."""
    minimal = {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
    if "TMPDIR" in os.environ:
        minimal["TMPDIR"] = os.environ["TMPDIR"]
    return minimal

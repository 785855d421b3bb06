"""A variant that runs nothing: inference components share its instances, or engines are off."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.containers.container import Container
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer
from sagemaker_serving.local_sagemaker.hosting.host import Invocation

NEEDS_COMPONENT = (
    "Inference Component Name header is required for endpoints to which you plan to "
    "deploy inference components."
)


class Bare:
    """Refuses every request with ``refusal``, which is in words of our own.

    Its ``containers`` are prepared as if they were to be started, after ``check``, which raises
    `ContainerFailed` where there can be no instances.
    """

    def __init__(
        self,
        refusal: str,
        containers: Sequence[Container] = (),
        *,
        check: Callable[[], None] = lambda: None,
    ) -> None:
        self.containers = containers
        self._refusal = refusal
        self._check = check

    @property
    def restarts(self) -> int:
        """None."""
        return 0

    def start(self, deadline_seconds: float) -> None:
        """Without waiting for anything to be healthy; raises `ContainerFailed`."""
        self._check()
        for container in self.containers:
            container.prepare()

    def ask(self, invocation: Invocation) -> ModelAnswer:
        """Raises ValidationError."""
        raise AwsError("ValidationError", self._refusal)

    def kill(self) -> None:
        """Nothing to end."""

    def rest(self) -> None:
        """Nothing to end."""

    def wake(self, deadline_seconds: float) -> None:
        """Nothing to start."""

    def stop(self) -> None:
        """Remove what was unpacked."""
        for container in self.containers:
            container.stop()

"""A variant without a model of its own: inference components share its instances."""

from __future__ import annotations

from collections.abc import Sequence

from local_aws.protocol import AwsError
from sagemaker_serving.local_sagemaker.containers.container import Container
from sagemaker_serving.local_sagemaker.containers.model_client import ModelAnswer
from sagemaker_serving.local_sagemaker.hosting.host import Invocation


class Bare:
    """Runs nothing itself; a request that names no component is refused, in words of our own."""

    @property
    def containers(self) -> Sequence[Container]:
        """None."""
        return []

    @property
    def restarts(self) -> int:
        """None."""
        return 0

    def start(self, deadline_seconds: float) -> None:
        """At once."""

    def ask(self, invocation: Invocation) -> ModelAnswer:
        """Raises ValidationError."""
        raise AwsError(
            "ValidationError",
            "Inference Component Name header is required for endpoints to which you plan to "
            "deploy inference components.",
        )

    def kill(self) -> None:
        """Nothing to end."""

    def rest(self) -> None:
        """Nothing to end."""

    def wake(self, deadline_seconds: float) -> None:
        """Nothing to start."""

    def stop(self) -> None:
        """Nothing to end."""

"""What a handler is told about its request."""

from __future__ import annotations

from typing import NamedTuple, NoReturn

DEFAULT_CONTENT_TYPE = "application/json"
DEFAULT_ACCEPT = "application/json"


class NoChannel:
    """Stands where the container has a gRPC channel; says so as soon as it is used."""

    def __getattr__(self, name: str) -> NoReturn:
        raise RuntimeError(
            f"context.channel.{name}: this server offers no gRPC; post to context.rest_uri instead"
        )

    def __repr__(self) -> str:
        return "<no gRPC channel on this machine>"


class Context(NamedTuple):
    """The second argument of every handler: eleven fields since image 2.20."""

    model_name: str | None
    """tfs-model-name of the request; None when it names none."""

    model_version: str | None
    method: str | None

    rest_uri: str
    """Where TensorFlow Serving's REST API answers this request's model and method."""

    grpc_port: str
    channel: NoChannel
    custom_attributes: str | None
    request_content_type: str
    accept_header: str
    content_length: int | None
    timeout: int
    """Seconds that a call of ``rest_uri`` may take (SAGEMAKER_TFS_WAIT_TIME_SECONDS)."""

"""What a handler is told about its request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import grpc

DEFAULT_CONTENT_TYPE = "application/json"
DEFAULT_ACCEPT = "application/json"


class Context(NamedTuple):
    """The second argument of every handler since image 2.20."""

    model_name: str | None
    """tfs-model-name of the request; None when it names none."""

    model_version: str | None
    method: str | None

    rest_uri: str
    """Where TensorFlow Serving's REST API answers this request's model and method."""

    grpc_port: str | int
    """Where its gRPC API does; a text, and in multi-model mode a number."""

    channel: grpc.Channel | None
    """An insecure one to that port; None in multi-model mode."""

    custom_attributes: str | None
    request_content_type: str
    accept_header: str
    content_length: int | None
    timeout: int
    """Seconds that a call of ``rest_uri`` may take (SAGEMAKER_TFS_WAIT_TIME_SECONDS)."""

    def without_timeout(self) -> ContextTo219:
        """The same as older images have it."""
        return ContextTo219(*self[:-1])


class ContextTo219(NamedTuple):
    """The second argument of every handler up to image 2.19: ten fields, as in `Context`."""

    model_name: str | None
    model_version: str | None
    method: str | None
    rest_uri: str
    grpc_port: str | int
    channel: grpc.Channel | None
    custom_attributes: str | None
    request_content_type: str
    accept_header: str
    content_length: int | None


AnyContext = Context | ContextTo219

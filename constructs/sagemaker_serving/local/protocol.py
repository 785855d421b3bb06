"""How a part of the local AWS says no: an error as an AWS service answers it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


class AwsError(Exception):
    """An error of an AWS service: its code, its message, its HTTP status.

    Raised by a part of the local AWS and written by the gateway in the
    protocol of the service that was called (JSON 1.1, REST-JSON or query XML).
    ``members`` are those that the error's shape has beside its message.
    """

    members: Mapping[str, object] = MappingProxyType({})

    def __init__(self, code: str, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

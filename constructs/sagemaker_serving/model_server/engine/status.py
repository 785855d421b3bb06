"""TensorFlow's status codes, and how TF Serving's REST API answers them."""

from __future__ import annotations

from enum import Enum


class Code(Enum):
    """A status code: its number in TensorFlow and its HTTP status."""

    CANCELLED = (1, 499)
    UNKNOWN = (2, 500)
    INVALID_ARGUMENT = (3, 400)
    DEADLINE_EXCEEDED = (4, 504)
    NOT_FOUND = (5, 404)
    ALREADY_EXISTS = (6, 409)
    PERMISSION_DENIED = (7, 403)
    RESOURCE_EXHAUSTED = (8, 429)
    FAILED_PRECONDITION = (9, 400)
    ABORTED = (10, 409)
    OUT_OF_RANGE = (11, 400)
    UNIMPLEMENTED = (12, 501)
    INTERNAL = (13, 500)
    UNAVAILABLE = (14, 503)
    DATA_LOSS = (15, 500)
    UNAUTHENTICATED = (16, 401)

    @property
    def http_status(self) -> int:
        """The status of the HTTP answer."""
        return self.value[1]

    @classmethod
    def of(cls, number: int) -> Code:
        """The code with TensorFlow's ``number``; unknown numbers are UNKNOWN."""
        return next((code for code in cls if code.value[0] == number), cls.UNKNOWN)


class StatusError(Exception):
    """A request that ends with a status other than OK; the message is TF Serving's own text."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code.name}: {self.message}"


def invalid(message: str) -> StatusError:
    """An INVALID_ARGUMENT, the commonest of all: HTTP 400."""
    return StatusError(Code.INVALID_ARGUMENT, message)

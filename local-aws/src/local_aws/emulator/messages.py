"""Changes to the emulator's errors: each says what it says once."""

from __future__ import annotations

from functools import wraps
from typing import Any

from moto.core.serialize import BaseXMLSerializer


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    say_messages_once()


def say_messages_once() -> None:
    """In XML the emulator writes an error's text as Message and, by its model, as message.

    AWS sends the first only, whatever the model says: recorded by LocalStack's suite.
    """
    now = BaseXMLSerializer._serialize_error_metadata
    original = getattr(now, "__wrapped__", now)

    @wraps(original)
    def serialize(serializer: Any, serialized: Any, error: Any, shape: Any) -> None:
        original(serializer, serialized, error, shape)
        serialized.pop("message", None)

    BaseXMLSerializer._serialize_error_metadata = serialize

"""Changes to how the emulator writes answers: errors once, XML quickly, ids of requests quickly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4
from xml.sax.saxutils import escape, quoteattr

from moto.core import responses
from moto.core.serialize import BaseXMLSerializer

from local_aws.emulator.replacing import Original, replaces


def apply() -> None:
    """Apply every patch; a second time changes nothing more."""
    say_messages_once()
    write_quickly()


def say_messages_once() -> None:
    """In XML the emulator writes an error's text as Message and, by its model, as message.

    AWS sends the first only, whatever the model says: recorded by LocalStack's suite.
    """

    @replaces(BaseXMLSerializer, "_serialize_error_metadata")
    def serialize(
        original: Original, serializer: Any, serialized: Any, error: Any, shape: Any
    ) -> None:
        original(serializer, serialized, error, shape)
        serialized.pop("message", None)


def write_quickly() -> None:
    """Of the time that a page of a stack's events took, the emulator's way was 40 in 100.

    Each request's id it puts together of 52 letters that it draws one by one.
    """
    BaseXMLSerializer._serialize_body = lambda _, body: "".join(_written(body))
    responses.gen_amzn_requestid_long = _request_id


def _written(elements: dict[str, Any]) -> Iterator[str]:
    """XML of xmltodict's mappings: a list is an element each time, ``@`` begins an attribute."""
    for name, value in elements.items():
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, dict):
                attributes = "".join(
                    f" {key[1:]}={quoteattr(str(text))}"
                    for key, text in each.items()
                    if key[0] == "@"
                )
                within = {key: part for key, part in each.items() if key[0] not in "@#"}
                content = "".join(_written(within)) + escape(_text(each.get("#text")))
            else:
                attributes, content = "", escape(_text(each))
            yield f"<{name}{attributes}>{content}</{name}>" if content else f"<{name}{attributes}/>"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bytes | bytearray):
        return value.decode(errors="replace")
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _request_id(headers: dict[str, Any]) -> str:
    headers["x-amzn-requestid"] = made = str(uuid4())
    return made

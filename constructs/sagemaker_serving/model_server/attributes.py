"""tfs-model-name, tfs-model-version and tfs-method: routing by a request header.

Both paths of the container read ``X-Amzn-SageMaker-Custom-Attributes``, each
in its own way: the front as nginx's JavaScript does, the handler worker as the
Python service does. Images from 2.20 judge what they read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

CUSTOM_ATTRIBUTES_HEADER = "X-Amzn-SageMaker-Custom-Attributes"

METHODS = ("predict", "classify", "regress")
"""What tfs-method may be; absent, it is the first."""

_PAIR = re.compile(r"tfs-[a-z\-]+=[^,]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_VERSION = re.compile(r"[0-9]+")


class BadAttribute(ValueError):
    """A tfs-* attribute that the container refuses; ``attribute`` names it."""

    def __init__(self, attribute: str, detail: str = "") -> None:
        super().__init__(f"invalid {attribute}{detail}")
        self.attribute = attribute


class UnreadableAttributes(ValueError):
    """Attributes over which the Python service stumbles, and which it does not catch."""


@dataclass(frozen=True)
class Attributes:
    """The three attributes as they were given; None when absent."""

    model_name: str | None = None
    model_version: str | None = None
    method: str | None = None

    def path(self, default_model: str) -> str:
        """The REST path they lead to: ``/v1/models/NAME[/versions/V]:METHOD``."""
        method = METHODS[0] if self.method is None else self.method
        return f"{self.model_path(default_model)}:{method}"

    def model_path(self, default_model: str) -> str:
        """The same without the method: where the model tells its state."""
        name = default_model if self.model_name is None else self.model_name
        version = "" if self.model_version is None else f"/versions/{self.model_version}"
        return f"/v1/models/{name}{version}"


def front_attributes(header: str | None, *, judges_method: bool = True) -> Attributes:
    """What nginx's JavaScript reads: a pair with more than one ``=`` is ignored."""
    pairs = (match.split("=") for match in _PAIR.findall(header or ""))
    return _attributes({pair[0]: pair[1] for pair in pairs if len(pair) == 2})


def judged_front_attributes(header: str | None, *, judges_method: bool = True) -> Attributes:
    """The same, since 2.20: raises `BadAttribute` for a value outside its pattern.

    /ping does not look at the method (``make_tfs_uri(r, false)``).
    """
    return _judged(front_attributes(header), judges_method=judges_method)


def handler_attributes(header: str | None) -> Attributes:
    """What the Python service reads: raises `UnreadableAttributes` for a second ``=`` in a pair."""
    pairs = [match.split("=") for match in _PAIR.findall(header or "")]
    if any(len(pair) != 2 for pair in pairs):
        raise UnreadableAttributes
    return _attributes(dict(pairs))


def judged_handler_attributes(header: str | None) -> Attributes:
    """The same, since 2.20: only the first ``=`` of a pair divides it.

    Raises `BadAttribute`, whose text says more than the front's.
    """
    given = dict(match.split("=", 1) for match in _PAIR.findall(header or ""))
    try:
        return _judged(_attributes(given))
    except BadAttribute as bad:
        raise BadAttribute(bad.attribute, _DETAILS.get(bad.attribute, "")) from None


_DETAILS = {
    "tfs-model-version": ": must be a positive integer",
    "tfs-method": ": must be one of " + "|".join(METHODS),
}


def _attributes(given: Mapping[str, str]) -> Attributes:
    return Attributes(
        given.get("tfs-model-name"), given.get("tfs-model-version"), given.get("tfs-method")
    )


def _judged(attributes: Attributes, *, judges_method: bool = True) -> Attributes:
    if attributes.model_name is not None and not _NAME.fullmatch(attributes.model_name):
        raise BadAttribute("tfs-model-name")
    if attributes.model_version is not None and not _VERSION.fullmatch(attributes.model_version):
        raise BadAttribute("tfs-model-version")
    if judges_method and attributes.method not in (None, *METHODS):
        raise BadAttribute("tfs-method")
    return attributes

"""What no recording tells: whose account it was, when, and what names AWS had made up.

What was the same before is the same afterwards, so that relations stay visible: a generated name
becomes ``<stack.logical id>``, an id that AWS drew a number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tests.acceptance.recording import Recording

_MADE_UP = re.compile(r"-[a-z0-9]{12,13}$", re.I)
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.I)
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_LOG = re.compile(r"(Last log lines: ).*?(?=\" \(RequestToken|\Z)", re.S)
"""What the local AWS adds of the container's own log; its paths and times are nobody's answer."""

_HOST = re.compile(r"\b(https?://)[^/\s\"']+")
_DRAWN_MEMBERS = {"ETag": "etag", "VersionId": "version"}


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A stack's resource and the name that it got."""

    stack: str
    logical_id: str
    physical_id: str


def masked(
    recording: Recording, *, secrets: Mapping[str, str], resources: Iterable[Resource]
) -> Recording:
    """The recording without what is one's own.

    ``secrets`` are texts and what stands for each, such as the account's id and ``account``;
    ``resources`` those of every stack, of which the generated names are masked.
    """
    literal = {text: f"<{name}>" for text, name in secrets.items()}
    for resource in resources:
        name = re.split(r"[/:]", resource.physical_id)[-1]
        if _is_made_up(name, resource):
            literal.setdefault(name, f"<{resource.stack}.{resource.logical_id}>")
    return Recording.of(_Mask(literal).value(asdict(recording)))


def _is_made_up(name: str, resource: Resource) -> bool:
    """CloudFormation's own: the stack or the logical id, cut where it was long, and a suffix."""
    begins = (resource.stack.lower()[:12], resource.logical_id.lower()[:8])
    return name.lower().startswith(begins) and _MADE_UP.search(name) is not None


class _Mask:
    def __init__(self, literal: Mapping[str, str]) -> None:
        self._literal = {text.lower(): mask for text, mask in literal.items()}
        longest_first = sorted(literal, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)", re.I)
        self._drawn: dict[str, str] = {}

    def value(self, value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {self.text(key): self.value(each, key) for key, each in value.items()}
        if isinstance(value, list):
            return [self.value(each, name) for each in value]
        if not isinstance(value, str):
            return value
        if name in _DRAWN_MEMBERS and value != "null":
            return self._number(_DRAWN_MEMBERS[name])(value)
        return self.text(value)

    def text(self, text: str) -> str:
        text = self._known.sub(lambda found: self._literal[found[0].lower()], text)
        text = _LOG.sub(r"\1<log>", text)
        text = _TIME.sub("<time>", text)
        text = _HOST.sub(r"\1<host>", text)
        return _UUID.sub(lambda found: self._number("id")(found[0]), text)

    def _number(self, kind: str) -> Callable[[str], str]:
        def mask(text: str) -> str:
            count = sum(each.startswith(f"<{kind} ") for each in self._drawn.values())
            return self._drawn.setdefault(text, f"<{kind} {count + 1}>")

        return mask

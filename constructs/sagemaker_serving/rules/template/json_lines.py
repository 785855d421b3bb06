"""Where JSON's values stand, as `spec.yaml_text` tells it, in a third of the time."""

from __future__ import annotations

import json
import re

from sagemaker_serving.errors import Where

_TOKEN = re.compile(
    r'"(?P<text>(?:[^"\\]|\\.)*)"(?P<colon>\s*:)?'
    r'|(?P<opens>[{\[])|(?P<closes>[}\]])|(?P<comma>,)|(?P<line>\n)|(?P<other>[^\s{}\[\],"]+)'
)
_LABELS = ("name", "VariantName")


def json_where(text: str, source: str) -> Where:
    """The line of each value of ``text``, which is JSON, and the name of each list's entry that has
    one; in an object a value is where its key is."""
    lines: dict[tuple[str | int, ...], int] = {}
    labels: dict[tuple[str | int, ...], str] = {}
    outside: list[tuple[tuple[str | int, ...], int | None]] = []
    here: tuple[str | int, ...] = ()
    place, number, index = here, 1, None  # index: of the entry, in a list
    key = ""
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "line":
            number += 1
        elif kind == "comma":
            if index is not None:
                index += 1
                place = (*here, index)
        elif kind == "closes":
            here, index = outside.pop()
            place = here if index is None else (*here, index)
        elif kind == "colon":
            key = _text(token["text"])
            place = (*here, key)
            lines[place] = number
            number += token["colon"].count("\n")
        else:
            if index is not None or not outside:
                lines[place] = number
            if kind == "opens":
                outside.append((here, index))
                here, index = place, 0 if token["opens"] == "[" else None
                place = here if index is None else (*here, index)
            elif index is None and key in _LABELS and here and isinstance(here[-1], int):
                labels.setdefault(here, _text(token["text"] or token["other"] or ""))
    return Where(source, (), lines, labels)


def _text(written: str) -> str:
    return str(json.loads(f'"{written}"')) if "\\" in written else written

"""YAML with the line of every value: plain data, places, and keys that stand twice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from sagemaker_serving.errors import Problem, ProblemsFound, Where

MOST_VALUES = 200_000
"""Aliases can say a thousand times what was written once; beyond this no file is read."""

MOST_LEVELS = 200
"""Deeper nesting is refused before a tree is built: the YAML library's own builder recurses in C,
and 100,000 brackets end the whole process."""

_Path = tuple[str | int, ...]
_TEXT = "tag:yaml.org,2002:str"
_READ_AS_OTHERS = [
    f"tag:yaml.org,2002:{kind}" for kind in ("bool", "int", "float", "null", "timestamp", "value")
]
_SAFE: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NOT_MADE = (ValueError, TypeError, LookupError, AttributeError, OverflowError)
"""What the YAML library lets escape from values such as ``!!bool 7`` and ``2026-13-45``."""


def text_of(path: Path, advice: str) -> str:
    """The text of a file in UTF-8.

    Raises `ProblemsFound` of a file that is not there, with ``advice``, or is no such text.
    """
    line, what = None, ""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        what = f"there is no such file; {advice}"
    except UnicodeDecodeError as error:
        before = error.object[: error.start]
        line = before.count(b"\n") + 1
        is_utf_16 = error.object[:2] in (b"\xff\xfe", b"\xfe\xff")
        found = "UTF-16" if is_utf_16 else f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        what = f"it cannot be read as text: {found}; save the file as UTF-8"
    except OSError as error:
        what = f"it cannot be read: {error.strerror}"
    where = Where(str(path), (), {} if line is None else {(): line})
    raise ProblemsFound.of("file", where, what)


def read_yaml(
    text: str, source: str, loader_class: type[Any] = _SAFE
) -> tuple[Any, Where, list[Problem]]:
    """The plain data of one document, where its values stand, and the keys that stand twice.

    A key is the text that is written, ``on`` and ``1`` as well. Raises `ProblemsFound` for whatever
    is no single, finite YAML document.
    """
    if (control := yaml.reader.Reader.NON_PRINTABLE.search(text)) is not None:
        line = text.count("\n", 0, control.start()) + 1
        raise _unreadable(source, line, f"it has the control character {control[0]!r}; remove it")
    _must_be_shallow(text, source)
    try:
        loader = loader_class(text)
    except yaml.YAMLError as error:
        raise _unreadable(source, 1, str(error)) from None
    try:
        root = loader.get_single_node()
        if root is None:
            raise _unreadable(source, 1, "the file is empty")
        places = _Places(source)
        twice = list(places.note(root, ()))
        data = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        said = error.problem or str(error)
        written = "".join(text.split("\n")[line - 1 : line])
        if "\t" in written[: len(written) - len(written.lstrip())]:
            said = "the line begins with a tab; YAML is indented by spaces alone"
        if re.match(r'\s*\{\s*"', text):
            try:
                json.loads(text)
            except json.JSONDecodeError as in_json:
                raise _unreadable(source, in_json.lineno, in_json.msg, "JSON") from None
        raise _unreadable(source, line, said) from None
    except yaml.YAMLError as error:
        raise _unreadable(source, 1, str(error)) from None
    except RecursionError:
        raise _unreadable(source, 1, "it contains itself") from None
    except _NOT_MADE as error:
        raise _unreadable(source, 1, f"a value is not what it says it is: {error}") from None
    finally:
        loader.dispose()
    return data, Where(source, (), places.lines, places.labels), twice


class _Places:
    """Collects every value's line and every list entry's name."""

    def __init__(self, source: str) -> None:
        self.lines: dict[_Path, int] = {}
        self.labels: dict[_Path, str] = {}
        self._source = source
        self._values = 0

    def note(self, node: yaml.Node, path: _Path) -> Iterator[Problem]:
        """Notes ``node`` and what is below it; yields the keys that stand twice."""
        self._values += 1
        if self._values > MOST_VALUES:
            raise _unreadable(self._source, 1, f"its aliases make over {MOST_VALUES} values")
        self.lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.SequenceNode):
            for index, entry in enumerate(node.value):
                yield from self.note(entry, (*path, index))
                name = _name_of(entry)
                if name is not None:
                    self.labels[*path, index] = name
        if isinstance(node, yaml.MappingNode):
            yield from self._note_mapping(node, path)

    def _note_mapping(self, node: yaml.MappingNode, path: _Path) -> Iterator[Problem]:
        seen: set[str] = set()
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag in _READ_AS_OTHERS:
                key.tag = _TEXT
            name = str(key.value)
            deeper = (*path, name)
            line = key.start_mark.line + 1
            if name in seen:
                yield Problem(
                    rule="duplicate-key",
                    where=Where(self._source, deeper, {deeper: line}),
                    message=f"{name!r} is given twice; remove one of them",
                )
            seen.add(name)
            yield from self.note(value, deeper)
            self.lines[deeper] = line


def _must_be_shallow(text: str, source: str) -> None:
    level = 0
    try:
        for event in yaml.parse(text, Loader=_SAFE):
            if isinstance(event, yaml.CollectionStartEvent):
                level += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                level -= 1
            if level > MOST_LEVELS:
                line = event.start_mark.line + 1 if event.start_mark is not None else 1
                raise _unreadable(source, line, f"it is nested over {MOST_LEVELS} levels deep")
    except yaml.YAMLError:
        return  # the reading itself says so, with the line


def _unreadable(source: str, line: int, what: str, form: str = "YAML") -> ProblemsFound:
    where = Where(source, (), {(): line})
    return ProblemsFound.of("yaml", where, f"this is not {form} that can be read: {what}")


def _name_of(entry: yaml.Node) -> str | None:
    if isinstance(entry, yaml.MappingNode):
        for key, value in entry.value:
            if key.value in ("name", "VariantName") and isinstance(value, yaml.ScalarNode):
                return str(value.value)
    return None

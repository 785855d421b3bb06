"""The part of JSONPath that SageMaker's filters have, with SageMaker's refusals.

The rules read a filter with it, and the local transform job selects by it.

``$``, ``.name``, ``*``, ``['name', 'other']``, ``[0, -1]``, ``[1:5]`` and
nothing else (SageMaker developer guide, "Associate Prediction Results with
Input Records"). What a path selects has the shape that
github.com/json-path/JsonPath gives it, which that page refers to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

OPERATORS = ("$", "[", "]", "*", ".", " ", ",", ":", "-", "'")
"""What a filter of JSON may hold beside letters and digits, as SageMaker lists it
(github.com/aws/aws-sdk/issues/184)."""
CSV_OPERATORS = ("$", "[", "]", "*", " ", ",", ":", "-")
"""Of these, what a path of indexes has; SageMaker's own list for CSV is not known."""


class InvalidJsonPath(Exception):
    """The path cannot be read; the message is a line of the job's data log."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"Invalid JsonPath: {path}: {why}")
        self.why = why


class NothingSelected(Exception):
    """A document has nothing at a path."""


def unexpected_character(path: str, *, is_csv: bool) -> str | None:
    """The first character that CreateTransformJob refuses in a filter; None where all are taken.

    A name has letters and digits alone: no underscore.
    """
    for character in path:
        is_name = character.isascii() and character.isalnum()
        if character not in (CSV_OPERATORS if is_csv else OPERATORS) and not (
            character in "0123456789" if is_csv else is_name
        ):
            return character
    return None


@dataclass(frozen=True)
class JsonPath:
    """A path that was read.

    A slice ends before its second number, as in JSONPath. The developer
    guide's text says "inclusive"; tutorials that were run, such as
    AutoGluon's ``$[:14]`` for the first 14 columns, say otherwise.
    """

    text: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, text: str) -> JsonPath:
        """Read a path; raises `InvalidJsonPath`.

        Two ranges, or a range and an index, in one pair of brackets are
        refused in SageMaker's words (github.com/aws/sagemaker-python-sdk/
        issues/1112), though the API reference shows
        ``$[0,5:]``.
        """
        if not text.startswith("$"):
            raise InvalidJsonPath(text, "a path begins with $")
        steps: list[Step] = []
        rest = text[1:].strip()
        while rest:
            step, rest = _next_step(text, rest)
            steps.append(step)
        return cls(text, tuple(steps))

    @property
    def is_root(self) -> bool:
        """Whether the path selects the document as it is."""
        return not self.steps

    def select(self, document: Any) -> Any:
        """What the path selects; raises `NothingSelected`.

        One value for names and an index; an object of these for several names
        at the end; an array for several indexes, a slice or a wildcard.
        """
        found, is_many = [document], False
        for number, step in enumerate(self.steps, start=1):
            if isinstance(step, Names) and len(step.names) > 1 and number == len(self.steps):
                found = [{name: self._child(value, name) for name in step.names} for value in found]
                continue
            found = [item for value in found for item in self._items(value, step)]
            is_many = is_many or _selects_many(step)
        return found if is_many else found[0]

    def _items(self, value: Any, step: Step) -> Sequence[Any]:
        match step:
            case Names(names):
                return [self._child(value, name) for name in names]
            case Indexes(indexes):
                return [self._element(value, index) for index in indexes]
            case Slice(start, end):
                return self._array(value)[start:end]
            case Wildcard():
                return list(value.values()) if isinstance(value, dict) else self._array(value)

    def _child(self, value: Any, name: str) -> Any:
        if not isinstance(value, dict) or name not in value:
            raise NothingSelected(f"JsonPath {self.text}: there is no '{name}'")
        return value[name]

    def _element(self, value: Any, index: int) -> Any:
        array = self._array(value)
        if not -len(array) <= index < len(array):
            raise NothingSelected(
                f"JsonPath {self.text}: there is no element {index} in an array of {len(array)}"
            )
        return array[index]

    def _array(self, value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise NothingSelected(f"JsonPath {self.text}: an index needs an array")
        return value


@dataclass(frozen=True)
class Names:
    """``.name`` or ``['name', 'other']``."""

    names: tuple[str, ...]


@dataclass(frozen=True)
class Indexes:
    """``[0]`` or ``[0, -1]``."""

    indexes: tuple[int, ...]


@dataclass(frozen=True)
class Slice:
    """``[1:5]``, ``[:5]`` or ``[1:]``; the end is not in it."""

    start: int | None
    end: int | None


@dataclass(frozen=True)
class Wildcard:
    """``.*`` or ``[*]``."""


Step = Names | Indexes | Slice | Wildcard


def _selects_many(step: Step) -> bool:
    match step:
        case Names(parts) | Indexes(parts):
            return len(parts) > 1
        case _:
            return True


def _names(match: re.Match[str]) -> Step:
    return Names(tuple(re.findall(r"'([^']*)'", match[0])))


def _indexes(match: re.Match[str]) -> Step:
    return Indexes(tuple(int(number) for number in match[1].split(",")))


def _slice(match: re.Match[str]) -> Step:
    start, end = (int(number) if number else None for number in match.group(1, 2))
    return Slice(start, end)


_NUMBER = r"\s*-?[0-9]{1,18}\s*"
_NAME = r"\s*'[^']*'\s*"
_STEPS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], Step]]] = (
    (re.compile(r"\.\*|\.?\[\s*\*\s*\]"), lambda _: Wildcard()),
    (re.compile(r"\.([^\s.\[\]'*,:$]+)"), lambda match: Names((match[1],))),
    (re.compile(rf"\.?\[{_NAME}(?:,{_NAME})*\]"), _names),
    (re.compile(rf"\[({_NUMBER}(?:,{_NUMBER})*)\]"), _indexes),
    (re.compile(r"\[\s*(-?[0-9]{1,18})?\s*:\s*(-?[0-9]{1,18})?\s*\]"), _slice),
)
_RANGES = re.compile(r"\[[0-9\s,:-]*:[0-9\s,:-]*\]")


def _next_step(path: str, rest: str) -> tuple[Step, str]:
    for pattern, make in _STEPS:
        match = pattern.match(rest)
        if match is not None:
            return make(match), rest[match.end() :].lstrip()
    ranges = _RANGES.match(rest)
    if ranges is not None:
        raise InvalidJsonPath(
            path,
            "only single range filters of format (eg: [1:5]) are supported. "
            f"Format {ranges[0]} is not supported",
        )
    raise InvalidJsonPath(path, f"'{rest}' is none of .name, .*, ['name'], [0], [1:5] and [*]")

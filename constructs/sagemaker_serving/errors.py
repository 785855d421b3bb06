"""Everything this project raises on purpose.

::

    ReportedError                one base class: the CLI prints it, never a traceback
    ├── Mistake                  the user can mend it: exit status 2
    │   ├── ProblemsFound        every problem of an input at once, each a `Problem`
    │   └── NotFound             a named thing (endpoint, stack, model) does not exist
    └── Failure                  AWS, a model or this machine failed: exit status 1
        ├── LocalAwsEnded        the local AWS ended while it was spoken to
        ├── DeployFailed         a stack did not reach its wanted state
        ├── RolloutFailed        an endpoint does not serve what it was to serve
        └── ModelFailed          a model's server refused or failed a request

A message says what is wrong, where, what is allowed and what to do; lower
case, no full stop, the value shown, the user's own parameter name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from operator import truediv

from local_aws.errors import (
    DeployFailed,
    Failure,
    LocalAwsEnded,
    Mistake,
    NotFound,
    ReportedError,
)

__all__ = [
    "DeployFailed",
    "Failure",
    "LocalAwsEnded",
    "Mistake",
    "ModelFailed",
    "NotFound",
    "Problem",
    "ProblemsFound",
    "ReportedError",
    "RolloutFailed",
    "Severity",
    "Where",
    "why_unread",
]


class RolloutFailed(Failure):
    """An endpoint does not serve what it was to serve.

    ``cause`` is the reason alone, ``log_lines`` the last lines of the container
    that failed, each with its stream, from ``log_group``.
    """

    def __init__(self, cause: str, *, log_group: str, log_lines: Iterable[str]) -> None:
        self.cause = cause
        self.log_group = log_group
        self.log_lines = tuple(log_lines)
        shown = "".join(f"\n  {line}" for line in self.log_lines)
        super().__init__(f"{cause}\n{log_group} says last:{shown}" if shown else cause)


class ModelFailed(Failure):
    """A model's server refused or failed a request.

    ``status`` is the HTTP status of the model's own answer and ``body`` its
    text, both as the server sent them; ``log`` is where its log is, as AWS
    named it (an address of the console, or an ARN), None when it named none.
    """

    def __init__(self, message: str, *, status: int, body: str, log: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body
        self.log = log


class Severity(StrEnum):
    """How much a problem matters: an error stops a deploy, a warning does not.

    A note is no problem; it says what was not looked at, or what is good to know.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Where:
    """Where a fact came from: a file and line, or a template's logical id.

    ``source`` is the file as the user named it, or "" when there is none;
    ``path`` leads to the value from the top (keys and list indexes); ``lines``
    maps paths to 1-based line numbers and is shared by all places of a file;
    ``labels`` maps paths to the name the user gave that list entry; ``sources``
    maps paths to their file, where that is another one: a file that was extended.
    """

    source: str = ""
    path: tuple[str | int, ...] = ()
    lines: Mapping[tuple[str | int, ...], int] = field(
        default_factory=dict, compare=False, repr=False
    )
    labels: Mapping[tuple[str | int, ...], str] = field(
        default_factory=dict, compare=False, repr=False
    )
    sources: Mapping[tuple[str | int, ...], str] = field(
        default_factory=dict, compare=False, repr=False
    )

    def __truediv__(self, key: str | int) -> Where:
        """The place one step deeper: ``where / "variants" / 1``."""
        deeper = object.__new__(Where)  # in half of the time: a check makes tens of thousands
        deeper.__dict__.update(self.__dict__)
        deeper.__dict__["path"] = (*self.path, key)
        return deeper

    def inside(self, path: Iterable[str | int]) -> Where:
        """The place at the end of a path from here."""
        return reduce(truediv, path, self)

    @property
    def file(self) -> str:
        """The file whose `line` it is."""
        return self.sources.get(self._noted or (), self.source)

    @property
    def line(self) -> int | None:
        """The 1-based line, or the nearest enclosing value's, or None without a file."""
        return None if self._noted is None else self.lines[self._noted]

    @property
    def _noted(self) -> tuple[str | int, ...] | None:
        """The nearest enclosing path that has a line."""
        for length in range(len(self.path), -1, -1):
            if self.path[:length] in self.lines:
                return self.path[:length]
        return None

    def __str__(self) -> str:
        line = self.line
        place = f"{self.file}:{line}" if line is not None else self.file
        return f"{place} {self.trail}".strip()

    @property
    def trail(self) -> str:
        """The path as a reader says it: ``models.digits.variants[1] 'blue'``."""
        text = ""
        for depth, key in enumerate(self.path, start=1):
            text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
            label = self.labels.get(self.path[:depth])
            if label is not None and depth == len(self.path):
                text += f" '{label}'"
        return text


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One thing that is wrong: the rule's id, the place, and a whole sentence.

    ``message`` names the value, what is allowed and what to do instead. ``acknowledged`` is the
    reason for which it is meant to stay; it is a note then.
    """

    rule: str
    where: Where
    message: str
    severity: Severity = Severity.ERROR
    acknowledged: str | None = None

    def __str__(self) -> str:
        place = str(self.where)
        text = f"{place}: {self.message}" if place else self.message
        return text if self.acknowledged is None else f"{text}; acknowledged: {self.acknowledged}"


class ProblemsFound(Mistake):
    """Every problem of an input at once, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def of(cls, rule: str, where: Where, message: str) -> ProblemsFound:
        """One problem alone."""
        return cls([Problem(rule=rule, where=where, message=message)])


def why_unread(error: Exception) -> str:
    """Why a file could not be read as JSON of a known form, as a part of a message."""
    match error:
        case FileNotFoundError():
            return f"{error.filename} is missing"
        case OSError():
            return f"{error.filename}: {error.strerror}"
        case json.JSONDecodeError():
            return f"line {error.lineno}, column {error.colno} is not JSON"
        case UnicodeDecodeError():
            return f"byte {error.start} is not UTF-8"
        case KeyError():
            return f"it has no {error}"
        case TypeError() | AttributeError():
            return "its members are of other types"
    return str(error)

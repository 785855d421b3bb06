"""How far the answers of a compiled model are from those of the original, output by output."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sagemaker_serving.answers.bodies import Answer, Text, read_body
from sagemaker_serving.answers.differences import distance, is_number, number_of

_OF_THE_WHOLE_BATCH = ("predictions", "outputs")
"""Where TensorFlow Serving's answers have a number for each row: no scores of one row."""


@dataclass
class OutputErrors:
    """The absolute errors of one output's numbers; infinite for what has another form."""

    errors: list[float] = field(default_factory=list)

    @property
    def max(self) -> float:
        """The largest; 0 without a number."""
        return max(self.errors, default=0.0)

    @property
    def mean(self) -> float:
        """The mean; 0 without a number."""
        return sum(self.errors) / len(self.errors) if self.errors else 0.0


@dataclass
class Comparison:
    """All answers of one model, held against the original's.

    ``outputs`` are errors by output, which is the way to it in the answer without the numbers of
    rows (``predictions.probabilities``). ``rows`` counts lists of two numbers and more, and
    ``agreeing`` those whose largest stands at the same place, the first of equal ones.
    """

    outputs: dict[str, OutputErrors] = field(default_factory=dict)
    rows: int = 0
    agreeing: int = 0

    @property
    def max_error(self) -> float:
        """The largest error of any output."""
        return max((output.max for output in self.outputs.values()), default=0.0)

    @property
    def mean_error(self) -> float:
        """The mean error of all outputs' numbers."""
        return OutputErrors(self.errors).mean

    @property
    def errors(self) -> list[float]:
        """All errors, in no order."""
        return [error for output in self.outputs.values() for error in output.errors]

    @property
    def agreement(self) -> float | None:
        """The share of rows whose first class is the same; None where no answer has such rows."""
        return self.agreeing / self.rows if self.rows else None

    def as_dict(self) -> dict[str, Any]:
        """The comparison for programs; JSON has no infinity, so another form is null."""
        return {
            "max_error": _finite(self.max_error),
            "mean_error": _finite(self.mean_error),
            "agreement": self.agreement,
            "rows": self.rows,
            "outputs": {
                name: {"max_error": _finite(errors.max), "mean_error": _finite(errors.mean)}
                for name, errors in self.outputs.items()
            },
        }

    def add(self, path: str, expected: Any, found: Any) -> None:
        """Hold one value against another, and all that is in them."""
        if isinstance(expected, Mapping) and isinstance(found, Mapping):
            if expected.keys() != found.keys():
                self._error(path, math.inf)
            for key in (key for key in expected if key in found):
                self.add(f"{path}.{key}" if path else str(key), expected[key], found[key])
        elif isinstance(expected, list) and isinstance(found, list):
            self._add_lists(path, expected, found)
        elif is_number(expected) and is_number(found):
            self._error(path, distance(expected, found))
        elif expected != found:
            self._error(path, math.inf)

    def _add_lists(self, path: str, expected: list[Any], found: list[Any]) -> None:
        if len(expected) != len(found):
            self._error(path, math.inf)
            return
        of_numbers = all(map(is_number, [*expected, *found]))
        if of_numbers and len(expected) > 1 and path not in _OF_THE_WHOLE_BATCH:
            self.rows += 1
            self.agreeing += expected.index(max(expected)) == found.index(max(found))
        for one, other in zip(expected, found, strict=True):
            self.add(f"{path}[]", one, other)

    def _error(self, path: str, size: float) -> None:
        name = path.replace("[]", "") or "body"
        self.outputs.setdefault(name, OutputErrors()).errors.append(size)


def compare(pairs: Iterable[tuple[Answer, Answer]]) -> Comparison:
    """Hold each second answer against its first.

    JSON, JSON lines and CSV are compared by their values, all else byte by byte. Of an answer that
    is an error only the status counts.
    """
    comparison = Comparison()
    for expected, found in pairs:
        if expected.status != found.status:
            comparison.add("status", expected.status, str(found.status))
        elif expected.status == 200:
            comparison.add("", _values(expected.body), _values(found.body))
    return comparison


def _values(body: bytes) -> Any:
    """The body's values; a text that is no JSON is CSV."""
    read = read_body(body)
    if not isinstance(read, Text):
        return read
    return [[number_of(field) for field in row] for row in csv.reader(io.StringIO(read))]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None

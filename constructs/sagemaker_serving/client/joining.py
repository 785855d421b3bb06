"""Answers become one result, in the order of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sagemaker_serving.client.payload.arrays import as_array
from sagemaker_serving.client.rows import has_rows
from sagemaker_serving.errors import Failure


def joined(answers: Sequence[Any]) -> Any:
    """The answers to the requests of one batch, as the answer to all of them in one.

    Each has a row for every record of its request (`must_have_rows`). Lists and arrays are joined,
    and objects of lists (``{"predictions": […]}``) key by key; what is the same in every answer
    beside them stays as it is. Raises `Failure` when the answers differ in form: nobody could tell
    which row belongs to which record.
    """
    if len(answers) == 1:
        return answers[0]
    if not any(has_rows(value) for value in _leaves(answers[0])):
        raise _different(
            f"there are {len(answers)} answers and none has rows: one is {_named(answers[0])}"
        )
    return _joined(answers)


def _joined(answers: Sequence[Any]) -> Any:
    first = answers[0]
    if isinstance(first, Mapping):
        for answer in answers:
            if not isinstance(answer, Mapping) or answer.keys() != first.keys():
                raise _different(
                    f"one is an object with {', '.join(map(str, first))}, another is "
                    f"{_named(answer)}"
                )
        return {key: _joined([answer[key] for answer in answers]) for key in first}
    if all(isinstance(answer, list) for answer in answers):
        return [row for answer in answers for row in answer]
    if all(has_rows(answer) and not isinstance(answer, list) for answer in answers):
        return _concatenated(answers)
    if any(has_rows(answer) or answer != first for answer in answers):
        one, other, *_ = [*dict.fromkeys(map(_named, answers)), "another of that kind"]
        raise _different(f"one has {one} where another has {other}")
    return first


def _concatenated(arrays: Sequence[Any]) -> Any:
    import numpy

    try:
        return numpy.concatenate(arrays)
    except ValueError:
        shapes = ", ".join(sorted({str(array.shape) for array in arrays}))
        raise _different(f"they are arrays of the shapes {shapes}") from None


def _leaves(answer: Any) -> list[Any]:
    if isinstance(answer, Mapping):
        return [leaf for value in answer.values() for leaf in _leaves(value)]
    return [answer]


def _named(answer: Any) -> str:
    if isinstance(answer, Mapping):
        return f"an object with {', '.join(map(str, answer))}" if answer else "an empty object"
    if has_rows(answer):
        return "an array" if as_array(answer) is not None else "a list"
    text = repr(answer)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _different(how: str) -> Failure:
    return Failure(
        f"the answers differ in form: {how}; send all records in one request, or each by itself "
        "with predict_each()"
    )

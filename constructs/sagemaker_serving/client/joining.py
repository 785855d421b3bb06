"""Answers become one result, in the order of the records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sagemaker_serving.client.payload.arrays import as_array
from sagemaker_serving.errors import Failure


def joined(answers: Sequence[tuple[int, Any]]) -> Any:
    """The answers to requests of so many records each, as the answer to all of them in one.

    Lists and arrays are joined, and objects of lists (``{"predictions": […]}``)
    key by key; what is the same in every answer stays as it is. Raises `Failure`
    when an answer does not have one row for each of its records: nobody could
    tell which row belongs to which record.
    """
    if len(answers) == 1:
        return answers[0][1]
    first = answers[0][1]
    if isinstance(first, dict):
        return {
            key: joined([(records, _member(answer, first, key)) for records, answer in answers])
            for key in first
        }
    if not _has_rows(first) and all(answer == first for _, answer in answers):
        return first
    if answers[0][0] > 1 and all(_is_one_row(answer, records) for records, answer in answers):
        return [[value for _, answer in answers for value in answer[0]]]
    for number, (records, answer) in enumerate(answers, start=1):
        rows = len(answer) if _has_rows(answer) else None
        if rows != records:
            told = "no rows" if rows is None else f"{rows} rows"
            raise Failure(
                f"answer {number} of {len(answers)} has {told} for {records} records; "
                "send fewer records at once, so that one request takes them, "
                "or each by itself with predict_each()"
            )
    if as_array(first) is not None:
        import numpy

        return numpy.concatenate([answer for _, answer in answers])
    return [row for _, answer in answers for row in answer]


def _is_one_row(answer: Any, records: int) -> bool:
    """Whether all predictions stand in one row, as XGBoost's containers write CSV."""
    return (
        isinstance(answer, list)
        and len(answer) == 1
        and isinstance(answer[0], list)
        and len(answer[0]) == records
    )


def _has_rows(answer: Any) -> bool:
    array = as_array(answer)
    return isinstance(answer, list | tuple) or (array is not None and bool(array.shape))


def _member(answer: Any, first: dict[Any, Any], key: Any) -> Any:
    if not isinstance(answer, dict) or answer.keys() != first.keys():
        raise Failure(
            f"the answers differ in form: one is an object with {', '.join(map(str, first))}, "
            "another is not; send each record by itself with predict_each()"
        )
    return answer[key]

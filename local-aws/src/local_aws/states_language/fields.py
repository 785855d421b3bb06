"""The language's fields: which state has which, and what their values are.

https://states-language.net/spec.html; AWS's own language service for editors
(aws/amazon-states-language-service, validationSchema.ts and json-schema); AWS Step Functions
developer guide, "Specifying timeouts", "Map workflow state".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from local_aws.states_language.paths import is_expression, is_path
from local_aws.states_language.problem import Place, Problem, schema_problem
from local_aws.suggest import nearest
from local_aws.template import Unknown

TYPES = ("Task", "Wait", "Pass", "Succeed", "Fail", "Choice", "Parallel", "Map")

_OF_PATHS = frozenset(
    {
        *("InputPath", "OutputPath", "Parameters", "ResultPath", "ResultSelector", "ItemsPath"),
        *("CausePath", "ErrorPath", "HeartbeatSecondsPath", "MaxConcurrencyPath", "SecondsPath"),
        *("TimeoutSecondsPath", "TimestampPath", "ToleratedFailureCountPath"),
        "ToleratedFailurePercentagePath",
    }
)
"""What states of JSONPath alone have."""
_OF_EXPRESSIONS = frozenset({"Arguments", "Items", "Output"})
"""What states of JSONata alone have."""

_ANY = ("Type", "Comment", "QueryLanguage")
_MOVING = (*_ANY, "Next", "End", "InputPath", "OutputPath", "Output", "Assign")
_WORKING = (*_MOVING, "Parameters", "Arguments", "ResultPath", "ResultSelector", "Retry", "Catch")
_TOLERATED = ("ToleratedFailureCount", "ToleratedFailurePercentage")

STATE_FIELDS: Mapping[str, tuple[str, ...]] = {
    "Task": (
        *(*_WORKING, "Resource", "Credentials", "TimeoutSeconds", "TimeoutSecondsPath"),
        *("HeartbeatSeconds", "HeartbeatSecondsPath"),
    ),
    "Wait": (*_MOVING, "Seconds", "SecondsPath", "Timestamp", "TimestampPath"),
    "Pass": (*_MOVING, "Parameters", "Result", "ResultPath"),
    "Succeed": (*_ANY, "InputPath", "OutputPath", "Output"),
    "Fail": (*_ANY, "Cause", "CausePath", "Error", "ErrorPath"),
    "Choice": (*_ANY, "InputPath", "OutputPath", "Output", "Assign", "Choices", "Default"),
    "Parallel": (*_WORKING, "Branches"),
    "Map": (
        *(*_WORKING, "ItemProcessor", "Iterator", "ItemReader", "ItemSelector", "ItemBatcher"),
        *("Items", "ItemsPath", "Label", "MaxConcurrency", "MaxConcurrencyPath", "ResultWriter"),
        *(*_TOLERATED, *(f"{name}Path" for name in _TOLERATED)),
    ),
}
"""The fields of each type of state, in either query language."""

SCOPE_FIELDS = ("Comment", "StartAt", "States", "QueryLanguage", "TimeoutSeconds")
MACHINE_FIELDS = (*SCOPE_FIELDS, "Version")
RETRIER_FIELDS = (
    *("ErrorEquals", "Comment", "IntervalSeconds", "MaxAttempts", "BackoffRate"),
    *("MaxDelaySeconds", "JitterStrategy"),
)
CATCHER_FIELDS = ("ErrorEquals", "Comment", "Next", "ResultPath", "Output", "Assign")

_EXCLUSIVE = (
    *(("Cause", "CausePath"), ("Error", "ErrorPath"), ("Iterator", "ItemProcessor")),
    *(("Seconds", "SecondsPath", "Timestamp", "TimestampPath"), ("ItemSelector", "Parameters")),
    *(("TimeoutSeconds", "TimeoutSecondsPath"), ("HeartbeatSeconds", "HeartbeatSecondsPath")),
    *((name, f"{name}Path") for name in ("MaxConcurrency", *_TOLERATED, "MaxItems")),
    *((name, f"{name}Path") for name in ("MaxItemsPerBatch", "MaxInputBytesPerBatch")),
)

_LONGEST = 99_999_999
_COUNTS: Mapping[str, tuple[int, int | None]] = {
    "TimeoutSeconds": (1, _LONGEST),
    "HeartbeatSeconds": (1, _LONGEST),
    "Seconds": (0, _LONGEST),
    "IntervalSeconds": (1, _LONGEST),
    "MaxAttempts": (0, _LONGEST),
    "MaxDelaySeconds": (1, 31_622_400),
    "MaxConcurrency": (0, None),
    "ToleratedFailureCount": (0, None),
    "MaxItemsPerBatch": (1, None),
    "MaxInputBytesPerBatch": (1, 262_144),
    "MaxItems": (0, 100_000_000),
}
_NUMBERS: Mapping[str, tuple[int, int | None]] = {
    "BackoffRate": (1, None),
    "ToleratedFailurePercentage": (0, 100),
}
_WORDS: Mapping[str, tuple[str, ...]] = {
    "QueryLanguage": ("JSONPath", "JSONata"),
    "Version": ("1.0",),
    "JitterStrategy": ("FULL", "NONE"),
    "Mode": ("INLINE", "DISTRIBUTED"),
    "ExecutionType": ("STANDARD", "EXPRESS"),
    "InputType": ("CSV", "JSON", "JSONL", "MANIFEST", "PARQUET"),
    "CSVHeaderLocation": ("FIRST_ROW", "GIVEN"),
    "CSVDelimiter": ("COMMA", "PIPE", "SEMICOLON", "SPACE", "TAB"),
    "OutputType": ("JSON", "JSONL"),
}
_OBJECTS = frozenset(
    {
        *("Assign", "Credentials", "ItemBatcher", "ItemProcessor", "ItemReader", "Iterator"),
        *("ProcessorConfig", "ReaderConfig", "ResultSelector", "ResultWriter", "States", "Not"),
        "WriterConfig",
    }
)
_LISTS = frozenset({"And", "Branches", "Catch", "CSVHeaders", "Choices", "ErrorEquals", "Or"})
_LISTS |= {"Retry"}
_TEXTS = frozenset(
    {"Comment", "Default", "Label", "Next", "Resource", "StartAt", "Type", "Version", "Cause"}
) | {"Error"}
_PATHS = frozenset(name for name in _OF_PATHS if name.endswith("Path")) | {"MaxItemsPath"}
_NULLABLE = frozenset({"InputPath", "OutputPath", "ResultPath", "ItemsPath"})
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})"
)


OTHER_LANGUAGE = {
    "JSONata": "JSONata has Arguments, Output and expressions {% … %} in its place",
    "JSONPath": "add QueryLanguage: JSONata, or use Parameters, ResultSelector and paths",
}
"""The advice for fields of the other query language than a state's."""


def field_problems(
    given: Mapping[str, Any], known: tuple[str, ...], place: Place, language: str
) -> Iterator[Problem]:
    """The problems of an object's fields by themselves: names, types, ranges, query language."""
    for name, value in given.items():
        at = (*place, name)
        if name not in known:
            yield _unknown(name, known, at)
        elif language == "JSONata" and name in _OF_PATHS:
            yield schema_problem(
                f"The field '{name}' is not supported when QueryLanguage is JSONata",
                at,
                OTHER_LANGUAGE["JSONata"],
            )
        elif language == "JSONPath" and name in _OF_EXPRESSIONS:
            yield schema_problem(
                f"The field '{name}' is not supported when QueryLanguage is JSONPath",
                at,
                OTHER_LANGUAGE["JSONPath"],
            )
        else:
            yield from value_problems(name, value, at, language)
    yield from exclusive_problems(given, place)


def exclusive_problems(given: Mapping[str, Any], place: Place) -> Iterator[Problem]:
    """The problems of fields that stand together and exclude each other."""
    for group in _EXCLUSIVE:
        both = [name for name in group if name in given]
        if len(both) > 1:
            yield schema_problem(
                f"Only one of these fields is allowed: [{', '.join(both)}]", place, "remove one"
            )


def value_problems(name: str, value: Any, place: Place, language: str) -> Iterator[Problem]:
    """The problem of a field's value, by the name of the field."""
    wrong = _wrong(name, value, language)
    if wrong is not None:
        yield schema_problem(*wrong[:1], place, *wrong[1:])


def is_text(value: Any) -> bool:
    """Whether a value is certain to be a text, though not which."""
    return isinstance(value, str) or (isinstance(value, Unknown) and bool(value.pieces))


def _unknown(name: str, known: tuple[str, ...], at: Place) -> Problem:
    owners = [kind for kind, fields in STATE_FIELDS.items() if name in fields]
    near = nearest(name, known)
    if owners and "Type" in known:
        advice = f"states of type {', '.join(owners)} have it; remove it"
    else:
        advice = "remove it" if near is None else f"did you mean {near}?"
    return schema_problem(f"The field '{name}' is not supported", at, advice)


def _wrong(name: str, value: Any, language: str) -> tuple[str, str] | None:
    """What is wrong with a value, and what to do."""
    computed = language == "JSONata" and is_text(value)
    if isinstance(value, Unknown) and not value.pieces:
        return None
    if computed and (isinstance(value, Unknown) or is_expression(value)) and name not in _NAMES:
        return None
    if name in _OBJECTS and not isinstance(value, dict):
        return "The value must be an object", "write {…}"
    if name in _LISTS and not isinstance(value, list):
        return "The value must be an array", "write […]"
    if name in _COUNTS or name in _NUMBERS:
        return _number(name, value)
    if name in _FLAGS and not isinstance(value, bool):
        return "The value must be true or false", "write it without quotes"
    if name in _TEXTS and not is_text(value):
        return "The value must be a string", "write it in quotes"
    if name in _WORDS and isinstance(value, str) and value not in _WORDS[name]:
        return _word(name, value)
    if name in _PATHS and not (value is None and name in _NULLABLE):
        return _path(name, value)
    if name.startswith("Timestamp") and not (isinstance(value, Unknown) or is_timestamp(value)):
        return "String does not match RFC3339 timestamp", "write it as 2026-03-14T01:59:00Z"
    return None


_FLAGS = frozenset({"End"})
_NAMES = frozenset({"Default", "Next", "StartAt", "Type", "QueryLanguage", "Label"})
"""What no expression gives."""


def _number(name: str, value: Any) -> tuple[str, str] | None:
    whole = name in _COUNTS
    low, high = (_COUNTS if whole else _NUMBERS)[name]
    allowed = f"{low} or more" if high is None else f"{low} to {high}"
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (whole and value != int(value)):
        kind = "an integer" if whole else "a number"
        return f"The value must be {kind}", f"it is {_shown(value)}; write {allowed}, unquoted"
    if value < low or (high is not None and value > high):
        return f"The value must be {allowed}", f"it is {value}"
    return None


def _word(name: str, value: str) -> tuple[str, str]:
    *others, last = _WORDS[name]
    near = nearest(value.upper(), _WORDS[name]) or nearest(value, _WORDS[name])
    allowed = f"{', '.join(others)} or {last}" if others else last
    said = f"{name} is '{value}'; it is {allowed}"
    return said, f"did you mean {near}?" if near else f"use {_WORDS[name][0]}"


def _path(name: str, value: Any) -> tuple[str, str] | None:
    if isinstance(value, Unknown) or (isinstance(value, str) and is_path(value)):
        return None
    return (
        f"The value for the field '{name}' must be a valid JSONPath",
        f"it is {_shown(value)}; begin it with $",
    )


def is_timestamp(value: Any) -> bool:
    """Whether a value is a time as RFC 3339 writes it, with a T and a zone."""
    if not isinstance(value, str) or _TIMESTAMP.fullmatch(value) is None:
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _shown(value: Any) -> str:
    return "a text" if isinstance(value, Unknown) else repr(value)[:60]

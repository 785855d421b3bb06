"""Fields of a definition whose values are of another type than the language has there.

https://states-language.net/spec.html, read 2026-11-23. The words are ours: no recording of AWS has
them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local_aws.services.stepfunctions.engine.problems import Problem, schema_problem

_WORDS: dict[type, str] = {dict: "an object", list: "an array", str: "a string"}
_TYPES: dict[str, type] = {
    **dict.fromkeys(
        (
            *("Assign", "Credentials", "ItemBatcher", "ItemProcessor", "ItemReader", "Iterator"),
            *("ProcessorConfig", "ReaderConfig", "ResultWriter", "States", "WriterConfig"),
        ),
        dict,
    ),
    **dict.fromkeys(("And", "Branches", "Catch", "Choices", "Or", "Retry"), list),
    **dict.fromkeys(
        ("Default", "Label", "Next", "QueryLanguage", "Resource", "StartAt", "Type"), str
    ),
}


def type_problems(value: Any, place: str = "") -> Iterator[Problem]:
    """The problems of a machine, a state, or what stands within it; not of data and templates."""
    if not isinstance(value, dict):
        yield schema_problem("The value must be an object", place)
        return
    for name, member in value.items():
        wanted, where = _TYPES.get(name), f"{place}/{name}"
        if wanted is None:
            continue
        if not isinstance(member, wanted):
            yield schema_problem(f"The value must be {_WORDS[wanted]}", where)
        elif isinstance(member, list):
            for index, each in enumerate(member):
                yield from type_problems(each, f"{where}[{index}]")
        elif isinstance(member, dict) and name == "States":
            for state, each in member.items():
                yield from type_problems(each, f"{where}/{state}")
        elif isinstance(member, dict) and name != "Assign":
            yield from type_problems(member, where)

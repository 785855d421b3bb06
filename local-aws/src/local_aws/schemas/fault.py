"""What a value breaks of a schema, in CloudFormation's words.

CloudFormation judges by everit-org/json-schema, whose words these are, and says nothing of a value
itself: of keywords that would, "failed validation constraint for keyword [pattern]"
(aws-cloudformation/cloudformation-resource-schema, ``ValidationException``).
Words for the keywords that cfn-lint adds are JSON Schema's own for the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]
"""A value's place within what is judged."""


@dataclass(frozen=True)
class Fault:
    """One keyword of a schema that a value breaks; as text, what CloudFormation says of it.

    ``keyword`` is JSON Schema's or cfn-lint's; ``readOnly`` of a member that only the service sets,
    ``false`` of a value that may not be there. ``schema`` is the one that has the keyword.
    ``names`` are the members that it is about: the missing one, the unknown one, those that exclude
    or need one another. ``alternatives`` are the faults by each that the value could have fitted.
    """

    path: Path
    keyword: str
    said: str
    value: Any = None
    schema: Mapping[str, Any] = field(default_factory=dict, repr=False)
    names: tuple[str, ...] = ()
    alternatives: tuple[tuple[Fault, ...], ...] = ()

    def __str__(self) -> str:
        return f"{'/'.join(('#', *map(str, self.path)))}: {self.said}"


def scrubbed(keyword: str) -> str:
    """What CloudFormation says where it keeps the value to itself."""
    return f"failed validation constraint for keyword [{keyword}]"


_OF_ONE_VALUE = frozenset(
    {
        *("enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        *("multipleOf", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems"),
        *("uniqueItems", "uniqueKeys", "maxUniqueItems"),
    }
)
"""Keywords of which one is enough to say that a value is wrong."""


def settled(faults: Iterable[Fault]) -> Iterator[Fault]:
    """Each fault once, and in the place of a choice what is wrong beside the nearest alternative.

    A choice stays one where the value lacks members of each alternative, and has nothing wrong.
    """
    seen = set()
    for fault in _nearest(faults):
        of_value = fault.keyword in _OF_ONE_VALUE
        key = (fault.path, None if of_value else (fault.keyword, fault.names))
        if key not in seen:
            seen.add(key)
            yield fault


def _nearest(faults: Iterable[Fault]) -> Iterator[Fault]:
    for fault in faults:
        if fault.keyword == "allOf":  # what breaks its parts follows
            continue
        lacks = all(
            each.keyword == "required" and each.path == fault.path
            for some in fault.alternatives
            for each in some
        )
        if not fault.alternatives or lacks:
            yield fault
        else:
            distances = [_distance(fault, some) for some in fault.alternatives]
            yield from _nearest(fault.alternatives[distances.index(min(distances))])


def _distance(choice: Fault, faults: Sequence[Fault]) -> tuple[int, int]:
    """How far a value is from an alternative: of another type, then by what breaks it at once."""
    at_once = [each for each in faults if each.path == choice.path]
    return sum(each.keyword == "type" for each in at_once), len(at_once) * 100 + len(faults)

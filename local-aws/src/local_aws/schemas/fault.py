"""What a value breaks of a schema, in CloudFormation's words.

CloudFormation judges by everit-org/json-schema, whose words these are, and says nothing of a value
itself: of keywords that would, "failed validation constraint for keyword [pattern]"
(aws-cloudformation/cloudformation-resource-schema, ``ValidationException``, read 2026-11-23).
Words for the keywords that cfn-lint adds are JSON Schema's own for the same.
"""

from __future__ import annotations

from collections.abc import Mapping
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

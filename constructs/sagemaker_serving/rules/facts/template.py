"""What a template says of itself: its sections, and every name that is mentioned in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from local_aws.schemas import Fault, Schema, settled
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact, Placed


@dataclass(frozen=True, kw_only=True)
class Mention(Placed):
    """One mention of a name, by ``function`` (Ref, Fn::GetAtt, Fn::Sub, …, DependsOn, Condition).

    ``owner`` is the section and the name below which it stands. ``certain`` is whether it
    counts whatever the conditions are.
    """

    where: Where
    function: str
    name: str
    owner: tuple[str, str]
    keys: tuple[object, ...] = ()
    certain: bool = True


@dataclass(frozen=True, kw_only=True)
class TemplateFacts(Placed):
    """A template as a whole: what its sections declare, and what is mentioned.

    ``document`` is all of it, ``size`` its bytes as a file. ``functions`` are those that are
    called, each with its place and its argument. ``macros`` is whether a macro, a module or a loop
    makes parts that are not to be seen here; ``extended`` is whether it has
    AWS::LanguageExtensions. ``region`` is where it is deployed to.
    """

    where: Where
    document: Fact
    size: int
    sections: Mapping[str, Mapping[str, Fact]]
    description: Fact
    mentions: tuple[Mention, ...]
    functions: tuple[tuple[Where, str, Any], ...]
    macros: bool
    extended: bool
    region: str | None = None
    attributes: Callable[[str], tuple[str, ...]] = field(default=lambda kind: ())
    """What Fn::GetAtt can name of a type; () for one that is not known."""


@dataclass(frozen=True, kw_only=True)
class SchemaFacts:
    """A resource's properties, and the schema of its type."""

    properties: Fact
    schema: Schema

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """What the properties break of the schema, each once.

        What a preprocessor replaces is not there yet: ``{"Rain::Embed": "code.py"}``.
        """
        found = settled(self.schema.faults(self.properties.value))
        return tuple(each for each in found if not _is_replaced(each.value))


def _is_replaced(value: object) -> bool:
    return isinstance(value, Mapping) and any("::" in str(name) for name in value)

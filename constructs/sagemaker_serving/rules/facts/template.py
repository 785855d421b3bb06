"""What a template says of itself: its sections, and every name that is mentioned in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from local_aws.schemas import Fault, Schema, settled
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact


@dataclass(frozen=True, kw_only=True)
class Mention:
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
class TemplateFacts:
    """A template as a whole: what its sections declare, and what is mentioned.

    ``functions`` are those that are called, with their places. ``macros`` is whether a macro, a
    module or a loop makes parts that are not to be seen here; ``extended`` is whether it has
    AWS::LanguageExtensions.
    """

    where: Where
    sections: Mapping[str, Mapping[str, Fact]]
    description: Fact
    mentions: tuple[Mention, ...]
    functions: tuple[tuple[Where, str], ...]
    macros: bool
    extended: bool


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

"""What a template says of itself: its sections, and every name that is mentioned in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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

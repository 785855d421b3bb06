"""State machines of a template: their definitions, and what the tasks in them call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from local_aws.states_language import Problem, problems
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.facts import Fact, Placed


@dataclass(frozen=True, kw_only=True)
class StateMachineFacts(Placed):
    """A state machine; ``definition`` is its document, substitutions done, unknown where it is not
    read.

    ``sources`` are the properties that can give one, ``fault`` says why none can be read where that
    is the user's mistake. ``mentioned`` are the names in ``${…}`` of the definition, None where
    not all of it is known.
    """

    where: Where
    sources: tuple[Fact, ...]
    definition: Fact
    type: Fact
    substitutions: Fact
    mentioned: frozenset[str] | None
    fault: tuple[Where, str] | None = None

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the definition by the language."""
        if self.definition.unknown:
            return ()
        kind = self.type.text if self.type.given else "STANDARD"
        return tuple(problems(self.definition.value, kind))


@dataclass(frozen=True, kw_only=True)
class TaskFacts:
    """A Task state: its Resource, and the arguments without what its execution's data gives;
    ``written`` has them with that, as paths and expressions.

    ``credentials`` is another role that it runs by, if any. ``caught`` is whether the machine goes
    on where it fails, ``beside`` are SageMaker's actions that the machine calls.
    """

    resource: Fact
    text: str
    arguments: Fact
    written: Fact
    credentials: Fact
    caught: bool
    beside: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class InvocationFacts:
    """What asks an endpoint: ``action`` is InvokeEndpoint or InvokeEndpointAsync.

    ``endpoint`` is the template's own by its logical id, "" where it is not there; ``asynchronous``
    is whether it is that, None where its configuration is not known.
    """

    action: str
    arguments: Fact
    endpoint: str
    asynchronous: bool | None

"""Rules on batching and the server's settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sagemaker_serving.catalog.variables import container_variable
from sagemaker_serving.rules.engine import Finding, rule
from sagemaker_serving.rules.engine.numbers import at_least, between
from sagemaker_serving.rules.facts import ABSENT, ContainerFacts, Fact
from sagemaker_serving.spec.batching import BATCHING_VARIABLES, SERVER_VARIABLES

_CONTAINER = "aws/deep-learning-containers, TensorFlow inference e0ecede"
_SWITCH = BATCHING_VARIABLES["enabled"]


@rule(source=_CONTAINER, example="batching: {enabled: false, max_batch_size: 8}")
def batching_off(container: ContainerFacts) -> Iterator[Finding]:
    """Sizes of batches are set only where batching is on; otherwise they do nothing.

    The container reads the sizes only where batching is on, so a size would silently do nothing.
    """
    switch = container.batching.get("enabled")
    if switch is not None and switch.value is False:
        for name, fact in container.batching.items():
            if name != "enabled" and fact.value is not None:
                yield fact.finding(
                    f"{name} is {fact.value} but batching is off (enabled: false), so it would do "
                    "nothing; set enabled: true or remove it"
                )
    set_on = container.environment.get(_SWITCH, ABSENT)
    may_be_on = set_on.unknown or str(set_on.value).lower() == "true"
    if not container.batching and not may_be_on:
        for variable in list(BATCHING_VARIABLES.values())[1:]:
            set_here = container.environment.get(variable)
            # What a condition decides may be no variable at all.
            if set_here is not None and not set_here.unknown:
                yield set_here.finding(
                    f"{variable} is {set_here.value!r} but batching is off, so it would do "
                    "nothing; use the batching block, which turns it on"
                )


@rule(source=_CONTAINER, example="batching: {max_batch_size: 0}")
def batching_ranges(container: ContainerFacts) -> Iterator[Finding]:
    """Batching's numbers are ones that TensorFlow Serving starts with.

    The model server ends at once with sizes that it can not work with.
    """
    yield from _in_range(container.batching, BATCHING_VARIABLES)


@rule(source=_CONTAINER, example="server: {gunicorn_workers: 0}")
def server_ranges(container: ContainerFacts) -> Iterator[Finding]:
    """The server's numbers are ones that it starts with.

    With numbers out of these ranges the server ends at once, or answers no request.
    """
    yield from _in_range(container.server, SERVER_VARIABLES)


@rule(source="this project", example="SAGEMAKER_TFS_MAX_BATCH_SIZE beside batching")
def variable_set_twice(container: ContainerFacts) -> Iterator[Finding]:
    """A variable is set by its typed field or in ``environment``, not by both.

    One of the two would silently override the other.
    """
    for block, names, typed in (
        ("batching", BATCHING_VARIABLES, container.batching),
        ("server", SERVER_VARIABLES, container.server),
    ):
        for field, variable in names.items():
            if field in typed and variable in container.environment:
                yield container.environment[variable].finding(
                    f"{variable} is set here and by {block}.{field}; keep one of them"
                )


def _in_range(block: Mapping[str, Fact], variables: Mapping[str, str]) -> Iterator[Finding]:
    """What is outside the range of the variable that it becomes."""
    for name, fact in block.items():
        known = container_variable(variables.get(name, ""))
        if known is None or known.kind not in ("whole", "number"):
            continue
        if known.kind == "number":
            yield from between(fact, known.least, known.most)
        else:
            yield from at_least(fact, known.least, known.most)

"""Rules on definitions of state machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from local_aws.states_language import Problem, warnings
from local_aws.suggest import nearest
from sagemaker_serving.errors import Where
from sagemaker_serving.rules.engine import Finding, rule, warning
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.state_machines import StateMachineFacts

_LANGUAGE = "Amazon States Language specification; AWS Step Functions developer guide"
_PROVIDER = "CloudFormation's provider of Step Functions, DefinitionProcessor"
_DIAGNOSTICS = "AWS Step Functions API, ValidateStateMachineDefinitionDiagnostic"
_RESERVED = "RESERVED_ERROR_NAME"
_TRANSITIONS = ("MISSING_TRANSITION_TARGET", "MISSING_END_STATE")


@rule(source=_PROVIDER, example="Definition beside DefinitionString")
def state_machine_source(machine: StateMachineFacts) -> Iterator[Finding]:
    """A state machine has one definition, which can be read.

    CloudFormation refuses none, several, and text that is no JSON. A file that the template names
    by its path is read, too.
    """
    given = [source for source in machine.sources if source.given]
    names = ", ".join(source.name for source in machine.sources)
    if not given:
        yield machine.finding(f"there is no definition; give one of {names}")
    elif len(given) > 1 and not any(source.unknown for source in given):
        both = " and ".join(source.name for source in given)
        yield given[1].finding(f"{both} stand together; keep one")
    if machine.fault is not None:
        yield machine.fault


@rule(source=_LANGUAGE, example="Seconds: ten")
def state_machine_language(machine: StateMachineFacts) -> Iterator[Finding]:
    """A definition has the fields that the language has, with values that it takes.

    Step Functions refuses others. So it does a state's name twice, or of over 80 characters. What
    only a deploy knows passes unjudged.
    """
    yield from _told(machine, (each for each in machine.problems if each.code not in _TRANSITIONS))


@rule(source=_LANGUAGE, example="Next: Tarin   # of the states Train, Wait")
def state_machine_transition(machine: StateMachineFacts) -> Iterator[Finding]:
    """Each state leads to one that is there, each is reached, and one is the last.

    Step Functions refuses the definition.
    """
    yield from _told(machine, (each for each in machine.problems if each.code in _TRANSITIONS))


@warning(source=_DIAGNOSTICS, example="TransformJobName: $.name")
def state_machine_path(machine: StateMachineFacts) -> Iterator[Finding]:
    """What looks like a path stands where a path is read.

    Elsewhere it is sent as it is written: "$.name" for a name. AWS warns of it, too.
    """
    found = warnings(machine.definition.value)
    yield from _told(machine, (each for each in found if each.code != _RESERVED))


@warning(source=_LANGUAGE, example="ErrorEquals: [States.Failed]   # it is States.TaskFailed")
def state_machine_error(machine: StateMachineFacts) -> Iterator[Finding]:
    """An error that begins with "States." is one that the language has.

    All such names are reserved, so that no other is ever reported, tried again or caught.
    """
    found = warnings(machine.definition.value)
    yield from _told(machine, (each for each in found if each.code == _RESERVED))


@rule(
    source=_PROVIDER,
    example="Resource: ${LambdaArn}   # with DefinitionSubstitutions: {FunctionArn: …}",
)
def state_machine_substitution(machine: StateMachineFacts) -> Iterator[Finding]:
    """A name in ``${…}`` is one of DefinitionSubstitutions.

    Others stay as they are written, and no resource is called so. Parts of longer texts pass: a
    shell's variables are written alike.
    """
    names = [name for name, _ in machine.substitutions.entries()]
    for where, key, text in _texts(machine.definition.value, machine.definition.where):
        name = text[2:-1] if text.startswith("${") and text.endswith("}") else ""
        if not name or "${" in name or not (names or key == "Resource"):
            continue
        near = nearest(name, names)
        meant = f"; did you mean ${{{near}}}?" if near else ""
        yield (
            where,
            f"{text} stands for nothing; add {name} to DefinitionSubstitutions, or use Fn::Sub"
            f"{meant}",
        )


@warning(
    source=_PROVIDER,
    example="DefinitionSubstitutions: {Bucket: …}   # without ${Bucket} in the definition",
)
def state_machine_substitution_unused(machine: StateMachineFacts) -> Iterator[Finding]:
    """A name of DefinitionSubstitutions stands in the definition.

    Otherwise it has no effect, and another name is probably meant.
    """
    if machine.mentioned is None:
        return
    values = " ".join(text for _, _, text in _texts(machine.substitutions.value, machine.where))
    for name, given in machine.substitutions.entries():
        if name not in machine.mentioned and f"${{{name}}}" not in values:
            yield given.finding(f"the definition has no ${{{name}}}; remove {name}, or use it")


def _told(machine: StateMachineFacts, found: Iterable[Problem]) -> Iterator[Finding]:
    for problem in found:
        where = machine.definition.where.inside(problem.place or ())
        yield where, f"{problem.message}; {problem.advice}" if problem.advice else problem.message


def _texts(value: Any, where: Where, key: str = "") -> Iterator[tuple[Where, str, str]]:
    """Every text within a value that is known, with its place and the name of its field."""
    fact = Fact(value, where)
    for name, inner in fact.entries():
        yield from _texts(inner.value, inner.where, name)
    for entry in fact.items():
        yield from _texts(entry.value, entry.where, key)
    if fact.text is not None:
        yield where, key, fact.text

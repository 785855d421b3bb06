"""Reads definitions of state machines: as data, as text around what is unknown, or from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from local_aws.template import Unknown, as_text
from sagemaker_serving.errors import Problem, ProblemsFound, Where
from sagemaker_serving.rules.facts import Fact
from sagemaker_serving.rules.facts.state_machines import StateMachineFacts
from sagemaker_serving.rules.template.marks import MARK, MARKED, SUBSTITUTION, text_with_marks
from sagemaker_serving.spec.yaml_text import read_yaml

SOURCES = {
    "AWS::StepFunctions::StateMachine": ("Definition", "DefinitionString", "DefinitionS3Location"),
    "AWS::Serverless::StateMachine": ("Definition", "DefinitionUri"),
}
"""The types of state machines, and the properties that can have a definition."""

_BARE = "\N{SYMBOL FOR SUBSTITUTE FORM TWO}"
"""Stands around the name of what is unknown and no part of a text."""
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def state_machine(kind: str, properties: Fact) -> StateMachineFacts:
    """A state machine of one of the types of `SOURCES`.

    ``DefinitionUri`` and ``DefinitionS3Location`` may name a file beside the template, as for
    ``sam build`` and ``aws cloudformation package``. Substitutions are put in as
    CloudFormation does, in text and data alike
    (aws-cloudformation-resource-providers-stepfunctions, DefinitionProcessor).
    """
    sources = tuple(properties.get(name) for name in SOURCES[kind])
    facts = StateMachineFacts(
        where=properties.where,
        sources=sources,
        definition=Fact(Unknown(), properties.where),
        type=properties.get("StateMachineType" if kind.startswith("AWS::Step") else "Type"),
        substitutions=properties.get("DefinitionSubstitutions"),
        mentioned=None,
    )
    given = [source for source in sources if source.given]
    if len(given) != 1:
        return facts
    (source,) = given
    text = text_with_marks(source.value)
    if source.name == "DefinitionString":
        return _from_text(facts, source, text)
    if source.name != "Definition":
        return _from_file(facts, source)
    mentioned = frozenset(
        name for each in _texts(source.value) for name in SUBSTITUTION.findall(each)
    )
    document = _substituted_data(source.value, facts.substitutions)
    return replace(facts, definition=Fact(document, source.where), mentioned=mentioned)


def _from_text(facts: StateMachineFacts, source: Fact, text: str | None) -> StateMachineFacts:
    if text is None:
        return replace(facts, definition=Fact(Unknown(), source.where))
    mentioned = frozenset(SUBSTITUTION.findall(text))
    whole = _substituted(text, facts.substitutions)
    facts = replace(facts, mentioned=mentioned)
    try:
        document = _with_unknown(json.loads(_with_bare(whole)))
    except RecursionError:
        return facts
    except ValueError as error:
        if MARK in whole or SUBSTITUTION.search(whole):
            return facts
        said = f"{source.name} is no JSON: {error}; correct it"
        return replace(facts, fault=(source.where, said))
    return replace(facts, definition=Fact(document, source.where))


def _from_file(facts: StateMachineFacts, source: Fact) -> StateMachineFacts:
    """The definition in a file that the template names by its path from the template's folder."""
    if source.text is None or "://" in source.text or not source.where.source:
        return facts
    path = Path(source.where.source).parent / source.text
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return facts
    mentioned = frozenset(SUBSTITUTION.findall(text))
    whole = _substituted(text, facts.substitutions)
    is_yaml = path.name.endswith(("yaml", "yml"))
    if not is_yaml:
        whole = _with_bare(whole)
    facts = replace(facts, mentioned=mentioned)
    try:
        data, places, twice = read_yaml(whole, str(path))
    except ProblemsFound as found:
        return facts if MARK in whole else replace(facts, fault=_unread(source, found.problems[0]))
    where = _within(source.where, places)
    if twice:
        return replace(facts, fault=_unread(source, twice[0]))
    return replace(facts, definition=Fact(_with_unknown(data, quoted=not is_yaml), where))


def _unread(source: Fact, problem: Problem) -> tuple[Where, str]:
    """A problem of the file, told at its place in it."""
    where = _within(source.where, problem.where).inside(problem.where.path)
    return where, problem.message


def _within(source: Where, inner: Where) -> Where:
    """The place of a property whose value stands in a file of its own, with the file's lines."""
    lines = {(*source.path, *path): line for path, line in inner.lines.items()}
    files = dict.fromkeys(lines, inner.source)
    return replace(
        source, lines={**source.lines, **lines}, sources={**source.sources, **files}, labels={}
    )


def _substituted(text: str, substitutions: Fact) -> str:
    """The text with what DefinitionSubstitutions gives for each ``${name}``."""

    def value(found: re.Match[str]) -> str:
        given = substitutions.get(found[1]).value
        marked = text_with_marks(given)
        if isinstance(given, Unknown):
            return marked if marked is not None else f"{MARK}{given.name or ''}{MARK}"
        if marked is None and isinstance(given, bool | int | float):
            return as_text(given)
        return found[0] if marked is None else marked

    return SUBSTITUTION.sub(value, text)


def _substituted_data(value: Any, substitutions: Fact) -> Any:
    if isinstance(value, dict):
        if any(SUBSTITUTION.search(str(key)) for key in value):
            return Unknown()
        return {key: _substituted_data(inner, substitutions) for key, inner in value.items()}
    if isinstance(value, list):
        return [_substituted_data(inner, substitutions) for inner in value]
    text = text_with_marks(value)
    if text is None or not SUBSTITUTION.search(text):
        return value
    return _marked(_substituted(text, substitutions))


def _with_bare(text: str) -> str:
    """JSON in which what is unknown and stands outside of texts is a text of its own kind."""
    pieces, end = [], 0
    for quoted in _QUOTED.finditer(text):
        pieces += [_bare(text[end : quoted.start()]), quoted[0]]
        end = quoted.end()
    return "".join([*pieces, _bare(text[end:])])


def _bare(text: str) -> str:
    return MARKED.sub(lambda found: json.dumps(f"{_BARE}{found[1]}{_BARE}"), text)


def _with_unknown(value: Any, *, quoted: bool = True) -> Any:
    """Data with marks as unknown; unless ``quoted``, a mark alone may be anything but a text."""
    if isinstance(value, dict):
        if any(MARK in str(key) for key in value):
            return Unknown()
        return {str(key): _with_unknown(inner, quoted=quoted) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_unknown(inner, quoted=quoted) for inner in value]
    return _marked(value, quoted=quoted) if isinstance(value, str) else value


def _marked(text: str, *, quoted: bool = True) -> Any:
    """What a text with marks stands for: a text of which a part is unknown keeps its pieces."""
    whole = MARKED.fullmatch(text)
    if text.startswith(_BARE):
        return Unknown(text.strip(_BARE) or None)
    if whole is not None and not quoted:
        return Unknown(whole[1] or None)
    if MARK not in text:
        return text
    pieces: list[str | Unknown] = []
    for index, piece in enumerate(MARKED.split(text)):
        if index % 2:
            pieces.append(Unknown(piece or None))
        elif piece:
            pieces.append(piece)
    return Unknown(whole[1] or None if whole is not None else None, pieces=tuple(pieces))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    else:
        text = text_with_marks(value)
        if text is not None:
            yield text

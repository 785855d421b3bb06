"""Findings that are meant to stay: by rule, each with its reason, beside what they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from local_aws.suggest import nearest
from local_aws.template import Unknown
from sagemaker_serving.errors import Mistake, Problem, Severity, Where
from sagemaker_serving.rules.engine import Rule
from sagemaker_serving.rules.template.reading import Template
from sagemaker_serving.spec import EnvironmentFile
from sagemaker_serving.spec.yaml_text import read_yaml, text_of

METADATA = "SageMakerServing"
"""The key of a template's or a resource's Metadata below which ``acknowledge`` stands."""


@dataclass(frozen=True, kw_only=True)
class Acknowledgement:
    """That a finding of ``rule`` is meant to stay, and why.

    It is written at ``where`` and counts below ``path``: everywhere if that is empty.
    """

    rule: str
    reason: Any
    where: Where
    path: tuple[str | int, ...] = ()


def environment_acknowledgements(file: EnvironmentFile) -> Iterator[Acknowledgement]:
    """What the file acknowledges: for itself, and for each model."""
    yield from _listed(file.data, file.where, ())
    models = file.data.get("models")
    for name, model in models.items() if isinstance(models, Mapping) else ():
        yield from _listed(model, file.where / "models" / str(name), ("models", str(name)))


def template_acknowledgements(template: Template) -> Iterator[Acknowledgement]:
    """What a template's Metadata acknowledges: for itself, and for each resource."""
    above = template.where / "Metadata" / METADATA
    yield from _listed(template.metadata.get(METADATA), above, ())
    for name, resource in template.resources.items():
        metadata = resource.get("Metadata") if isinstance(resource, Mapping) else None
        if isinstance(metadata, Mapping):
            place = template.where / str(name) / "Metadata" / METADATA
            yield from _listed(metadata.get(METADATA), place, (str(name),))


def read_acknowledgements(path: Path) -> list[Acknowledgement]:
    """What a file of acknowledgements has, ``rule: reason``, for all that is checked.

    Raises `Mistake` where it is no mapping, or cannot be read.
    """
    data, where, _ = read_yaml(text_of(path, "write it, or leave --acknowledge out"), str(path))
    if not isinstance(data, Mapping):
        raise Mistake(f"{path}: write a mapping, such as instance-retired: moved in March")
    return [
        Acknowledgement(rule=str(rule), reason=reason, where=where / str(rule))
        for rule, reason in data.items()
    ]


def apply(
    problems: Iterable[Problem], given: Sequence[Acknowledgement], rules: Sequence[Rule]
) -> list[Problem]:
    """``problems`` with those acknowledged as notes, and what is wrong with an acknowledgement.

    The first that fits gives the reason.
    """
    ids = {alias: rule.id for rule in rules for alias in (rule.id, *rule.aliases)}
    given = [replace(one, rule=ids.get(one.rule, one.rule)) for one in given]
    known = set(ids.values())
    sound = [one for one in given if one.rule in known and _says(one.reason)]
    return [
        *(_with_reason(problem, sound) for problem in problems),
        *(_fault(one, known) for one in given if one not in sound),
    ]


def _listed(above: Any, where: Where, path: tuple[str | int, ...]) -> Iterator[Acknowledgement]:
    written = above.get("acknowledge") if isinstance(above, Mapping) else None
    for rule, reason in written.items() if isinstance(written, Mapping) else ():
        place = where / "acknowledge" / str(rule)
        if not isinstance(reason, Unknown):  # else its type is told
            yield Acknowledgement(rule=str(rule), reason=reason, where=place, path=path)


def _says(reason: Any) -> bool:
    return isinstance(reason, str) and bool(reason.strip())


def _with_reason(problem: Problem, given: Sequence[Acknowledgement]) -> Problem:
    for one in given:
        inside = problem.where.path[: len(one.path)] == one.path
        if inside and problem.rule == one.rule and problem.severity is not Severity.NOTE:
            return replace(problem, severity=Severity.NOTE, acknowledged=str(one.reason).strip())
    return problem


def _fault(one: Acknowledgement, known: set[str]) -> Problem:
    if one.rule in known:
        message = f"{one.rule} is acknowledged without a reason; say why it is meant to stay"
    else:
        near = nearest(one.rule, known)
        meant = f"; did you mean {near}?" if near else "; sagemaker-serving docs rules has them"
        message = f"there is no rule {one.rule!r} to acknowledge{meant}"
    return Problem(rule="acknowledge", where=one.where, message=message)

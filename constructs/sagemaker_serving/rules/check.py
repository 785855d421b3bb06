"""All problems of an environment file or a template at once: its shape and every rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from datetime import date

from sagemaker_serving.errors import Problem, Severity, Where
from sagemaker_serving.rules.acknowledgements import (
    Acknowledgement,
    apply,
    environment_acknowledgements,
    template_acknowledgements,
)
from sagemaker_serving.rules.deployment.shapes import GENERAL
from sagemaker_serving.rules.engine import Rule, judged_by
from sagemaker_serving.rules.environment.facts import environment_facts
from sagemaker_serving.rules.facts import ArtifactFacts, ContainerFacts
from sagemaker_serving.rules.facts.shapes import ShapeFacts
from sagemaker_serving.rules.facts.template import SchemaFacts
from sagemaker_serving.rules.registry import RULES
from sagemaker_serving.rules.template import Template, judge_template
from sagemaker_serving.rules.template.schemas import schemas_are_here
from sagemaker_serving.spec import EnvironmentFile


def check_environment(
    file: EnvironmentFile,
    rules: Sequence[Rule] = RULES,
    *,
    today: date | None = None,
    acknowledged: Sequence[Acknowledgement] = (),
) -> list[Problem]:
    """Every problem of ``file``, errors and warnings, in the order of its lines.

    ``rules`` are all of this project's; one's own stand beside them: ``(*RULES, mine)``. ``today``
    is the day by which rules on the calendar judge, this day by default. What the file acknowledges
    is a note, and so is what ``acknowledged`` does.
    A fault of shape is named for that alone. Reads the models on disk that it names; touches no
    network and starts no process.
    """
    judge = judged_by(rules, today)
    own, shapes, _ = _by_voice(environment_facts(file))
    of_members, general = _by_member(judge(shapes))
    found = _once([*_told(own, judge), *of_members], general)
    given = [*environment_acknowledgements(file), *acknowledged]
    return _in_order([*file.shape_problems, *apply(found, given, rules)])


def check_template(
    template: Template,
    region: str | None = None,
    rules: Sequence[Rule] = RULES,
    *,
    today: date | None = None,
    acknowledged: Sequence[Acknowledgement] = (),
) -> list[Problem]:
    """Every problem of a CloudFormation template, errors and warnings, in the order of its lines.

    ``region`` is where it is to be deployed. Without one, a note says that the
    rules which depend on it did not run. What a deploy chooses, by parameters and so by
    conditions, is judged as `judge_template` says; what it alone knows passes unjudged. ``rules``,
    ``today`` and ``acknowledged`` are as for `check_environment`; the template's Metadata
    acknowledges too.
    """
    given = [*template_acknowledgements(template), *acknowledged]
    judge = judged_by(rules, today)

    def judged(facts: Iterable[object]) -> list[Problem]:
        own, shapes, schemas = map(judge, _by_voice(facts))
        of_members, general = _by_member(shapes)
        return _once([*own, *of_members], schemas, general)

    problems, notes = judge_template(template, region, judged)
    if template.document is not None and not schemas_are_here():
        notes.append(
            Problem(
                rule="schemas-missing",
                where=template.where,
                message="CloudFormation's schemas are not installed, so resources were not judged "
                "by them; pip install 'sagemaker-serving[check]'",
                severity=Severity.NOTE,
            )
        )
    return [*_in_order(apply(problems, given, rules)), *notes]


def _told(
    facts: Iterable[object], judge: Callable[[Iterable[object]], list[Problem]]
) -> list[Problem]:
    """Each problem once; one of a field of the model's with the variants it is about, if not all.

    Such a field is judged below each variant, and may be wrong for one alone: there are images of
    2.20, and none for Elastic Inference.
    """
    variants: dict[object, dict[Where, None]] = {}
    about: dict[Problem, dict[Where, None]] = {}
    for fact in facts:
        container = fact.container if isinstance(fact, ArtifactFacts) else fact
        own: dict[Where, None] = {}
        if isinstance(container, ContainerFacts) and "variants" in str(container.where.path[2:3]):
            own = {container.where: None}
            variants.setdefault(container.where.path[:2], {}).update(own)
        for problem in judge([fact]):
            about.setdefault(problem, {}).update(own)
    return [
        _naming(found, of, variants.get(found.where.path[:2], {})) for found, of in about.items()
    ]


def _naming(problem: Problem, of: Iterable[Where], variants: Sized) -> Problem:
    inherits = [each for each in of if problem.where.path[: len(each.path)] != each.path]
    if not inherits or len(inherits) == len(variants):
        return problem
    names = [repr(each.labels.get(each.path, str(each.path[-1]))) for each in inherits]
    kind = "variant" if len(names) == 1 else "variants"
    return replace(problem, message=f"for {kind} {' and '.join(names)}: {problem.message}")


def _by_voice(facts: Iterable[object]) -> tuple[list[object], list[object], list[object]]:
    """Facts of our own, those beside AWS's API's shapes, and those beside schemas."""
    own: list[object] = []
    shapes: list[object] = []
    schemas: list[object] = []
    for fact in facts:
        of_schema = schemas if isinstance(fact, SchemaFacts) else own
        (shapes if isinstance(fact, ShapeFacts) else of_schema).append(fact)
    return own, shapes, schemas


def _by_member(problems: list[Problem]) -> tuple[list[Problem], list[Problem]]:
    """What has an id of its own, and what has a general one: a schema's is heard before that."""
    general = [problem for problem in problems if problem.rule in _GENERAL]
    return [problem for problem in problems if problem.rule not in _GENERAL], general


def _once(own: list[Problem], *others: list[Problem]) -> list[Problem]:
    """Without what is told twice.

    What has a wrong type is named for that alone, as in an environment file. Of all else each of
    the ``others`` says nothing where one before it has found an error: of the same place, or of
    what is missing there.
    """
    typed = {
        each.where.path: each for found in reversed(others) for each in found if each.rule in _TYPES
    }
    told = [problem for problem in own if problem.where.path not in typed]
    for found in others:
        errors: dict[tuple[str | int, ...], str] = {}
        for problem in told:
            if problem.severity is Severity.ERROR:
                said = errors.get(problem.where.path, "")
                errors[problem.where.path] = f"{said} {problem.message}"
        told += [
            problem
            for problem in found
            if problem.where.path not in typed
            and problem.where.path not in errors
            and not _lacks_what_is_told(problem, errors)
        ]
    return [*told, *typed.values()]


_TYPES = ("schema-type", "aws-type")
_GENERAL = tuple(rule.id for rule in GENERAL)


def _lacks_what_is_told(problem: Problem, errors: Mapping[tuple[str | int, ...], str]) -> bool:
    *above, name = problem.where.path or ("",)
    return f"needs {name};" in problem.message and str(name) in errors.get(tuple(above), "")


def _in_order(problems: list[Problem]) -> list[Problem]:
    """Each problem once, by its line."""
    unique = {(problem.rule, problem.where, problem.message): problem for problem in problems}
    return sorted(unique.values(), key=lambda problem: problem.where.line or 0)

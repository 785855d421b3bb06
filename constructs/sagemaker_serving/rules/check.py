"""All problems of an environment file at once: its shape and every rule."""

from __future__ import annotations

from sagemaker_serving.errors import Problem
from sagemaker_serving.rules import (  # noqa: F401  (each registers its rules)
    artifacts,
    batching,
    containers,
    environments,
    images,
    instance_types,
    transforms,
    variants,
)
from sagemaker_serving.rules.engine import judge
from sagemaker_serving.rules.environment_facts import environment_facts
from sagemaker_serving.spec import EnvironmentFile


def check_environment(file: EnvironmentFile) -> list[Problem]:
    """Every problem of ``file``, errors and warnings, in the order of its lines.

    Reads the models on disk that it names; touches no network and starts no
    process.
    """
    problems = [*file.shape_problems, *judge(environment_facts(file))]
    unique = {(problem.rule, problem.where, problem.message): problem for problem in problems}
    return sorted(unique.values(), key=lambda problem: problem.where.line or 0)

"""Reads an environment file: YAML with line numbers, what it extends, then the types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sagemaker_serving.errors import Problem, ProblemsFound, Where
from sagemaker_serving.spec.environment import Environment
from sagemaker_serving.spec.inheritance import read_with_bases
from sagemaker_serving.spec.shape import as_meant, shape_problems


def read_environment(path: Path) -> EnvironmentFile:
    """Reads ``path`` as an environment file, judging only its shape.

    The result holds the plain data, what it extends included and `as_meant`, every place's line,
    the problems of shape, and the typed `Environment` when there were none. Raises `ProblemsFound`
    when there is no such file, or it is not YAML.
    """
    data, where, problems = read_with_bases(path)
    environment = None
    try:
        environment = Environment.model_validate(data)
    except ValidationError as error:
        problems += shape_problems(error, where)
        data = as_meant(data, error)
    return EnvironmentFile(
        path=path,
        data=data if isinstance(data, dict) else {},
        where=where,
        shape_problems=tuple(problems),
        environment=environment if not problems else None,
    )


@dataclass(frozen=True, kw_only=True)
class EnvironmentFile:
    """An environment file as it was read: plain data, places, and the typed value if sound."""

    path: Path
    data: dict[str, Any]
    where: Where
    shape_problems: tuple[Problem, ...]
    environment: Environment | None

    @property
    def sound(self) -> Environment:
        """The typed value; raises `ProblemsFound`, all at once, where the shape is wrong."""
        if self.environment is None:
            raise ProblemsFound(self.shape_problems)
        return self.environment

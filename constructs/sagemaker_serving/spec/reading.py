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

FOLDER = Path("environments")
"""Where an app has its environment files, and what the paths in them are relative to."""

_SUFFIXES = (".yaml", ".yml")


def environment_path(given: str) -> Path:
    """The file of an environment that is given by its path, or named.

    Its name is the file's in `FOLDER`, as ``-c env=`` has it, or else the one that the file says.
    """
    path = FOLDER / f"{given}.yaml"
    if given.endswith(_SUFFIXES):
        return (
            Path(given) if Path(given).exists() or not (FOLDER / given).exists() else FOLDER / given
        )
    if path.exists():
        return path
    return next((each for each in sorted(FOLDER.glob("[!_]*.yaml")) if _name(each) == given), path)


def _name(path: Path) -> object:
    try:
        data, _, _ = read_with_bases(path)
    except ProblemsFound:
        return None  # whoever reads it says what is wrong
    return data.get("name") if isinstance(data, dict) else None


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

"""environments/environment.schema.json: the types of an environment file, for editors."""

from __future__ import annotations

from pathlib import Path

from sagemaker_serving.spec import environment_schema

PAGE = Path(__file__).parents[2] / "environments" / "environment.schema.json"


def page() -> str:
    """The schema as the command ``schema`` prints it."""
    return environment_schema()

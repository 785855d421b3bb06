"""``sagemaker-serving schema``: the JSON Schema of environment files."""

from __future__ import annotations

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of environment files, for editors.

    \b
    Example, with the first line of an environment file that uses it:
      sagemaker-serving schema > environments/environment.schema.json
      # yaml-language-server: $schema=environment.schema.json
    """
    from sagemaker_serving.spec import environment_schema

    click.echo(environment_schema(), nl=False)

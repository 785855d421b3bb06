"""``sagemaker-serving local destroy``: an environment taken down on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from local_aws.cli.options import empty_option, state_dir_option, verbose_option
from sagemaker_serving.cli.completing import EnvironmentName


@click.command()
@click.argument("environment", metavar="ENV_OR_FILE", type=EnvironmentName())
@empty_option
@verbose_option
@state_dir_option
def destroy(environment: str, empty: bool, verbose: bool, state_dir: Path) -> None:
    """Delete the stacks that `local deploy` made of environments/ENV.yaml.

    It asks nothing. As on AWS, what a stack retains stays, a bucket with objects in it fails the
    storage stack but with --empty, and `production: true` protects its stacks. Ends with 1 and the
    first reason then. `local down` stops the local AWS and keeps all of it; `local up --fresh`
    starts empty.

    \b
    Examples:
      sagemaker-serving local destroy dev
      sagemaker-serving local destroy environments/dev.yaml
    """
    from local_aws.cli.destroy import destroy_and_tell
    from sagemaker_serving.extras import need
    from sagemaker_serving.spec.reading import environment_path

    need("cdk", "local")
    path = environment_path(environment)
    app = path.resolve().parent.parent
    destroy_and_tell(app, state_dir, path.stem, verbose=verbose, empties=empty)

"""``sagemaker-serving local deploy``: the real CDK CLI, onto this machine."""

from __future__ import annotations

from pathlib import Path

import click

from local_aws.cli.options import local_address, state_dir_option, warn
from sagemaker_serving.cli.completing import FOLDER, EnvironmentName, environment_path


@click.command()
@click.argument("environment", metavar="ENV_OR_FILE", type=EnvironmentName())
@state_dir_option
def deploy(environment: str, state_dir: Path) -> None:
    """Check, synthesize and deploy environments/ENV.yaml with the real CDK CLI.

    A path such as environments/dev.yaml will do, too.

    Deploying again updates what is there, as on AWS. At the end it prints the calls that were
    denied, with the permissions that they lack. It also prints the resources that are only stored
    and do nothing here. Ends with 2 when the environment is wrong, and with 1 and the first reason
    when a stack fails.
    """
    from local_aws.cli.deploy import deploy_and_tell
    from local_aws.credentials import ACCOUNT_ID
    from sagemaker_serving.errors import Mistake, ProblemsFound, Severity
    from sagemaker_serving.extras import need
    from sagemaker_serving.rules import check_environment
    from sagemaker_serving.spec import read_environment

    need("cdk", "local")
    path = environment_path(environment)
    if path.parent.resolve().name != FOLDER.name:
        raise Mistake(
            f"{path}: app.py deploys what lies in {FOLDER}/ beside it; put the file there"
        )
    file = read_environment(path)
    problems = check_environment(file)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        raise ProblemsFound(errors)
    assert file.environment is not None
    status = deploy_and_tell(
        path.parent.resolve().parent,
        local_address(state_dir),
        file.environment.region,
        assembly=(state_dir / f"cdk.out-{path.stem}").resolve(),
        context={"env": path.stem, "account": ACCOUNT_ID},
    )
    notes = {each["name"]: each["notes"] for each in status.get("endpoints", ())}
    for name, model in file.environment.models.items():
        if model.variants:
            endpoint = file.environment.endpoint_name(name)
            click.echo(f"in service: {endpoint}")
            for note in notes.get(endpoint, ()):
                warn(f"{endpoint}: {note}")

"""``sagemaker-serving local deploy``: the real CDK CLI, onto this machine."""

from __future__ import annotations

from pathlib import Path

import click

from sagemaker_serving.cli.options import local_address, state_dir_option


@click.command()
@click.argument("environment", metavar="ENV")
@state_dir_option
def deploy(environment: str, state_dir: Path) -> None:
    """Check, synthesize and deploy environments/ENV.yaml with the real CDK CLI.

    Deploying again updates what is there, as on AWS. Calls that were denied
    meanwhile are told at the end, with what would let them; so is what the
    local AWS only keeps. Ends with 2 when
    the environment is wrong, with 1 and the first reason when a stack fails.
    """
    from local_aws.context import ACCOUNT_ID
    from local_aws.process import ending_all
    from local_aws.process.cdk import CdkCli
    from local_aws.process.denied import telling_denied_calls
    from sagemaker_serving.errors import ProblemsFound, Severity
    from sagemaker_serving.rules import check_environment
    from sagemaker_serving.spec import read_environment

    file = read_environment(Path("environments") / f"{environment}.yaml")
    problems = check_environment(file)
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    if errors:
        raise ProblemsFound(errors)
    assert file.environment is not None
    address = local_address(state_dir)
    cdk = CdkCli(Path.cwd(), address, file.environment.region)
    assembly = (state_dir / f"cdk.out-{environment}").resolve()
    with telling_denied_calls(address, _warn), ending_all():
        cdk.synth(assembly, env=environment, account=ACCOUNT_ID)
        cdk.bootstrap()
        images = cdk.deploy(assembly)
    status = address.status()
    for stack in status["stacks"]:
        for kept in stack["only_kept"]:
            _warn(f"only kept, and nothing done by it: {kept} of {stack['name']}")
    for image in images:
        _warn(f"only kept, and nothing runs it: image {image}")
    notes = {each["name"]: each["notes"] for each in status["endpoints"]}
    for name, model in file.environment.models.items():
        if model.variants:
            endpoint = file.environment.endpoint_name(name)
            click.echo(f"in service: {endpoint}")
            for note in notes.get(endpoint, ()):
                _warn(f"{endpoint}: {note}")


def _warn(line: str) -> None:
    click.secho(f"warning: {line}", fg="yellow", err=True)

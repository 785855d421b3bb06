"""``sagemaker-serving local deploy``: the real CDK CLI, onto this machine."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from local_aws.cli.options import (
    json_option,
    local_address,
    state_dir_option,
    verbose_option,
    warn,
)
from sagemaker_serving.cli.completing import FOLDER, EnvironmentName, split_model

if TYPE_CHECKING:
    from local_aws.process.assembly import AssembledStack
    from sagemaker_serving.spec import Environment

_LOOK_SECONDS = 0.25
_LOOKS = 20 * 60 * 4


@click.command()
@click.argument("environment", metavar="ENV_OR_FILE", type=EnvironmentName())
@verbose_option
@json_option
@state_dir_option
def deploy(environment: str, verbose: bool, as_json: bool, state_dir: Path) -> None:
    """Check, synthesize and deploy environments/ENV.yaml with the real CDK CLI.

    A path such as environments/dev.yaml will do, too. Where there is no CDK app yet, it adds the
    one of `init`. An app that makes no stack of ENV is another one, and is not deployed.

    Deploying again updates what is there, as on AWS, in a few seconds. The app has waited with all
    that it imports imported: its own code runs anew, and stacks are updated by the CDK CLI's
    change sets without the CLI. Where that cannot be it says why, and the CLI does it. The app that
    waits takes some 200 MB until `local down`, or until an hour has passed. While you write a
    handler, `serve ENV/MODEL --reload` answers within a second of saving.

    At the end it prints the calls that were denied, with the permissions that they lack. It also
    prints the resources that are only stored and do nothing here. An endpoint that is Failed is
    made again. Ends with 2 when the environment is wrong, and with 1 and the first reason when a
    stack fails or an endpoint is not in service. --json prints each endpoint's name, why it is
    not in service (null where it is), and notes; all else is on standard error.
    """
    from local_aws.cli.deploy import deploy_and_tell
    from local_aws.credentials import ACCOUNT_ID
    from sagemaker_serving.cli.init.app import lay_app
    from sagemaker_serving.client.aws import aws_failures
    from sagemaker_serving.errors import Failure, Mistake, ProblemsFound, Severity
    from sagemaker_serving.extras import need
    from sagemaker_serving.rules import check_environment
    from sagemaker_serving.spec.reading import environment_path, read_environment

    need("cdk", "local")
    path = environment_path(environment)
    app = Path(environment).parent if Path(environment).is_file() else Path(environment)
    if (app / "cdk.json").is_file() and not path.exists():
        raise Mistake(
            f"{environment} is a CDK app, and this deploys an environment file; to run any app "
            f"here, type `local-aws deploy {app} --state-dir {state_dir}`"
        )
    whole, alone = split_model(environment)
    if whole is not None and not path.exists() and environment_path(whole).exists():
        raise Mistake(
            f"{alone} is a model, and an environment is deployed, with all its models; give {whole}"
        )
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
    address = local_address(state_dir)
    project = path.parent.resolve().parent
    if project == Path.cwd() and (laid := lay_app()) is not None:
        click.echo(laid, err=as_json)

    assembly = (state_dir / f"cdk.out-{path.stem}").resolve()
    wanted = file.environment

    def must_make_it(stacks: Sequence[AssembledStack]) -> None:
        made = [stack.name for stack in stacks]
        if not _makes(wanted, made, assembly):
            raise Mistake(
                f"{project / 'cdk.json'} is another app's: it makes {', '.join(made)}, and nothing "
                f"of {wanted.name}; nothing is deployed; move {FOLDER}/ to a folder without "
                "cdk.json, to which the app is added; that one is deployed by "
                f"`local-aws deploy {project} --state-dir {state_dir}`"
            )

    status = deploy_and_tell(
        project,
        address,
        file.environment.region,
        assembly=assembly,
        context={"env": path.stem, "account": ACCOUNT_ID, "organization": "none"},
        verbose=verbose and not as_json,
        accept=must_make_it,
    )
    notes = {each["name"]: each["notes"] for each in status.get("endpoints", ())}
    sagemaker = address.client("sagemaker", file.environment.region)
    told: dict[str, str | None] = {}
    for name, model in file.environment.models.items():
        if model.variants:
            endpoint = file.environment.endpoint_name(name)
            with aws_failures():
                told[endpoint] = reason = _brought_into_service(sagemaker, endpoint)
            if reason is not None:
                continue
            click.echo(f"in service: {endpoint}", err=as_json)
            for note in notes.get(endpoint, ()):
                warn(f"{endpoint}: {note}")
    if as_json:
        rows = [
            {"endpoint": each, "reason": reason, "notes": [*notes.get(each, ())]}
            for each, reason in told.items()
        ]
        click.echo(json.dumps(rows, indent=2))
    failed = [f"{each}: {reason}" for each, reason in told.items() if reason is not None]
    if failed:
        raise Failure("; ".join(failed))


def _makes(environment: Environment, stacks: Sequence[str], assembly: Path) -> bool:
    """Whether stacks are of the environment: by their names, or by endpoints of its names, where
    somebody has named the stacks of the app otherwise."""
    from sagemaker_serving.rules.template.assembly import templates_of

    endpoints = [environment.endpoint_name(model) for model in environment.models]
    return any(name.startswith(environment.stack_name("")) for name in stacks) or any(
        f'"{endpoint}"' in path.read_text(encoding="utf-8")
        for path, _ in templates_of(assembly)
        for endpoint in endpoints
    )


def _brought_into_service(sagemaker: Any, endpoint: str) -> str | None:
    """Waits until ``endpoint`` is in service; one that failed is made again, once.

    CDK leaves an endpoint alone whose template did not change, also where it did not come again
    with the local AWS. Gives the reason when it is not in service in the end.
    """
    found = _settled(sagemaker, endpoint)
    if found["EndpointStatus"] == "Failed":
        reason = found.get("FailureReason", "no reason is told").rstrip(".")
        warn(f"{endpoint} was Failed ({reason}); it is made again")
        tags = sagemaker.list_tags(ResourceArn=found["EndpointArn"])["Tags"]
        sagemaker.delete_endpoint(EndpointName=endpoint)
        sagemaker.get_waiter("endpoint_deleted").wait(
            EndpointName=endpoint, WaiterConfig={"Delay": _LOOK_SECONDS, "MaxAttempts": _LOOKS}
        )
        sagemaker.create_endpoint(
            EndpointName=endpoint, EndpointConfigName=found["EndpointConfigName"], Tags=tags
        )
        found = _settled(sagemaker, endpoint)
    if found["EndpointStatus"] == "InService":
        return None
    return str(found.get("FailureReason", f"it is {found['EndpointStatus']}"))


def _settled(sagemaker: Any, endpoint: str) -> Mapping[str, Any]:
    """The endpoint's description, once it does not change by itself any more."""
    from sagemaker_serving.client.describing import described_endpoint

    for _ in range(_LOOKS):
        found = described_endpoint(sagemaker, endpoint)
        if found["EndpointStatus"] in ("InService", "Failed", "OutOfService"):
            break
        time.sleep(_LOOK_SECONDS)
    return found

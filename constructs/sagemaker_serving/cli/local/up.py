"""``sagemaker-serving local up``: start it, with what stands in for images."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from local_aws.cli.up import start_and_tell, up_options
from sagemaker_serving.cli.local.status import SAGEMAKER

_ENGINE = click.option(
    "--engine",
    "engines",
    multiple=True,
    metavar="REPOSITORY=ENGINE",
    help="The server for a repository's images: tensorflow, tensorflow:VERSION, pytorch, "
    "ray-serve, ray-serve-streaming, stub (its answers say so), or command:PROGRAM. PROGRAM "
    "listens on SAGEMAKER_BIND_TO_PORT or 8080; its model is in SM_MODEL_DIR. May be given several "
    "times, also while it runs, and is remembered; `none` forgets it.",
)
_WITHOUT_ENGINES = click.option(
    "--without-engines/--with-engines",
    default=None,
    help="Start no model servers: endpoints become InService, and answer that nothing serves "
    "them. Is remembered.  [default: as before]",
)
_PAYLOAD = click.option(
    "--payload-mb",
    type=click.FloatRange(min=0, min_open=True, max=25),
    help="The most MiB of a request to an endpoint, such as 6, which AWS's service model has, or "
    "5, as it was before.  [default: 25, by SageMaker's hosting FAQ]",
)
_QUOTAS = click.option(
    "--quotas",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file with an account's quotas, as check --account-file or `aws service-quotas "
    "list-service-quotas` writes it: instances beyond them are refused, as AWS refuses them.",
)


@click.command()
@up_options(_ENGINE, _WITHOUT_ENGINES, _PAYLOAD, _QUOTAS)
def up(
    engines: tuple[str, ...],
    without_engines: bool | None,
    payload_mb: float | None,
    quotas: Path | None,
    **given: Any,
) -> None:
    """Start the local AWS and return when it answers.

    It restores the stacks, objects and endpoints of its last run. A stack whose deploy was
    interrupted is rolled back, with a message.

    \b
    Examples:
      sagemaker-serving local up --engine team/server=pytorch
      sagemaker-serving local up --engine 'djl-inference=command:python djl.py'
      sagemaker-serving local up --engine vllm=stub --time-scale 60
      sagemaker-serving local up --payload-mb 6
      sagemaker-serving local up --quotas prod-account.json
    """
    from sagemaker_serving.extras import need

    need("local", *(() if without_engines else ("tensorflow",)))
    from sagemaker_serving.local_sagemaker.common.quotas import KEPT_TO, read_quotas
    from sagemaker_serving.local_sagemaker.common.settings import (
        ENGINES,
        PAYLOAD_MB,
        QUOTAS,
        WITHOUT_ENGINES,
        declarations,
    )
    from sagemaker_serving.local_sagemaker.engines.declarations import read_declarations

    declared = read_declarations({ENGINES: declarations(os.environ), "--engine": engines})
    environment = {ENGINES: "\n".join(f"{name}={engine}" for name, engine in declared.items())}
    if without_engines is not None:
        environment[WITHOUT_ENGINES] = f"{without_engines:d}"
    if payload_mb is not None:
        environment[PAYLOAD_MB] = str(payload_mb)
    if quotas is not None:
        taken = read_quotas(quotas)
        environment[QUOTAS] = str(quotas.absolute())
        kept_to = sum(name.endswith(KEPT_TO) for name in taken)
        click.echo(f"{quotas}: quotas read: {len(taken)}; kept to, of instances: {kept_to}")
    others = [given[name] for name in ("port", "foreground", "fresh", "time_scale", "strict")]
    if engines and list(environment) == [ENGINES] and others == [None, False, False, None, False]:
        from local_aws.process.address import answers, find

        if answers(given["state_dir"]):
            find(given["state_dir"]).set(environment)
            for repository, engine in declared.items():
                click.echo(f"from now on {engine} serves images of {repository}")
            click.echo("an endpoint that has failed is made again by its next `local deploy`")
            return
    start_and_tell(SAGEMAKER, environment=environment, **given)

"""The commands of ``sagemaker-serving``: one file per command, each imported only when it runs."""

from __future__ import annotations

from typing import Any

import click

from local_aws.cli.lazy import CONTEXT, LazyGroup
from sagemaker_serving import __version__

INSTEAD = {
    "cache": "package --no-cache",
    "predict -f": "predict ENDPOINT FILE",
    "prices --refresh": "prices --update",
    "serve --record": "golden --record",
    "tune": "bench --find-batching",
}
"""What stands for a command of 0.1.0, or for an option of one. CHANGELOG.md has the same table."""


class RenamingGroup(LazyGroup):
    """Commands, and what is told of one that had another name."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is named; raises `click.UsageError` for one that is gone."""
        if arguments[0] in INSTEAD:
            raise click.UsageError(_told(arguments[0]), context)
        return super().resolve_command(context, arguments)

    def invoke(self, context: click.Context) -> Any:
        """Runs the command; raises `click.UsageError` for an option that is gone."""
        try:
            return super().invoke(context)
        except click.NoSuchOption as error:
            owner = error.ctx if error.ctx is not None else context
            used = f"{owner.info_name} {error.option_name}"
            if used not in INSTEAD:
                raise
            raise click.UsageError(_told(used), owner) from None


def _told(used: str) -> str:
    return f"{used!r} is of version 0.1.0; write {INSTEAD[used]!r}"


_COMMANDS = {
    "Describe": {
        "init": "Write an environment file for a model on disk.",
        "inspect": "Show what is in a model or an archive, and its faults.",
        "package": "Pack models into model.tar.gz, with the same bytes every time.",
        "adopt": "Write an environment file of an endpoint that serves already.",
    },
    "Check": {
        "check": "Name every mistake in environment files or templates.",
        "diff": "Compare two environments, or show what the next deploy needs.",
        "prices": "Print what environments cost per month, at least and at most.",
    },
    "Try on this machine": {
        "local": "Run AWS on this machine: up, deploy, status, down.",
        "serve": "Serve a model as the SageMaker container does.",
    },
    "Deploy, beside cdk deploy": {
        "watch": "Show a rollout as it happens, and fail when it fails.",
        "rollback": "Return an endpoint to the config that it served before.",
    },
    "Run": {
        "predict": "Send requests to an endpoint and print the answers.",
        "transform": "Transform many objects in a batch, and report on each.",
        "golden": "Send recorded requests to an endpoint and compare the answers.",
        "replay": "Send captured requests again and compare the answers.",
        "bench": "Compare variants, or find the best batching.",
    },
    "Look": {
        "explain": "Show what an endpoint runs, and whether a file says the same.",
        "dashboard": "Print the address of a model's dashboard, or its latest values.",
        "docs": "Print a page of the documentation, or list the pages.",
        "images": "Print the container images that AWS publishes.",
        "instances": "Print the instance types that SageMaker takes, and where.",
    },
    "Rarely needed": {
        "archives": "List, add or remove the models of a multi-model endpoint.",
        "compile": "Compile a model with SageMaker Neo, without a deploy.",
        "schema": "Print the JSON Schema of environment files, for editors.",
    },
}


@click.group(cls=RenamingGroup, package=__package__, sections=_COMMANDS, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="sagemaker-serving")
def group() -> None:
    """Put a model on Amazon SageMaker, and try it on this machine first.

    \b
    Start here:
      sagemaker-serving init                        describe a model in a file
      sagemaker-serving check environments/*.yaml   name every mistake
      sagemaker-serving local up                    start the local AWS
      sagemaker-serving local deploy local          deploy to it by CDK's CLI
      sagemaker-serving predict local-half-plus-three '[1, 2]' --local
      cdk deploy -c env=prod --all                  deploy to AWS
      sagemaker-serving docs skill                  what a coding agent needs
    """

"""The command line: one file per command, each imported only when it runs."""

from __future__ import annotations

import os
import sys

import click

from local_aws import terminal
from sagemaker_serving import __version__
from sagemaker_serving.cli.lazy import LazyGroup
from sagemaker_serving.errors import LocalAwsEnded, ReportedError


def main() -> None:
    """Runs ``sagemaker-serving``: exit status 2 for the user's mistake, 1 for the world's."""
    terminal.install()
    try:
        # Without standalone mode click returns the status that a command ended with.
        sys.exit(_group.main(standalone_mode=False))
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ReportedError as error:
        click.echo(f"sagemaker-serving: {error}", err=True)
        if isinstance(error, LocalAwsEnded):
            from local_aws.process.alive import exit_at_once

            exit_at_once(error.exit_status)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        click.echo(f"sagemaker-serving: {_unexpected(error)}", err=True)
        sys.exit(1)


DEBUG = "SAGEMAKER_SERVING_DEBUG"
"""The variable with which what nobody expected shows its traceback."""


def _unexpected(error: Exception) -> str:
    """What the disk or the network said, or that the fault is this project's own; one line."""
    told = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror is not None:
        place = "" if error.filename is None else f"{error.filename}: "
        return f"{place}{error.strerror.lower()}"
    return (
        f"{type(error).__name__}{': ' if told else ''}{told}; this is a fault of sagemaker-serving "
        f"itself: {DEBUG}=1 shows where; report it with that"
    )


_COMMANDS = {
    "bench": "Compare an endpoint's variants, or find the batching that answers most.",
    "check": "Name every mistake of environment files and templates, in a moment.",
    "compile": "Compile a model with SageMaker Neo, outside of a deploy.",
    "dashboard": "Draw a model's CloudWatch dashboard, or say where it is.",
    "diff": "Show what two environments say differently, or what the next deploy needs.",
    "golden": "Send recorded requests to an endpoint and compare the answers.",
    "explain": "Tell what an endpoint runs, and whether a file says so.",
    "images": "Print the container images that AWS publishes.",
    "inspect": "Show what is in a model or an archive, and what is wrong with it.",
    "instances": "Print the instance types that SageMaker takes, and where.",
    "local": "Run AWS on this machine: up, deploy, status, down.",
    "package": "Pack models into model.tar.gz, the same every time.",
    "predict": "Send requests to an endpoint and print the answers.",
    "prices": "Print what environments cost by the month, at least and at most.",
    "rollback": "Return an endpoint to the config that it served before.",
    "schema": "Print the JSON Schema of environment files, for editors.",
    "serve": "Serve a model as the SageMaker container does.",
    "transform": "Transform many objects in a batch, and account for each.",
    "watch": "Show a rollout as it happens, and fail when it does.",
}


@click.group(
    cls=LazyGroup,
    package=__name__,
    summaries=_COMMANDS,
    # With color click takes no escapes away in a pipe: `terminal` shows them, everywhere alike.
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "color": True,
    },
)
@click.version_option(__version__, prog_name="sagemaker-serving")
def _group() -> None:
    """Put a model on Amazon SageMaker, and try it on this machine first.

    \b
    Start here:
      sagemaker-serving check environments/*.yaml     is it right?
      sagemaker-serving local up                      an AWS on this machine
      sagemaker-serving local deploy local            the real CDK CLI, real templates
      sagemaker-serving predict local-half-plus-three '{"instances": [1.0, 2.0, 5.0]}' --local
      cdk deploy -c env=prod --all                    the same on AWS
    """

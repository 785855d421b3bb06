"""The command line: one file per command, each imported only when it runs."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from sagemaker_serving import __version__
from sagemaker_serving.errors import ServingError


def main() -> None:
    """Runs ``sagemaker-serving``: exit status 2 for the user's mistake, 1 for the world's."""
    try:
        # Without standalone mode click returns the status that a command ended with.
        sys.exit(_group.main(standalone_mode=False))
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except ServingError as error:
        click.echo(f"sagemaker-serving: {error}", err=True)
        sys.exit(error.exit_status)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


class _Commands(click.Group):
    """Finds a command in the file of its name, so that only what runs is loaded."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = import_module(f"sagemaker_serving.cli.{name}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The one-line summaries, without loading a single command."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


_COMMANDS = {
    "check": "Name every mistake of environment files, in a moment.",
    "local": "Run AWS on this machine: up, deploy, status, down.",
    "predict": "Send one request to an endpoint and print the answer.",
    "schema": "Print the JSON Schema of environment files, for editors.",
    "serve": "Serve a model as the SageMaker container does.",
}


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
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

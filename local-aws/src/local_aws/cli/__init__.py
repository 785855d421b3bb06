"""The command line of the local AWS: one file per command, each imported only when it runs."""

from __future__ import annotations

import click

from local_aws.cli.lazy import CONTEXT, LazyGroup

SUMMARIES = {
    "deploy": "Synthesize and deploy a CDK app with the real CDK CLI.",
    "destroy": "Delete the stacks that a deploy made.",
    "down": "Stop the local AWS and every process that it started.",
    "env": "Print the variables that point any AWS tool at the local AWS.",
    "faults": "Make it fail on purpose: throttling, no capacity, killed jobs, slow answers.",
    "logs": "Print the last lines of a function's log, or of any log group, and follow them.",
    "status": "Show stacks, URLs, processes, ports, memory and the state kept.",
    "up": "Start the local AWS and return when it answers.",
}
_SECTIONS = {"Commands": SUMMARIES}


@click.group(cls=LazyGroup, package=__name__, sections=_SECTIONS, context_settings=CONTEXT)
def commands() -> None:
    """Run AWS on this machine: no Docker, no account.

    \b
    Start here:
      local-aws up                        an AWS on this machine
      local-aws deploy path/to/app        the real CDK CLI, the app as it is
      eval "$(local-aws env)"             boto3, the AWS CLI, any SDK go there
      local-aws down                      what is deployed is kept
    """

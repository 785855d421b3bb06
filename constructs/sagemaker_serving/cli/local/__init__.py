"""``sagemaker-serving local``: AWS on this machine, one file per command."""

from __future__ import annotations

import click

from sagemaker_serving.cli.lazy import LazyGroup

_COMMANDS = {
    "deploy": "Check, synthesize and deploy an environment with the real CDK CLI.",
    "down": "End the local AWS and every process that it started.",
    "env": "Print the variables that point any AWS tool at the local AWS.",
    "faults": "Make it fail as AWS does: throttling, no capacity, dead jobs, slow answers.",
    "logs": "Print the last log lines of an endpoint's model servers, and follow them.",
    "status": "Show stacks, endpoints, URLs, processes, ports, memory and the state kept.",
    "up": "Start the local AWS and return when it answers.",
}


@click.group(cls=LazyGroup, package=__name__, summaries=_COMMANDS)
def local() -> None:
    """Run AWS on this machine: up, deploy, status, down.

    The real CDK CLI deploys the real templates to it; endpoints are real
    server processes that load the model and answer. No Docker, no account.
    """

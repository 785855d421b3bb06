"""``sagemaker-serving local``: the commands of the local AWS, with what SageMaker adds to them."""

from __future__ import annotations

import click

from local_aws.cli import SUMMARIES
from local_aws.cli.lazy import LazyGroup

_COMMANDS = SUMMARIES | {
    "deploy": "Check, synthesize and deploy an environment with the real CDK CLI.",
    "destroy": "Delete the stacks that a deploy of an environment made.",
    "logs": "Print the last log lines of an endpoint's model servers, and follow them.",
    "status": "Show stacks, endpoints, URLs, processes, ports, memory and the state kept.",
}


@click.group(
    cls=LazyGroup,
    package=__name__,
    sections={"Commands": _COMMANDS},
    elsewhere=dict.fromkeys(("down", "env", "faults"), "local_aws.cli"),
)
def local() -> None:
    """Run AWS on this machine: up, deploy, status, down.

    The real CDK CLI deploys the real templates to it. Endpoints are server processes that load the
    model and answer. You need no Docker and no AWS account.
    """

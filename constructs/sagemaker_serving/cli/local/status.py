"""``sagemaker-serving local status``: what is deployed and what runs, endpoints among it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from local_aws.cli.options import json_option, state_dir_option
from local_aws.cli.showing import Facts, Shown, Table
from local_aws.cli.status import show_status
from sagemaker_serving.cli.completing import environment_names


@click.command()
@json_option
@state_dir_option
def status(as_json: bool, state_dir: Path) -> None:
    """Show stacks, endpoints, URLs, processes, ports, memory, and where the state is kept."""
    show_status(state_dir, SAGEMAKER, as_json=as_json)


def _engine_lines(facts: Facts) -> Iterator[str]:
    engines = facts.get("engines")
    if engines is None:
        yield "SageMaker is not there: it was started without what serves models"
        return
    if engines["are_off"]:
        yield "no engines: endpoints are InService with nothing behind them (--without-engines)"
    for repository, engine in engines["declared"].items():
        yield f"images of {repository} are served by {engine}"


def _endpoint(endpoint: Facts) -> Sequence[Any]:
    row = (endpoint["name"], endpoint["region"], endpoint["status"], endpoint["config"])
    reason = endpoint["failure_reason"]
    told = [*([] if reason is None else [reason]), *endpoint["notes"]]
    return (*row, "\n    ".join(told))


def _job(job: Facts) -> Sequence[Any]:
    return (job["name"], job.get("status", ""), None)


def _next_step() -> str:
    """What can be deployed from this folder, or how to come by it."""
    names = environment_names()
    if not names:
        return "sagemaker-serving init"
    return f"sagemaker-serving local deploy {'local' if 'local' in names else min(names)}"


SAGEMAKER = Shown(
    next_step=_next_step,
    notes=_engine_lines,
    kept={"endpoints": "endpoint"},
    tables=(
        Table(name="endpoints", columns=("endpoint", "region", "status", "config"), row=_endpoint),
        Table(name="transform_jobs", columns=("transform job", "status"), row=_job),
    ),
)
"""What is shown of a local AWS beside what every one has."""

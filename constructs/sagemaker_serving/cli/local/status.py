"""``sagemaker-serving local status``: what is deployed and what runs, endpoints among it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from local_aws.cli.options import json_option, state_dir_option
from local_aws.cli.showing import Facts, Shown, Table, in_short
from local_aws.cli.status import show_status
from sagemaker_serving.cli.completing import environment_names

_OF_A_BATCH = re.compile(r"-[0-9]{6}-[0-9]{3,}$")
"""Which shard's a job of the batch pipeline is, and which of that shard's."""


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


def _endpoints(endpoints: Sequence[Facts]) -> Iterator[Sequence[Any]]:
    for endpoint in endpoints:
        reason = endpoint["failure_reason"]
        told = [*filter(None, [in_short(reason)]), *endpoint["notes"]]
        columns = (endpoint[name] for name in ("name", "region", "status", "config"))
        yield (*columns, "\n    ".join(told))


def _routers(routers: Sequence[Facts]) -> Iterator[Sequence[Any]]:
    for router in routers:
        asked = (
            f"{target}: " + ", ".join(f"{arn} {status}" for arn, status in destinations.items())
            for target, destinations in router["targets"].items()
        )
        columns = (router[name] for name in ("name", "region", "status"))
        yield (*columns, "\n    ".join(asked))


def _jobs(jobs: Sequence[Facts]) -> Iterator[Sequence[Any]]:
    """A row for each; one for all of a batch execution, whose jobs may fail where it is complete.

    A record that the model refuses fails each job that it is in, until it is alone.
    """
    for name, group in groupby(jobs, key=lambda job: _OF_A_BATCH.sub("", job["name"])):
        statuses = [job.get("status", "") for job in group]
        if len(statuses) == 1:
            yield (name, statuses[0], None)
            continue
        told = ", ".join(f"{number} {status}" for status, number in Counter(statuses).items())
        yield (name, told, "jobs of a batch; `transform status` says what became of its records")


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
        Table(
            name="endpoints", columns=("endpoint", "region", "status", "config"), rows=_endpoints
        ),
        Table(
            name="inference_routers",
            columns=("inference router", "region", "status"),
            rows=_routers,
        ),
        Table(name="transform_jobs", columns=("transform job", "status"), rows=_jobs),
    ),
)
"""What is shown of a local AWS beside what every one has."""

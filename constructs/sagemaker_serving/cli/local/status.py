"""``sagemaker-serving local status``: what is deployed and what runs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from sagemaker_serving.cli.options import local_address, state_dir_option

Facts = Mapping[str, Any]


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print everything, for programs.")
@state_dir_option
def status(as_json: bool, state_dir: Path) -> None:
    """Show stacks, endpoints, URLs, processes, ports, memory, and where the state is kept."""
    facts = local_address(state_dir).status()
    if as_json:
        click.echo(json.dumps(facts, indent=1))
    else:
        _print(facts)


def engine_lines(facts: Facts) -> Iterator[str]:
    """What was said of engines: a line each, none where nothing was."""
    engines = facts["engines"]
    if engines["are_off"]:
        yield "no engines: endpoints are InService with nothing behind them (--without-engines)"
    for repository, engine in engines["declared"].items():
        yield f"images of {repository} are served by {engine}"


def _print(facts: Facts) -> None:
    state = facts["state"]
    click.echo(
        f"local AWS at {facts['url']}, process {facts['pid']}, {_mb(facts['memory_bytes'])}\n"
        f"state in {state['folder']}, {_mb(state['size_bytes'])}, saved {_saved(state)}"
    )
    if state["failure"] is not None:
        click.echo(f"the last save failed: {state['failure']}; local.log has more")
    for service, reason in state["not_kept"].items():
        click.echo(f"not kept when it ends: {service} ({reason})")
    for service, reason in state["lost"].items():
        click.echo(f"not found again: {service} ({reason})")
    for stack in facts["recovered"]:
        click.echo(
            f"recovered: stack {stack['name']} ({stack['region']}) was found in {stack['found']}"
        )
    for line in engine_lines(facts):
        click.echo(line)
    _table(("stack", "region", "status", "resources"), map(_stack, facts["stacks"]))
    for stack in facts["stacks"]:
        for kept in stack["only_kept"]:
            click.echo(f"only kept, and nothing done by it: {kept} of {stack['name']}")
    _table(("endpoint", "region", "status", "config"), map(_endpoint, facts["endpoints"]))
    _table(("transform job", "status"), map(_job, facts["transform_jobs"]))
    _table(("execution", "status"), map(_execution, facts["executions"]))
    apis = [each for kind in _WITH_URLS for each in facts.get(kind, ())]
    _table(("api or function", "url"), map(_api, apis))
    processes = [*facts["processes"], *facts.get("function_processes", ())]
    _table(("process", "pid", "listens", "memory", "log"), map(_process, processes))
    if not facts["stacks"] and not facts["endpoints"]:
        click.echo("nothing is deployed; next: sagemaker-serving local deploy local")


def _stack(stack: Facts) -> Sequence[Any]:
    row = (stack["name"], stack["region"], stack["status"], stack["resources"])
    return (*row, stack["reason"])


def _endpoint(endpoint: Facts) -> Sequence[Any]:
    row = (endpoint["name"], endpoint["region"], endpoint["status"], endpoint["config"])
    reason = endpoint["failure_reason"]
    told = [*([] if reason is None else [reason]), *endpoint["notes"]]
    return (*row, "\n    ".join(told))


def _job(job: Facts) -> Sequence[Any]:
    return (job["name"], job.get("status", ""), None)


def _execution(execution: Facts) -> Sequence[Any]:
    return (execution["arn"].rpartition("execution:")[2], execution["status"], None)


def _api(api: Facts) -> Sequence[Any]:
    return (api.get("name") or api["arn"].partition("function:")[2], api["url"], None)


_WITH_URLS = ("rest_apis", "http_apis", "function_urls")


def _process(process: Facts) -> Sequence[Any]:
    memory = process.get("memory_bytes")
    return (
        process["name"],
        process["pid"],
        process.get("listens", ""),
        "" if memory is None else _mb(memory),
        process.get("log", ""),
        None,
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Aligned columns; a row's last value, when there is one, is a line of its own below."""
    rows = [tuple(row) for row in rows]
    if not rows:
        return
    texts = [columns, *([str(value) for value in row[:-1]] for row in rows)]
    widths = [max(len(line[column]) for line in texts) for column in range(len(columns))]
    click.echo()
    for line, note in zip(texts, (None, *(row[-1] for row in rows)), strict=True):
        padded = (value.ljust(width) for value, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())
        if note:
            click.echo(f"    {note}")


def _saved(state: Facts) -> str:
    if state["saved_at"] is None:
        return "not yet"
    return str(state["saved_at"]) + (", changes since then follow" if state["unsaved"] else "")


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size < 10e6 else f"{size / 1e6:.0f} MB"

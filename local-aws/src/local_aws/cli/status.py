"""``local-aws status``: what is deployed and what runs."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from local_aws.cli.lazy import Command
from local_aws.cli.options import json_option, local_address, state_dir_option
from local_aws.cli.showing import Facts, Shown, accounts_in, in_short, print_table
from local_aws.cli.up import OWN


@click.command(cls=Command)
@json_option
@state_dir_option
def status(as_json: bool, state_dir: Path) -> None:
    """Show stacks, URLs, processes, ports, memory, and where the state is kept."""
    show_status(state_dir, OWN, as_json=as_json)


def show_status(state_dir: Path, shown: Shown, *, as_json: bool) -> None:
    """Print what runs in ``state_dir``."""
    facts = local_address(state_dir).status()
    if as_json:
        click.echo(json.dumps(facts, indent=1))
    else:
        _print(facts, shown)


def _print(facts: Facts, shown: Shown) -> None:
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
    for account, own in accounts_in(facts):
        if "account" in facts:
            click.echo(f"\naccount {account or facts['account']}")
        _print_account(own, shown)
    every = [own for _, own in accounts_in(facts)]
    if not any(own["stacks"] or any(own.get(name) for name in shown.kept) for own in every):
        click.echo(f"nothing is deployed; next: {shown.next_step()}")


def _print_account(facts: Facts, shown: Shown) -> None:
    for stack in facts["recovered"]:
        click.echo(
            f"recovered: stack {stack['name']} ({stack['region']}) was found in {stack['found']}"
        )
    for line in shown.notes(facts):
        click.echo(line)
    print_table(("stack", "region", "status", "resources"), map(_stack, facts["stacks"]))
    for stack in facts["stacks"]:
        for kept in stack["only_kept"]:
            click.echo(f"only kept, and nothing done by it: {kept} of {stack['name']}")
    for table in shown.tables:
        table.show(facts)
    print_table(("execution", "status"), map(_execution, facts["executions"]))
    apis = [each for kind in _WITH_URLS for each in facts.get(kind, ())]
    print_table(("api or function", "url"), map(_api, apis))
    processes = [each for kind in _PROCESSES for each in facts.get(kind, ())]
    print_table(("process", "pid", "listens", "memory"), map(_process, processes))


def _stack(stack: Facts) -> Sequence[Any]:
    row = (stack["name"], stack["region"], stack["status"], stack["resources"])
    return (*row, in_short(stack["reason"]))


def _execution(execution: Facts) -> Sequence[Any]:
    return (execution["arn"].rpartition("execution:")[2], execution["status"], None)


def _api(api: Facts) -> Sequence[Any]:
    return (api.get("name") or api["arn"].partition("function:")[2], api["url"], None)


_WITH_URLS = ("rest_apis", "http_apis", "function_urls")
_PROCESSES = ("processes", "function_processes")


def _process(process: Facts) -> Sequence[Any]:
    """Its log below it, since two names beside each other are too wide for a terminal.

    A socket's path is for programs, which read it in ``--json``.
    """
    memory, listens, log = (
        process.get("memory_bytes"),
        process.get("listens", ""),
        process.get("log"),
    )
    if log is not None and Path(log).is_absolute():
        log = os.path.relpath(log)
    return (
        process["name"],
        process["pid"],
        "" if str(listens).startswith("/") else listens,
        "" if memory is None else _mb(memory),
        None if log is None else f"log: {log}",
    )


def _saved(state: Facts) -> str:
    if state["saved_at"] is None:
        return "not yet"
    return str(state["saved_at"]) + (", changes since then follow" if state["unsaved"] else "")


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size < 10e6 else f"{size / 1e6:.0f} MB"

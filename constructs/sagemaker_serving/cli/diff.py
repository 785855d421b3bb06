"""``sagemaker-serving diff``: what two environments say differently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sagemaker_serving.cli.tables import print_table


@click.command()
@click.argument("left", type=click.Path(path_type=Path))
@click.argument("right", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print a list of objects.")
@click.option("--exit-code", is_flag=True, help="End with 1 when something differs, as git does.")
def diff(left: Path, right: Path, as_json: bool, exit_code: bool) -> None:
    """Show what the environment files LEFT and RIGHT say differently.

    Values that one file leaves out count with their defaults, and what a file
    extends belongs to it. Variants are compared by name. Prints one line per
    value: where, left, right.

    \b
    Examples:
      sagemaker-serving diff environments/staging.yaml environments/prod.yaml
      sagemaker-serving diff old.yaml new.yaml --json | jq '.[].path'
    """
    from sagemaker_serving.spec import read_environment
    from sagemaker_serving.spec.differences import differences

    found = differences(read_environment(left).sound, read_environment(right).sound)
    if found or as_json:
        print_table(
            [
                {
                    "path": difference.path,
                    left.stem: _shown(difference.left, as_json),
                    right.stem if right.stem != left.stem else str(right): _shown(
                        difference.right, as_json
                    ),
                }
                for difference in found
            ],
            as_json=as_json,
        )
    if found and exit_code:
        raise click.exceptions.Exit(1)


def _shown(value: Any, as_json: bool) -> Any:
    if as_json:
        return value
    return "-" if value is None else value if isinstance(value, str) else json.dumps(value)

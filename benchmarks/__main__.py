"""Runs every benchmark and prints its figures: ``make bench`` or ``python -m benchmarks``."""

from __future__ import annotations

import os
import platform

from rich.console import Console
from rich.table import Table

from benchmarks import archive, check, deploy, prediction, state, synth


def main() -> None:
    console = Console(highlight=False)
    console.print(
        f"{os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()}"
    )
    for title, measure in (
        ("check, beside cfn-lint on the equivalent template", check.measure),
        ("synth of the local environment, beside an empty Python CDK app", synth.measure),
        ("model.tar.gz of 500 MB, and synth with 2.5 GB", archive.measure),
        ("deploy to the local AWS, beside plain moto with the same template", deploy.measure),
        ("what keeping the local AWS's state costs", state.measure),
        ("one endpoint of half_plus_three on the local AWS", prediction.measure),
    ):
        table = Table("figure", "value", title=title, title_justify="left", box=None)
        for name, value in measure():
            table.add_row(name, value)
        console.print()
        console.print(table)


if __name__ == "__main__":
    main()

"""Runs the benchmarks and prints their figures: ``make bench``, ``python -m benchmarks NAME…``."""

from __future__ import annotations

import os
import platform
import sys

from rich.console import Console
from rich.table import Table

from benchmarks import archive, check, constructs, deploy, prediction, state, synth

BENCHMARKS = {
    "check": ("check, beside cfn-lint on the equivalent template", check.measure),
    "synth": ("synth of the local environment, beside an empty Python CDK app", synth.measure),
    "constructs": ("synth per resource, beside aws-sagemaker-alpha", constructs.measure),
    "archive": ("model.tar.gz of 500 MB, and synth with 2.5 GB", archive.measure),
    "deploy": ("deploy to the local AWS, beside plain moto with the same template", deploy.measure),
    "state": ("what keeping the local AWS's state costs", state.measure),
    "prediction": ("one endpoint of half_plus_three on the local AWS", prediction.measure),
}


def main() -> None:
    console = Console(highlight=False)
    wanted = sys.argv[1:] if sys.argv[1:] else list(BENCHMARKS)
    unknown = [name for name in wanted if name not in BENCHMARKS]
    if unknown:
        console.print(f"unknown: {', '.join(unknown)}; there are {', '.join(BENCHMARKS)}")
        raise SystemExit(2)
    console.print(
        f"{os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()}"
    )
    for name in wanted:
        title, measure = BENCHMARKS[name]
        table = Table("figure", "value", title=title, title_justify="left", box=None)
        for figure, value in measure():
            table.add_row(figure, value)
        console.print()
        console.print(table)


if __name__ == "__main__":
    main()

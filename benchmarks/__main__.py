"""Runs the benchmarks: ``make bench``, ``python -m benchmarks [--guard] [--page] [NAME…]``.

Without names the figures are written to docs/figures.md, and with ``--page`` those of the named
ones, each with where and when it was measured. ``--guard`` ends with 1 when a ratio is not what is
wanted of it; seconds are never judged, since they are the machine's. One that fails is said and
ends it with 1, after the others.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterable
from datetime import date
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Figure, Ratio

PAGE = Path(__file__).parents[1] / "docs" / "figures.md"

BENCHMARKS = {
    "check": "check, beside cfn-lint on the equivalent template",
    "mistakes": "wrong environment files and templates that check names, and right ones",
    "synth": "synth of the local environment, beside an empty Python CDK app",
    "constructs": "synth per resource, beside aws-sagemaker-alpha",
    "archive": "model.tar.gz of 500 MB, and synth with 2.5 GB",
    "deploy": "deploy to the local AWS, beside plain moto with the same template",
    "large_bodies": "a request of 100 MB to the model server, beside json.loads",
    "prediction": "one endpoint of half_plus_three on the local AWS",
    "server": "the model server, beside the bare engine and BentoML with the same SavedModel",
    "batch": "batch pipelines with faults on the local AWS, and a plan of 5,000,000 keys",
    "replay": "100,000 captured requests, replayed and compared",
    "client": "256 images to an endpoint that takes 50 ms a request",
}
"""Each is a module of this package with ``measure() -> Iterable[Figure | Ratio]``."""

_APART = {"soak": "mixed load and faults on the local AWS for hours: make soak"}
"""What takes too long to be measured with them; its part of the page stays as it is."""
_TITLES = {**BENCHMARKS, **_APART}

_HEAD = """# Figures

`make bench` measures these figures. Ratios compare with a peer in the same run. Seconds depend on
the machine.
"""


def main() -> None:
    console = Console(highlight=False)
    asked = _parser().parse_args()
    guard, to_page, named = asked.guard, asked.page, asked.names
    console.print(_machine())
    measured: dict[str, list[Figure | Ratio]] = {}
    failed: dict[str, Exception] = {}
    for name in named or BENCHMARKS:
        measure: Callable[[], Iterable[Figure | Ratio]] = import_module(
            f"benchmarks.{name}"
        ).measure
        console.print()
        try:
            measured[name] = list(measure())
        except Exception as error:  # the others' half hour shall not be lost with it
            failed[name] = error
            console.print(f"{BENCHMARKS[name]}: failed: {error}", markup=False)
            continue
        console.print(_table(BENCHMARKS[name], measured[name]))
        if to_page or not named:
            renew(name, measured[name])
    missed = [
        figure
        for figures in measured.values()
        for figure in figures
        if isinstance(figure, Ratio) and not figure.holds
    ]
    if guard and missed:
        console.print()
        for ratio in missed:
            console.print(f"{ratio.name}: {ratio}")
    if failed:
        console.print(f"\nfailed: {', '.join(failed)}")
    if failed or (guard and missed):
        raise SystemExit(1)


def renew(name: str, figures: Iterable[Figure | Ratio], told: Iterable[str] = ()) -> None:
    """One part of docs/figures.md, with where and when it was measured and what else is told."""
    _, *parts = PAGE.read_text(encoding="utf-8").split("\n## ")
    sections = {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}
    lines = [f"## {_TITLES[name]}", "", f"Measured {_machine()}.", "", *told]
    lines += ["| figure | value |", "| --- | --- |"]
    lines += [f"| {figure} | {value} |" for figure, value in figures]
    sections[_TITLES[name]] = "\n".join([*lines, ""])
    ordered = [sections[title] for title in _TITLES.values() if title in sections]
    PAGE.write_text("\n".join([_HEAD, *ordered]), encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measures, beside peers in the same run. Nothing else may run meanwhile.",
        epilog="\n".join(["benchmarks:", *(f"  {n:16}{what}" for n, what in BENCHMARKS.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("names", nargs="*", type=_known, metavar="NAME", help="default: all")
    parser.add_argument(
        "--guard", action="store_true", help="end with 1 when a ratio is not what is wanted of it"
    )
    parser.add_argument(
        "--page", action="store_true", help="put those of named ones into docs/figures.md, too"
    )
    return parser


def _known(name: str) -> str:
    if name not in BENCHMARKS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(BENCHMARKS)}")
    return name


def _machine() -> str:
    return (
        f"{date.today()}: {os.cpu_count()} cores, {platform.platform()}, "
        f"Python {platform.python_version()}, aws-cdk-lib {version('aws-cdk-lib')}, "
        f"moto {version('moto')}, TensorFlow {version('tensorflow-cpu')}"
    )


def _table(title: str, figures: Iterable[Figure | Ratio]) -> Table:
    table = Table("figure", "value", title=title, title_justify="left", box=None)
    for figure, value in figures:
        table.add_row(figure, value)
    return table


if __name__ == "__main__":
    main()

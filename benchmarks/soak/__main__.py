"""``python -m benchmarks.soak [--minutes N] [--seed N] [--page]``."""

from __future__ import annotations

import argparse
import contextlib
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from benchmarks.soak import clock, page
from benchmarks.soak.faults import Faults
from benchmarks.soak.place import Place
from benchmarks.soak.requests import Requests
from benchmarks.soak.watch import Watch, strays
from benchmarks.soak.work import Work, deployed

DISK_MB = 768


def main() -> None:
    asked = _parser().parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the disk is unmounted
    console = Console(highlight=False)
    with tempfile.TemporaryDirectory() as folder, small_disk(Path(folder)) as disk:
        moves = clock.Clock(Path(folder))
        with Place(Path(folder), disk, moves.environment()) as place:
            deployed(place, Path(folder))
            faults = Faults(place, moves, asked.seed, asked.minutes * 60)
            requests = Requests(place)
            watch = Watch(place)
            work = Work(place, faults, Path(folder))
            with requests, watch, faults:
                for number in work.rounds(asked.minutes * 60):
                    failed = sum(bool(each.reason) for each in requests.sent)
                    console.print(
                        f"round {number} in {work.told()}; {len(requests.sent)} requests, {failed} "
                        f"failed, {len(faults.made)} faults, {watch.memory_mb():.0f} MB; "
                        f"{len(work.broken)} broken"
                    )
            memory = place.memory_mb()
            place.restart()
            not_kept = strays(place)
            work.settle()
            not_given_back = memory / place.memory_mb()
    found = page.Found(
        requests=requests.sent,
        lost=requests.lost(faults.made),
        broken=work.broken,
        rounds=work.done,
        faults=faults.made,
        samples=watch.samples,
        to_restarted=not_given_back,
        strays=not_kept,
        without=[] if place.has_small_disk else ["a full disk: only root can mount one"],
    )
    for line in page.lines(found):
        console.print(line, markup=False)
    if asked.page:
        page.write(found, minutes=asked.minutes, seed=asked.seed)
    sys.exit(0 if found.holds else 1)


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path | None]:
    """A file system of `DISK_MB`; None where this user may not mount one."""
    disk = folder / "disk"
    disk.mkdir()
    options = ["-o", f"size={DISK_MB}m,mode=0700"]
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", *options, "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        yield None
        return
    try:
        yield disk
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak",
        description="Mixed load and faults on a local AWS of its own; ends with 1 when a request "
        "outside the faults, or any record of a batch, was lost, or when something kept growing.",
    )
    parser.add_argument("--minutes", type=float, default=120, help="default: 120")
    parser.add_argument("--seed", type=int, default=28, help="draws the faults; default: 28")
    parser.add_argument("--page", action="store_true", help="put it into docs/figures.md")
    return parser


if __name__ == "__main__":
    main()

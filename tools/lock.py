"""Pins every dependency of both distributions: requirements.txt, and with hashes requirements.lock.

``python tools/lock.py [PACKAGE…]``: what is pinned stays as it is while pyproject.toml allows it,
but for the packages that are named, which are pinned to the newest that it allows. uv does it,
which stands beside this Python: one resolution holds for every supported machine and Python.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
REQUIREMENTS = ROOT / "requirements.txt"

LOCK_HEADER = """\
# Every package that this project and its local AWS need, pinned, with the hashes of its files on
# the index. Made by `make lock`; `make setup` installs nothing else.
"""

HEADER = """\
# This project and its local AWS, editable, and every package it needs, pinned exactly.
# Made by `make lock` from pyproject.toml; docs/dependencies.md says why each is there.
-e ./local-aws
-e .
"""

EXTRAS = (
    "cdk",
    "check",
    "local",
    "tensorflow",
    "onnxruntime",
    "client",
    "plots",
    "dev",
)
"""Not torch, openvino and xgboost: what they bring is gigabytes. dev has xgboost-cpu."""

LOWEST_PYTHON = "3.11"

OPTIONS = (
    *("--quiet", "--universal", "--generate-hashes", f"--python-version={LOWEST_PYTHON}"),
    *("--no-header", "--no-annotate", "--system-certs"),
)


def main(upgraded: Sequence[str]) -> None:
    """Resolve both distributions with `EXTRAS`, and write both files."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, pins = Path(folder) / "wanted.in", Path(folder) / "pins.txt"
        # Named by their folders: an index may have another project of the same name.
        wanted.write_text(f"-e {ROOT}/local-aws[run]\n-e {ROOT}[{','.join(EXTRAS)}]\n")
        pins.write_text(LOCK.read_text())  # uv keeps those that fit
        subprocess.run(
            [
                *(Path(sys.executable).parent / "uv", "pip", "compile", *OPTIONS),
                *(f"--upgrade-package={package}" for package in upgraded),
                *("--output-file", pins, wanted),
            ],
            cwd=ROOT,
            check=True,
        )
        locked = "".join(
            line
            for line in pins.read_text().splitlines(keepends=True)
            if not line.startswith("-e ")
        )
    LOCK.write_text(LOCK_HEADER + locked)
    REQUIREMENTS.write_text(HEADER + without_hashes(locked))


def without_hashes(locked: str) -> str:
    """The pins alone, a line for each."""
    return re.sub(r" \\\n +--hash=\S+", "", locked)


if __name__ == "__main__":
    main(sys.argv[1:])
